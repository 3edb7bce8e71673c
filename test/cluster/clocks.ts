import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostName } from "./network.ts";

/** The clocks of the hosts, which may jump. */
export type Clocks = {
  /** The variables with which a program on the host reads its clock; none without the library. */
  variables(host: HostName): Record<string, string>;
  /** Moves a clock by a number of seconds, forward or back. */
  jump(host: HostName, seconds: number): void;
};

/** Makes the clocks. Programs look at their files once a second, by the library `faketime`. */
export function makeClocks(folder: string, faketime: string | null): Clocks {
  const offsets = new Map<HostName, number>();
  const fileOf = (host: HostName): string => join(folder, `clock-${host}`);
  const write = (host: HostName): void => {
    const offset = offsets.get(host) ?? 0;
    writeFileSync(fileOf(host), `${offset < 0 ? "" : "+"}${offset}\n`);
  };
  return {
    variables(host) {
      if (faketime === null) return {};
      write(host);
      return {
        LD_PRELOAD: faketime,
        FAKETIME_TIMESTAMP_FILE: fileOf(host),
        FAKETIME_CACHE_DURATION: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      };
    },
    jump(host, seconds) {
      offsets.set(host, (offsets.get(host) ?? 0) + seconds);
      write(host);
    },
  };
}

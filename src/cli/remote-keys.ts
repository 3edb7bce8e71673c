import type { KeyOperator, ShownKey } from "#src/signing/key-store.ts";
import type { ControlCall } from "./remote-registration.ts";

/** The functions of the command `keys`. */
export type KeyCommands = Pick<KeyOperator, "list" | "rotate" | "retire" | "withdraw"> & {
  /** Adds a key. Without a location, a sandbox generates it. */
  add(location: string | undefined, certificateFile: string | null): Promise<ShownKey>;
};

const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

/** Makes the functions that change the signing keys of a sandbox. It checks what it returns. */
export const remoteKeys = (call: ControlCall): KeyCommands => {
  const change = async (path: string, body: object): Promise<ShownKey> =>
    (await call("POST", `/signing-keys${path}`, body)) as ShownKey;
  const of = (kid: string): string => `/${encodeURIComponent(kid)}`;
  return {
    list: async () => ((await call("GET", "/signing-keys")) as { keys: ShownKey[] }).keys,
    add: (location) => change("", { location }),
    rotate: ({ kid, at, isEmergency }) =>
      change("/rotation", { kid, at: isoOf(at), now: isEmergency }),
    retire: ({ kid, until }) => change(`${of(kid)}/retirement`, { until: isoOf(until) }),
    withdraw: (kid) => change(`${of(kid)}/withdrawal`, {}),
  };
};

import type { Draw } from "#test/attacks/fuzz/draw.ts";
import type { Cluster, DatabaseHost } from "./cluster.ts";
import type { HostName } from "./network.ts";
import type { Programs } from "./programs.ts";

/** What a fault may strike. */
export type Scene = {
  cluster: Cluster;
  draw: Draw;
  primary: DatabaseHost;
  /** Sends `kill -9` to all processes of a program on a host, and counts that as one kill. */
  kill(host: HostName, program: string): void;
};

/** A fault of the cluster: one row. */
export type Fault = {
  name: string;
  /** What the page says. */
  happens: string;
  /** Strikes. Returns what ends the fault after its time. */
  strike(scene: Scene): Struck;
  /** The shortest and the longest time until its end, in seconds. */
  lasts: readonly [number, number];
  /** Whether it ends processes of the bank. No other fault may. */
  killsBanks?: true;
  /** The program without which it cannot strike. */
  needs?: keyof Programs;
};

/** A fault that has struck. */
export type Struck = { end?: () => void };

import { setTimeout as delay } from "node:timers/promises";
import { createDraw } from "#test/attacks/fuzz/draw.ts";
import type { ClusterPart } from "./cluster.ts";
import type { Scene, Struck } from "./fault.ts";
import { bankHosts, databaseHosts, type HostName, processesOn } from "./network.ts";

const longestPauseMs = 1000;

/** The program of each part that is killed all the time, and its hosts. */
const victims: readonly { part: ClusterPart; program: string; hosts: readonly HostName[] }[] = [
  { part: "bank", program: "node", hosts: bankHosts },
  { part: "etcd", program: "etcd", hosts: databaseHosts },
  { part: "patroni", program: "patroni", hosts: databaseHosts },
];

/** Kills one program of each part at a time, and the next one as soon as its part is whole. */
export function startStorm(scene: Scene): Struck {
  let isOver = false;
  const killAll = async ({ part, program, hosts }: (typeof victims)[number], seed: number) => {
    const draw = createDraw(seed);
    while (!isOver) {
      const host = draw.pick(hosts);
      if (processesOn(host, program).length > 0) scene.kill(host, program);
      do await delay(100 + draw.below(longestPauseMs));
      while (!isOver && (await scene.cluster.missing(part)) !== null);
    }
  };
  for (const victim of victims) void killAll(victim, scene.draw.below(2 ** 31));
  return {
    end() {
      isOver = true;
    },
  };
}

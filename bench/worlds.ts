import { setTimeout as sleep } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import type { ShownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { globalSetup, globalTeardown } from "#test/setup.ts";
import { approveIn, type Host, openWorldsHost, tppOf } from "#test/worlds/worlds-bed.ts";
import { runLoad, showLoad } from "./lib/load.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// Opens many worlds in one process: how long one takes, how much memory the process needs for each,
// and whether a page of one world becomes slower while the others are open. On the embedded
// database by default, and on PostgreSQL with ALDGATE_TEST_DATABASE=postgres. 200 worlds need a
// server with max_connections of 1000 (TEST_POSTGRES_URL).

const isServer = process.env.ALDGATE_TEST_DATABASE === "postgres";
const few = isQuick ? 3 : 10;
const many = isQuick ? 5 : 200;
const count = isServer ? many : few;
const seconds = isQuick ? 2 : 10;
const loads = isQuick ? 1 : 5;
// a world is at its slowest a minute after its last use
const idleMilliseconds = 65_000;

const megabytes = (): number => process.memoryUsage.rss() / 2 ** 20;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Loads a page of accounts at a world, several times. Returns the median p99 in milliseconds. */
async function load(world: ShownWorld, token: string, name: string): Promise<number> {
  const slowest: number[] = [];
  for (let run = 0; run < loads; run += 1) {
    const result = await runLoad({
      port: Number(new URL(world.publicUrl).port),
      path: "/api/open-banking/v3.1/aisp/accounts",
      headers: { authorization: `Bearer ${token}` },
      connections: 4,
      seconds,
    });
    console.log(showLoad(name, result));
    slowest.push(result.p99);
  }
  return median(slowest);
}

/** The share of a core that the process uses while nobody calls it. */
async function idleShare(): Promise<number> {
  const before = process.cpuUsage();
  const milliseconds = await timed(() => sleep(seconds * 1000));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / milliseconds;
}

/** A token of the world's second TPP, which works without a certificate. */
async function tokenIn(host: Host, world: ShownWorld): Promise<string> {
  const client = tppOf(host, { ...world, tpps: world.tpps.slice(1) });
  const consentId = await lodgeAccess(client);
  const tokens = await approveIn(host, world, client, "accounts", consentId);
  client.close();
  return tokens.access_token;
}

await globalSetup();
const host = await openWorldsHost({ WORLDS_OPEN: count + 1 });
try {
  const first = await host.world("first");
  const token = await tokenIn(host, first);
  await load(first, token, "warming up");
  const alone = await load(first, token, "a page, one world open");
  const before = megabytes();
  const times: number[] = [];
  const usedBefore = process.cpuUsage();
  for (let number = 0; number < count; number += 1) {
    times.push(await timed(() => host.world(`world-${number}`)));
  }
  const each = (megabytes() - before) / count;
  const used = process.cpuUsage(usedBefore);
  const cpu = (used.user + used.system) / 1000 / count;
  await sleep(idleMilliseconds);
  const idle = await idleShare();
  const among = await load(first, token, `a page, ${count} more open`);
  const resets: number[] = [];
  for (let number = 0; number < Math.min(count, few); number += 1) {
    const path = `/worlds/world-${number}/reset`;
    resets.push(await timed(() => host.control("POST", path, {})));
  }
  const onWhich = isServer ? "PostgreSQL" : "embedded";
  show(`p99 of a page, ${onWhich}`, `${alone.toFixed(1)} ms`, `${among.toFixed(1)} ms`);
  show(`CPU of ${count} idle worlds, ${onWhich}`, `${(idle * 100).toFixed(1)} % of a core`);
  show(`CPU of opening a world, ${onWhich}`, `${cpu.toFixed(0)} ms`);
  const aim = "at most 1000 ms";
  const slowest = present(times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)], "a time");
  conclude({ name: `open a world, median, ${onWhich}`, value: median(times), unit: "ms", aim });
  conclude({ name: `open a world, p95, ${onWhich}`, value: slowest, unit: "ms", aim });
  conclude({ name: `reset a world, median, ${onWhich}`, value: median(resets), unit: "ms", aim });
  const memory = isServer ? "at most 40 MB: 200 on 8 GB" : "published";
  conclude({ name: `memory of a world, ${onWhich}`, value: each, unit: "MB", aim: memory });
} finally {
  await host.close();
  await globalTeardown();
}
process.exit(0);

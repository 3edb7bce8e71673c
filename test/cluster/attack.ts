import { readFileSync } from "node:fs";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { createDraw, type Draw } from "#test/attacks/fuzz/draw.ts";
import { findBreaches, judgeOrders } from "#test/attacks/kills.ts";
import { type OrderStream, startOrders } from "#test/attacks/order-stream.ts";
import type { History } from "#test/model/history.ts";
import { type Cluster, type DatabaseHost, startCluster } from "./cluster.ts";
import type { Fault } from "./fault.ts";
import { faults } from "./faults.ts";
import { bankHosts, type HostName, killOn, servedNames } from "./network.ts";
import type { Programs } from "./programs.ts";
import { backUp, backUpAgain, drillRestore } from "./restore-drill.ts";

/** What the attack needs. */
export type ClusterOptions = {
  folder: string;
  programs: Programs;
  /** How many faults strike. */
  rounds: number;
  seed: number;
  /** Strikes only with the faults of these names. */
  only?: readonly string[];
  history: History;
  say(text: string): void;
};

/** What a kind of fault has done. Times are in seconds. */
export type FaultCount = { strikes: number; longestStop: number; longestRepair: number };

/** The result of the attack. */
export type ClusterReport = {
  faults: Record<string, FaultCount>;
  /** How often all processes of a program on a host were killed. */
  kills: number;
  /** How often the role of the primary has moved to another host. */
  failovers: number;
  acknowledged: number;
  /** Counts by status. `none` is a broken connection. */
  answers: Record<string, number>;
  /** What the restore drill has shown; null if backups are not possible here. */
  restore: string | null;
  findings: string[];
};

const backWithinSeconds = 30;
const wholeWithinSeconds = 180;
// a stream's tokens live for an hour, and more orders are ready than there is time for
const roundsPerStream = 5;
const load = { lanes: 4, pauseMs: 100 };
const ordersPerRound = 2000;

/**
 * Runs the reference set-up under a load of signed orders, and strikes it with one fault after the
 * other. Nobody repairs anything but the hosts' own supervisors. After each fault the bank must
 * serve again soon. In the end, the model judges what the TPP was told.
 */
export async function attackCluster(options: ClusterOptions): Promise<ClusterReport> {
  const { folder, programs, rounds, seed, say, only } = options;
  const chosen = faults.filter(
    ({ name, needs }) =>
      (!needs || programs[needs] !== null) && (!only?.length || only.includes(name)),
  );
  const report: ClusterReport = {
    faults: {},
    kills: 0,
    failovers: 0,
    acknowledged: 0,
    answers: {},
    restore: null,
    findings: [],
  };
  const cluster = await startCluster(folder, programs);
  say("the cluster is open");
  if (programs.pgbackrest !== null) await backUp(cluster);
  const scene = { cluster, draw: createDraw(seed), report, say, history: options.history };
  try {
    for (let first = 0; first < rounds; ) {
      const last = Math.min(rounds, first + roundsPerStream);
      const struck = Array.from({ length: last - first }, (_, at) =>
        present(chosen[(first + at) % chosen.length], "a fault"),
      );
      first += await playFaults(struck, first, scene);
    }
    if (programs.pgbackrest !== null) await playRestore(scene);
  } finally {
    cluster.supervisor.stop();
  }
  return report;
}

type Scene = Pick<ClusterOptions, "history" | "say"> & {
  cluster: Cluster;
  draw: Draw;
  report: ClusterReport;
};

/**
 * Strikes with some faults under the load of one stream, and judges its orders. Returns how many
 * have struck: the last ones do not if a long repair has used up most of the orders.
 */
async function playFaults(struck: readonly Fault[], first: number, scene: Scene): Promise<number> {
  const { cluster, history, report } = scene;
  const orders = ordersPerRound * roundsPerStream;
  const stream = await openStream(cluster, history, orders);
  let played = 0;
  for (const [at, fault] of struck.entries()) {
    if (stream.acknowledged() > orders / 2) break;
    played += 1;
    await playRound(fault, { ...scene, stream, when: `fault ${first + at} (${fault.name})` });
  }
  await stream.finish();
  report.acknowledged += stream.acknowledged();
  for (const [status, count] of stream.answers) {
    report.answers[status] = (report.answers[status] ?? 0) + count;
  }
  report.findings.push(...stream.faults, ...(await judgeOrders(cluster.url, stream)));
  return played;
}

/** The restore drill, whose orders the model does not judge, because some are meant to be lost. */
async function playRestore({ cluster, report, say }: Scene): Promise<void> {
  if (report.faults.clock) await backUpAgain(cluster);
  const drill = await drillRestore(cluster, (history, orders) =>
    openStream(cluster, history, orders),
  );
  const { kept, undone, seconds, findings } = drill;
  report.restore = `${kept} orders kept, ${undone} undone, whole after ${seconds} s`;
  report.findings.push(...findings);
  say(`restore: ${report.restore}`);
}

async function openStream(
  cluster: Cluster,
  history: History,
  orders: number,
): Promise<OrderStream> {
  const database = await openPostgres(cluster.url, 2);
  const { operations } = cluster.banks[bankHosts[0]];
  const { public: auth, mtls } = servedNames;
  const bank = { publicUrl: `https://${auth}`, mtlsUrl: `https://${mtls}`, operations };
  try {
    return await startOrders([bank], database, {
      ...load,
      orders,
      history,
      createTpp: (asked) => control(cluster, "/tpps", asked),
    });
  } finally {
    await database.close();
  }
}

/** Calls the sandbox's controls as a program on another machine does. */
async function control<T>(cluster: Cluster, path: string, body: object): Promise<T> {
  const sent = request(`https://${servedNames.public}/sandbox/v1${path}`, {
    method: "POST",
    ca: readFileSync(cluster.caFile),
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${cluster.controlsToken}`,
    },
  });
  sent.end(JSON.stringify(body));
  const [status, answer] = await new Promise<[number, string]>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      text(response).then((said) => resolve([response.statusCode ?? 0, said]), reject);
    });
  });
  if (status >= 300) throw new Error(`${path}: ${status} ${answer}`);
  return JSON.parse(answer) as T;
}

type Round = Scene & { stream: OrderStream; when: string };

/** One fault, from a whole cluster to a whole cluster. */
async function playRound(fault: Fault, round: Round): Promise<void> {
  const { cluster, stream, draw, report, say, when } = round;
  await delay(500 + draw.below(2000));
  const primary = await cluster.primary();
  if (primary === null) {
    report.findings.push(`${when}: there is no primary before the fault`);
    return;
  }
  const startsOf = (): number[] => bankHosts.map((host) => cluster.banks[host].starts());
  const starts = startsOf();
  const { stop, repair, missing } = await observe(fault, primary, round);
  const next = await cluster.primary();
  const ended = startsOf().filter((count, at) => count !== starts[at]).length;
  report.findings.push(
    ...(missing === null ? [] : [`${when}: after ${wholeWithinSeconds} s there is no ${missing}`]),
    ...(stop > backWithinSeconds ? [`${when}: no order was acknowledged for ${stop} s`] : []),
    ...(ended > 0 && !fault.killsBanks ? [`${when}: ${ended} processes of the bank ended`] : []),
    ...(await findBreaches(when, cluster.url)),
  );
  if (next !== primary) report.failovers += 1;
  const before = report.faults[fault.name] ?? { strikes: 0, longestStop: 0, longestRepair: 0 };
  report.faults[fault.name] = {
    strikes: before.strikes + 1,
    longestStop: Math.max(before.longestStop, stop),
    longestRepair: Math.max(before.longestRepair, repair),
  };
  say(
    `${when}: service stopped for ${stop} s, primary ${primary} → ${next}, whole ${repair} s ` +
      `after its end, ${stream.acknowledged()} orders`,
  );
}

/** Strikes, and waits until the cluster is whole again. Times are in seconds. */
async function observe(fault: Fault, primary: DatabaseHost, round: Round) {
  const { cluster, stream, draw, report } = round;
  const gaps = watchGaps(stream);
  const kill = (host: HostName, program: string): void => {
    killOn(host, program);
    report.kills += 1;
  };
  const { end } = fault.strike({ cluster, draw, primary, kill });
  const [least, most] = fault.lasts;
  await delay(1000 * (least + draw.below(most - least)));
  end?.();
  const endedAt = performance.now();
  const missing = await untilWhole(cluster);
  const repair = Math.round((performance.now() - endedAt) / 1000);
  // the last gap may still be open
  await untilServed(stream);
  return { missing, repair, stop: gaps.close() };
}

/** Waits until nothing is missing. Returns what is, if it takes too long. */
async function untilWhole(cluster: Cluster): Promise<string | null> {
  const deadline = performance.now() + wholeWithinSeconds * 1000;
  for (;;) {
    const missing = await cluster.missing();
    if (missing === null || performance.now() > deadline) return missing;
    await delay(500);
  }
}

async function untilServed(stream: OrderStream): Promise<void> {
  const before = stream.acknowledged();
  const deadline = performance.now() + 2000 * backWithinSeconds;
  while (stream.acknowledged() === before && performance.now() < deadline) await delay(20);
}

/** Measures the longest time without an acknowledged order, in seconds. */
function watchGaps(stream: OrderStream): { close(): number } {
  let [count, since, longest] = [stream.acknowledged(), performance.now(), 0];
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - since);
    if (stream.acknowledged() === count) return;
    [count, since] = [stream.acknowledged(), now];
  };
  const timer = setInterval(look, 20);
  return {
    close() {
      clearInterval(timer);
      look();
      return Math.round(longest / 100) / 10;
    },
  };
}

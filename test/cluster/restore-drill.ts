// The restore drill of docs/more-than-one-machine.md: all database hosts are lost, and the cluster
// is restored from the backup to a moment.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { assert } from "#src/lib/assert.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { findBreaches } from "#test/attacks/kills.ts";
import type { OrderStream } from "#test/attacks/order-stream.ts";
import { History } from "#test/model/history.ts";
import { readKeptOrders } from "#test/model/read-books.ts";
import type { Cluster, DatabaseHost } from "./cluster.ts";
import { asDatabaseUser } from "./disks.ts";
import { readExample } from "./example-files.ts";
import { bankHosts, databaseHosts, killOn, onHost } from "./network.ts";

const restoresWithinMs = 300_000;
const ordersOnEachSide = 150;
// more than are sent before the moment is known and the stream ends
const readyOrders = 2000;
const exampleMoment = "2027-03-31 18:00:00+00";

/** What a drill has shown. */
export type Drill = { kept: number; undone: number; seconds: number; findings: string[] };

/** Makes a backup at the primary, as the page says. */
export async function backUp(cluster: Cluster): Promise<void> {
  backrest(cluster, await primaryOf(cluster), "stanza-create");
  await backUpAgain(cluster);
}

/**
 * Makes a further full backup, as the page says after a clock was ahead: a replay from an older one
 * would end at a commit of that time, before the moment.
 */
export async function backUpAgain(cluster: Cluster): Promise<void> {
  backrest(cluster, await primaryOf(cluster), "--type=full", "backup");
}

/**
 * Loses all databases after some orders, restores them to a moment between two orders, and compares
 * what the bank then has with what it has acknowledged before and after that moment.
 */
export async function drillRestore(
  cluster: Cluster,
  openStream: (history: History, orders: number) => Promise<OrderStream>,
): Promise<Drill> {
  const history = new History();
  const stream = await openStream(history, readyOrders);
  await untilAcknowledged(stream, ordersOnEachSide);
  // the moment is between these times, and the database may take long to name it
  const since = now();
  const moment = await momentOf(cluster);
  const until = now();
  await untilAcknowledged(stream, stream.acknowledged() + ordersOnEachSide);
  await stream.finish();
  // the log of the last orders reaches the repository too
  backrest(cluster, await primaryOf(cluster), "check");
  const lostAt = now();
  loseAll(cluster);
  await restoreTo(cluster, moment);
  const seconds = Math.round((now() - lostAt) / 1000);
  return { ...(await compare(cluster, stream, { since, until })), seconds };
}

const now = (): number => performance.timeOrigin + performance.now();

async function untilAcknowledged(stream: OrderStream, count: number): Promise<void> {
  while (stream.acknowledged() < count) await delay(50);
}

async function primaryOf(cluster: Cluster): Promise<DatabaseHost> {
  const host = await cluster.primary();
  assert(host !== null, "the cluster has a primary");
  return host;
}

/** The moment in the words of the primary's clock, which marks its commits. */
async function momentOf({ url }: Cluster): Promise<string> {
  const database = await openPostgres(url, 1);
  try {
    const [row] = await database.query<{ moment: string }>(sql`
      select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' as moment`);
    return String(row?.moment);
  } finally {
    await database.close();
  }
}

function backrest({ programs, diskOf }: Cluster, host: DatabaseHost, ...args: string[]): void {
  const config = `--config=${join(diskOf(host), "pgbackrest.conf")}`;
  const line = [...asDatabaseUser, String(programs.pgbackrest), config, "--stanza=aldgate"];
  const [program, ...rest] = onHost(host, ...line, ...args);
  execFileSync(program, rest, { stdio: "pipe" });
}

/** Ends the banks, and everything of the databases but etcd. */
function loseAll({ supervisor, patroni, diskOf }: Cluster): void {
  for (const host of bankHosts) supervisor.powerOff(host);
  for (const host of databaseHosts) {
    patroni[host].halt();
    killOn(host, "patroni");
    killOn(host, "postgres");
    rmSync(join(diskOf(host), "data"), { recursive: true });
  }
}

/** Follows the steps of the page. */
async function restoreTo(cluster: Cluster, moment: string): Promise<void> {
  const { folder, programs, patroni, supervisor } = cluster;
  const [first, ...others] = databaseHosts;
  const files = join(folder, `patroni-${first}`);
  // what etcd knows of the old cluster; its leader is forgotten first
  await delay(25_000);
  const ctl = join(programs.patroni, "../patronictl");
  const [program, ...rest] = onHost(
    first,
    ctl,
    "-c",
    join(files, "patroni.yml"),
    "remove",
    "aldgate",
  );
  execFileSync(program, rest, { input: "aldgate\nYes I am aware\n", stdio: "pipe" });
  const own = join(cluster.diskOf(first), "pgbackrest.conf");
  const text = readExample("restore.yml", {
    [exampleMoment]: moment,
    "pgbackrest --stanza": `${programs.pgbackrest} --config=${own} --stanza`,
  });
  writeFileSync(join(files, "restore.yml"), text);
  await patroni[first].start();
  const deadline = performance.now() + restoresWithinMs;
  while ((await cluster.primary()) !== first) {
    assert(performance.now() < deadline, "the cluster is restored");
    await delay(500);
  }
  rmSync(join(files, "restore.yml"));
  for (const host of others) await patroni[host].start();
  for (const host of bankHosts) supervisor.powerOn(host);
  for (;;) {
    const missing = await cluster.missing();
    if (missing === null) return;
    assert(performance.now() < deadline, `the restored cluster has ${missing}`);
    await delay(500);
  }
}

type Moment = { since: number; until: number };

async function compare({ url }: Cluster, { client }: OrderStream, { since, until }: Moment) {
  const { history, tpp } = client;
  const database = await openPostgres(url, 1);
  try {
    const orders = await readKeptOrders(new History(), database, tpp.clientId);
    const kept = new Set(orders.map(({ orderId }) => orderId));
    const told = history.calls().flatMap((call) => {
      if (call.operation !== "order" || call.outcome !== "ok") return [];
      return [{ ...call, orderId: call.told.orderId }];
    });
    const before = told.filter(({ end }) => end < since);
    const after = told.filter(({ start }) => start > until);
    const lost = before.filter(({ orderId }) => !kept.has(orderId));
    const wrong = after.filter(({ orderId }) => kept.has(orderId));
    return {
      kept: before.length - lost.length,
      undone: after.length - wrong.length,
      findings: [
        ...lost.map(({ orderId }) => `${orderId} was acknowledged before the moment, and is lost`),
        ...wrong.map(({ orderId }) => `${orderId} was ordered after the moment, and is there`),
        ...(await findBreaches("after the restore", url)),
      ],
    };
  } finally {
    await database.close();
  }
}

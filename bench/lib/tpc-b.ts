import { spawnSync } from "node:child_process";
import pg from "pg";

/** A database prepared for TPC-B at scale 10. */
export type TpcB = { url: string; by: "pgbench" | "our own loop (there is no pgbench)" };

const scale = 10;
const clients = 4;

/**
 * Prepares the database with `pgbench`, or with our own statements if `pgbench` is not installed.
 */
export async function prepareTpcB(url: string): Promise<TpcB> {
  const made = spawnSync("pgbench", ["-i", "-q", "-s", `${scale}`, url], { stdio: "ignore" });
  if (made.status === 0) return { url, by: "pgbench" };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    drop table if exists pgbench_branches, pgbench_tellers, pgbench_accounts, pgbench_history;
    create table pgbench_branches (bid int primary key, bbalance int, filler char(88));
    create table pgbench_tellers (tid int primary key, bid int, tbalance int, filler char(84));
    create table pgbench_accounts (aid int primary key, bid int, abalance int, filler char(84));
    create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp,
      filler char(22));
    insert into pgbench_branches select n, 0, '' from generate_series(1, ${scale}) n;
    insert into pgbench_tellers select n, (n - 1) / 10 + 1, 0, '' from
      generate_series(1, ${scale * 10}) n;
    insert into pgbench_accounts select n, (n - 1) / 100000 + 1, 0, '' from
      generate_series(1, ${scale * 100_000}) n`);
  await client.query("vacuum analyze");
  await client.end();
  return { url, by: "our own loop (there is no pgbench)" };
}

/** Returns transactions per second with four clients. */
export async function tpcB({ url, by }: TpcB, seconds: number): Promise<number> {
  if (by !== "pgbench") return ownLoop(url, seconds);
  const args = ["-n", "-c", `${clients}`, "-j", "2", "-T", `${seconds}`, url];
  const run = spawnSync("pgbench", args, { encoding: "utf8" });
  const found = /tps = ([\d.]+)/.exec(run.stdout);
  if (!found) throw new Error(`pgbench failed: ${run.stderr}`);
  return Number(found[1]);
}

async function ownLoop(url: string, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      let done = 0;
      for (; performance.now() < until; done++) await transact(client);
      await client.end();
      return done;
    }),
  );
  return counts.reduce((a, b) => a + b, 0) / seconds;
}

const upTo = (most: number): number => 1 + Math.floor(Math.random() * most);

/** Runs the transaction of pgbench's built-in `tpcb-like` script, statement by statement. */
async function transact(client: pg.Client): Promise<void> {
  const aid = upTo(scale * 100_000);
  const tid = upTo(scale * 10);
  const bid = upTo(scale);
  const delta = upTo(10_001) - 5001;
  await client.query("begin");
  await client.query("update pgbench_accounts set abalance = abalance + $1 where aid = $2", [
    delta,
    aid,
  ]);
  await client.query("select abalance from pgbench_accounts where aid = $1", [aid]);
  await client.query("update pgbench_tellers set tbalance = tbalance + $1 where tid = $2", [
    delta,
    tid,
  ]);
  await client.query("update pgbench_branches set bbalance = bbalance + $1 where bid = $2", [
    delta,
    bid,
  ]);
  await client.query(
    `insert into pgbench_history (tid, bid, aid, delta, mtime)
      values ($1, $2, $3, $4, current_timestamp)`,
    [tid, bid, aid, delta],
  );
  await client.query("end");
}

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openPostgres } from "#src/storage/postgres.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { accountIdAt, addEverybodysHistory } from "./lib/history.ts";
import {
  type Arrival,
  type Arrived,
  type OpenLoadProcess,
  type OpenLoadResult,
  type Rates,
  startOpenLoad,
} from "./lib/open-load.ts";
import { prepareJourneys } from "./lib/prepare-journeys.ts";
import { copyReadable, tokenOf } from "./lib/readable-accounts.ts";
import { authoriseReader } from "./lib/readable-page.ts";
import { conclude, isQuick, show } from "./lib/report.ts";

// Requests arrive at a fixed rate, whether or not the bank keeps up, and their times count from the
// intended start. For one process and for as many as there are cores, this finds the highest rate
// at which 99 % of the reads are answered within the limit: of account reads with refreshes of
// tokens alone, then with whole payment journeys in the proportion of a large bank's peak. At last
// a process is killed at a rate that the others can serve. PostgreSQL, the banks and the load share
// the machine's cores.

const accounts = isQuick ? 2_000 : 10_000;
const entries = 100;
const connections = 64;
/** The sandbox's customers who can pay alone; the later ones show refusals. */
const payers = 8;
const limitMilliseconds = 200;
const [warmUpSeconds, seconds] = isQuick ? [1, 3] : [3, 10];
const refinements = isQuick ? 2 : 4;
const lowest = 100;
/** The share of calls to the token endpoint, as at the peak of a large bank. */
const refreshes = 0.05;
/** A quarter of the UK at its peak: 2,500 calls and 90 payments in a second. */
const journeysPerCall = 90 / 2500;
const cores = availableParallelism();

type Mix = "reads" | "reads and payments";

const ratesOf = (mix: Mix, calls: number): Rates => ({
  reads: calls * (1 - refreshes),
  refreshes: calls * refreshes,
  journeys: mix === "reads" ? 0 : calls * journeysPerCall,
});

const arrivals = ["reads", "refreshes", "journeys"] as const satisfies readonly Arrival[];

const countOf = (result: OpenLoadResult, part: "answered" | "failed"): number =>
  arrivals.reduce((sum, kind) => sum + result[kind][part], 0);

const keepsUp = (result: OpenLoadResult): boolean =>
  result.reads.p99 <= limitMilliseconds &&
  result.unanswered === 0 &&
  countOf(result, "failed") === 0;

function showResult(name: string, result: OpenLoadResult): void {
  const timesOf = ({ p50, p99 }: Arrived) => `${p50.toFixed(1)}, ${p99.toFixed(1)} ms`;
  const ran = arrivals.filter((kind) => result[kind].answered > 0);
  show(name, ...ran.map((kind) => `${kind} ${timesOf(result[kind])}`));
  const failures = countOf(result, "failed");
  const first = arrivals.map((kind) => result[kind].firstFailure).find((text) => text !== null);
  if (failures > 0) console.log(`  ${failures} failed, the first: ${first}`);
  if (result.unanswered > 0) console.log(`  ${result.unanswered} were not answered`);
}

/** Opens processes of one bank. The first makes the keys, so the others start after it. */
async function openProcesses(url: string, count: number, kept: string): Promise<BenchBank[]> {
  const opened: BenchBank[] = [];
  for (let number = 0; number < count; number += 1) {
    opened.push(await openBenchBank(url, { kept }));
  }
  return opened;
}

/** Starts a load of a bank, with its own TPPs and 10,000 accounts to read. */
async function prepareLoad(url: string, banks: readonly BenchBank[]): Promise<OpenLoadProcess> {
  const [first] = banks as [BenchBank];
  const reader = await authoriseReader(first);
  const { refresh_token } = reader.tokens;
  if (refresh_token === undefined) throw new Error("the bank gave no refresh token");
  const database = await openPostgres(url);
  const { consentId } = reader;
  await copyReadable(database, { consentId, accounts, now: Temporal.Now.instant() });
  await addEverybodysHistory(database, accounts, entries);
  await database.close();
  const base = "/api/open-banking/v4.0/aisp/accounts";
  const targets = Array.from({ length: accounts }, (_, index) => {
    const account = 1 + ((index * 6133) % accounts);
    const path = `${base}/${accountIdAt(account)}${index % 4 === 3 ? "" : "/transactions"}`;
    return { path, token: tokenOf(account) };
  });
  const { tpp, customers } = await prepareJourneys(first);
  return startOpenLoad({
    processes: banks.map(({ publicUrl, mtlsUrl }) => ({ publicUrl, mtlsUrl })),
    targets,
    reader: { tpp: reader.tpp, refreshTokens: [refresh_token] },
    payer: { tpp, customers: customers.slice(0, payers) },
    connections,
  });
}

/** CPU seconds of the bank's processes and of the database so far. */
async function cpuSeconds(banks: readonly BenchBank[]): Promise<number> {
  const times = await Promise.all(banks.map((bank) => bank.ask<CpuTime>({ name: "cpuTime" })));
  const own = times.reduce((sum, time) => sum + time.process, 0);
  return (own + (times[0]?.database ?? Number.NaN)) / 1000; // of all connections to the database
}

/** Runs the load at a rate. Returns the result, and the CPU seconds per call. */
async function runAt(load: OpenLoadProcess, banks: readonly BenchBank[], rates: Rates) {
  const before = await cpuSeconds(banks);
  const result = await load.run({ ...rates, warmUpSeconds, seconds });
  const calls = (rates.reads + rates.refreshes) * (warmUpSeconds + seconds);
  return { result, perCall: ((await cpuSeconds(banks)) - before) / calls };
}

/** Finds the highest rate of calls that the bank keeps up with. */
async function findHighest(load: OpenLoadProcess, banks: readonly BenchBank[], mix: Mix) {
  let best = { calls: 0, perCall: Number.NaN, p50: Number.NaN, p99: Number.NaN };
  let tooMany = Number.POSITIVE_INFINITY;
  const tryRate = async (calls: number): Promise<void> => {
    const { result, perCall } = await runAt(load, banks, ratesOf(mix, calls));
    showResult(`${banks.length} × bank, ${mix}, ${calls.toFixed(0)} calls/s`, result);
    if (keepsUp(result)) best = { calls, perCall, p50: result.reads.p50, p99: result.reads.p99 };
    else tooMany = calls;
    await delay(1000);
  };
  for (let calls = lowest; tooMany === Number.POSITIVE_INFINITY; calls *= 2) await tryRate(calls);
  for (let n = 0; n < refinements; n += 1) await tryRate((best.calls + tooMany) / 2);
  return best;
}

/** Kills one process while requests arrive. A request that it has not answered fails. */
async function killOne(load: OpenLoadProcess, banks: readonly BenchBank[], calls: number) {
  const running = load.run({ ...ratesOf("reads", calls), warmUpSeconds, seconds });
  await delay((warmUpSeconds + seconds / 3) * 1000);
  await banks.at(-1)?.kill();
  const result = await running;
  showResult(`one of ${banks.length} processes is killed, ${calls.toFixed(0)} calls/s`, result);
  return result;
}

const server = await startPostgres({ flushes: true });
const folders: string[] = [];
try {
  console.log(`\nArrivals at a fixed rate, ${cores} cores shared by bank, database and load`);
  let alone = 0;
  for (const count of new Set([1, cores])) {
    const kept = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
    folders.push(kept);
    const url = await server.createDatabase(`open_loop_${count}_${process.pid}`);
    const banks = await openProcesses(url, count, kept);
    const load = await prepareLoad(url, banks);
    for (const mix of ["reads", "reads and payments"] as const) {
      const { calls, perCall, p50, p99 } = await findHighest(load, banks, mix);
      if (count === 1 && mix === "reads") alone = calls;
      const of = `${mix}, ${count === 1 ? "1 process" : `${count} processes`}`;
      const at = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
      conclude({ name: `calls/s, ${of}`, value: calls, unit: "", aim: at });
      conclude({
        name: `calls for each core second, ${of}`,
        value: 1 / perCall,
        unit: "",
        aim: "",
      });
    }
    if (count > 1) {
      const { reads, ...others } = await killOne(load, banks, alone / 2);
      const failed = countOf({ reads, ...others }, "failed");
      conclude({ name: "failed calls when a process is killed", value: failed, unit: "", aim: "" });
      conclude({ name: "p99 of reads in that run", value: reads.p99, unit: "ms", aim: "no aim" });
    }
    load.close();
    for (const bank of count > 1 ? banks.slice(0, -1) : banks) await bank.close();
  }
} finally {
  await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

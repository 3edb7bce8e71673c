import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openPostgres } from "#src/storage/postgres.ts";
import { type BankProcess, quickTakeover, startBank } from "#test/attacks/bank-process.ts";
import { fillDatabase } from "#test/attacks/kills.ts";
import { untilSettled } from "#test/attacks/order-stream.ts";
import { type PostgresServer, startServer } from "#test/attacks/postgres-server.ts";
import { History } from "#test/model/history.ts";
import { type Finding, judge } from "#test/model/judge.ts";
import { ofClient } from "#test/model/judge-client.ts";
import { readBooks, readKeptEvents } from "#test/model/read-books.ts";
import { patienceMs } from "#test/until.ts";
import { copySource, replaceOnce, type SourceCopy } from "./copy-source.ts";
import type { FunctionPatch, PlantedFault } from "./faults.ts";
import { Workload } from "./workload.ts";

/** What became of a bank with a fault, or with none. */
export type PlantedReport = {
  name: string;
  calls: number;
  findings: Finding[];
  problem: string | null;
};

type Scene = { server: PostgresServer; source: SourceCopy; folder: string };

/**
 * Plants each fault in turn in a copy of the source, runs the workload at two processes of that
 * bank, and judges the history. The first run has no fault.
 */
export async function plantFaults(
  faults: readonly PlantedFault[],
  onReport: (report: PlantedReport, fault: PlantedFault | null) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-planted-data-"));
  const server = await startServer();
  const source = copySource();
  try {
    await fillDatabase(await server.createDatabase("template"));
    for (const fault of [null, ...faults]) {
      onReport(await tryFault(fault, { server, source, folder }), fault);
      source.restore();
    }
  } finally {
    await server.stop();
    rmSync(source.root, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryFault(fault: PlantedFault | null, scene: Scene): Promise<PlantedReport> {
  const { server, source, folder } = scene;
  const name = fault?.name ?? "no fault";
  const database = `planted_${Math.round(performance.now())}`;
  await query(server.urlOf("postgres"), `create database ${database} template template`);
  const url = server.urlOf(database);
  for (const patch of fault?.patches ?? []) {
    const problem = "file" in patch ? source.plant(patch) : await plantInDatabase(url, patch);
    if (problem !== null) return { name, calls: 0, findings: [], problem };
  }
  const history = new History();
  const banks: BankProcess[] = [];
  try {
    const settings = { DATABASE_URL: url, ...quickTakeover };
    // one after the other, because the first makes the keys
    for (const _ of [1, 2]) banks.push(await startBank(folder, settings, { root: source.root }));
    const workload = await Workload.open(banks as [BankProcess, BankProcess], history);
    await workload.run();
    workload.tpp.close();
    const { clientId } = workload.tpp.tpp;
    const on = await openPostgres(url, 1);
    await untilSettled(on, patienceMs);
    await readBooks(history, on, clientId);
    await readKeptEvents(history, on, clientId);
    await on.close();
    const calls = ofClient(history, clientId);
    return { name, calls: calls.length, findings: judge(calls), problem: null };
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
  }
}

/** Plants a fault in the database. Returns what is wrong with it, or null. */
async function plantInDatabase(
  url: string,
  patch: FunctionPatch | { statement: string },
): Promise<string | null> {
  if ("statement" in patch) {
    await query(url, patch.statement);
    return null;
  }
  const [row] = await query(url, `select pg_get_functiondef('${patch.function}'::regproc) as text`);
  const planted = replaceOnce(String(row?.text), patch.find, patch.replace);
  if (planted === null) return `${patch.function} does not contain this text once: ${patch.find}`;
  await query(url, planted);
  return null;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

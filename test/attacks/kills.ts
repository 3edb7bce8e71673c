import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#src/lib/clock.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { History } from "#test/model/history.ts";
import { judgeClient } from "#test/model/judge-client.ts";
import { patienceMs } from "#test/until.ts";
import { type BankProcess, quickTakeover, startBank } from "./bank-process.ts";
import { createDraw, type Draw } from "./fuzz/draw.ts";
import { type OrderStream, startOrders, untilSettled } from "./order-stream.ts";
import { type PostgresServer, startServer } from "./postgres-server.ts";

/** How often something is killed, and the seed that decides when. */
export type KillOptions = {
  rounds: number;
  seed: number;
  /** Where the calls are recorded. */
  history?: History;
  onProgress?(text: string): void;
};

/** The result of the attack. */
export type KillReport = {
  kills: Record<string, number>;
  acknowledged: number;
  /** Counts by status. `none` is a broken connection. */
  answers: Map<string, number>;
  findings: string[];
};

const ordersPerRound = 400;

/**
 * Kills two bank processes and their PostgreSQL server at random times under a load of signed
 * orders. After each kill everything is started again, the load must continue, and the invariants
 * must hold. At the end, the model judges what the TPP was told and what the database has.
 */
export async function killUnderLoad(options: KillOptions): Promise<KillReport> {
  const { rounds, seed, history = new History(), onProgress = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), "aldgate-kills-"));
  const server = await startServer();
  const banks: BankProcess[] = [];
  const findings: string[] = [];
  const kills: Record<string, number> = { bank: 0, postgres: 0, both: 0 };
  try {
    const url = await server.createDatabase("bank");
    await fillDatabase(url);
    // one after the other, because the first makes the keys
    const settings = { DATABASE_URL: url, ...quickTakeover };
    for (const _ of [1, 2]) banks.push(await startBank(folder, settings));
    const database = await openPostgres(url, 2);
    const stream = await startOrders(banks, database, {
      orders: ordersPerRound * rounds,
      history,
    });
    await database.close();
    const draw = createDraw(seed);
    for (let round = 0; round < rounds; round++) {
      // each kind of kill in turn
      const victim = (["bank", "postgres", "both"] as const)[round % 3] ?? "bank";
      await delay(300 + draw.below(1500));
      await strike(victim, { server, banks, draw });
      kills[victim] = (kills[victim] ?? 0) + 1;
      findings.push(...(await lookAfter(`kill ${round} (${victim})`, url, banks, stream)));
      onProgress(`kill ${round + 1} of ${rounds}, ${stream.acknowledged()} orders`);
    }
    await stream.finish();
    findings.push(...stream.faults, ...(await judgeOrders(url, stream)));
    return { kills, acknowledged: stream.acknowledged(), answers: stream.answers, findings };
  } finally {
    for (const bank of banks) if (bank.isAlive()) await bank.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Seeds a sandbox's database whose personas have few transactions, because the orders are the load.
 */
export async function fillDatabase(url: string): Promise<void> {
  const database = await openPostgres(url, 1);
  await migrate(database);
  await seedPersonas(database, { now: systemClock.now(), newest: 20 });
  await database.close();
}

type Scene = { server: PostgresServer; banks: BankProcess[]; draw: Draw };

async function strike(
  victim: "bank" | "postgres" | "both",
  { server, banks, draw }: Scene,
): Promise<void> {
  const bank = draw.pick(banks);
  if (victim !== "postgres") await bank.kill();
  if (victim !== "bank") {
    await server.kill();
    // a restart takes up to this long
    await delay(draw.below(2500));
    await server.start();
  }
  if (victim !== "postgres") await bank.reopen();
}

/**
 * Lists what is wrong after a kill: a dead or unready bank, no new orders, or a broken invariant.
 */
export async function lookAfter(
  when: string,
  url: string,
  banks: readonly BankProcess[],
  stream: OrderStream,
): Promise<string[]> {
  const findings: string[] = [];
  const before = stream.acknowledged();
  const deadline = performance.now() + patienceMs;
  for (const bank of banks) {
    if (!bank.isAlive()) findings.push(`${when}: a bank that was not killed has died`);
    while (!(await isReady(bank))) {
      if (performance.now() > deadline) {
        findings.push(`${when}: a bank is not ready after ${patienceMs / 1000} s`);
        break;
      }
      await delay(100);
    }
  }
  while (stream.acknowledged() === before && performance.now() < deadline) await delay(50);
  if (stream.acknowledged() === before) findings.push(`${when}: no order is acknowledged any more`);
  return [...findings, ...(await findBreaches(when, url))];
}

async function isReady({ publicUrl }: BankProcess): Promise<boolean> {
  const answer = await fetch(`${publicUrl}/health/ready`).catch(() => null);
  return answer?.status === 200;
}

/** Lists the broken invariants of a bank's database. */
export async function findBreaches(when: string, url: string): Promise<string[]> {
  return withDatabase(url, async (database) =>
    (await verifyInvariants(database)).map((breach) => `${when}: ${describeBreach(breach)}`),
  );
}

/** Judges the orders of a stream once the engines have processed everything due. */
export async function judgeOrders(url: string, stream: OrderStream): Promise<string[]> {
  return withDatabase(url, async (database) => {
    const settled = await untilSettled(database, patienceMs);
    return [
      ...(settled ? [] : ["the engines have not done what is due"]),
      ...(await judgeClient(stream.client.history, database, stream.client.tpp.clientId)),
      ...(await findBreaches("at the end", url)),
    ];
  });
}

async function withDatabase<T>(url: string, act: (database: Database) => Promise<T>): Promise<T> {
  // as `verify` does: on a busy machine, a check of all data may take longer than a request may
  const database = await openPostgres(url, 1, { statementSeconds: 0, transactionSeconds: 0 });
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}

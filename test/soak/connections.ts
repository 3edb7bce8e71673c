import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BankProcess, type Holdings, startBank } from "#test/attacks/bank-process.ts";
import {
  attackConnections,
  type ConnectionReport,
  type HostileSort,
} from "#test/attacks/connections.ts";
import { type Outcome, type Part, type PartOptions, sized } from "./part.ts";

// the number of connections of each sort at full size; the short form keeps the proportions
const full: Record<HostileSort, number> = {
  silent: 7400,
  slowHead: 1400,
  slowBody: 1400,
  halfHandshake: 6400,
  neverReading: 1400,
  pipelining: 600,
  reset: 1400,
};
const total = Object.values(full).reduce((sum, count) => sum + count);
// An idle bank collects its garbage after some seconds, and V8 returns the memory eight seconds
// later. If the memory has not fallen for longer than that, the bank still uses it.
const steadyMs = 15_000;
const backWithinMs = 60_000;
const descriptorsMore = 10;
const megabytesMore = 30;
// The bank's memory rises during the first 6,000 connections, and then no further.
const warmUpSize = 0.3;

/** The attack with hostile connections of seven sorts. */
export const connectionsPart: Part = {
  name: "connections",
  about: `two rounds of ${total} hostile connections of seven sorts to a bank with 1,024 descriptors`,
  async run(options) {
    if (process.platform !== "linux") {
      return { counts: {}, findings: [], skipped: "descriptors are counted in Linux's /proc" };
    }
    const folder = mkdtempSync(join(tmpdir(), "aldgate-soak-"));
    const bank = await startBank(folder, {}, { descriptors: 1024 });
    try {
      return await attack(bank, options);
    } finally {
      if (bank.isAlive()) await bank.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/**
 * Attacks twice. In the first round, the bank loads and compiles code that stays in memory. So the
 * memory after the first round is the base for the limit after the second.
 */
async function attack(bank: BankProcess, options: PartOptions): Promise<Outcome> {
  const fresh = bank.holdings();
  const first = await attackOnce(bank, { ...options, size: Math.max(warmUpSize, options.size) });
  const base = await untilSteady(bank);
  const second = await attackOnce(bank, { ...options, seed: options.seed + 1 });
  const limits = fresh && base && { ...base, descriptors: fresh.descriptors };
  const after = await untilBack(bank, limits);
  const rounds = [first, second];
  const findings = rounds.flatMap(({ honest }) =>
    honest.failures.map((failure) => `an honest call failed: ${failure}`),
  );
  const change = [fresh, base, after].map((one) => JSON.stringify(one)).join(", then ");
  if (!isBack(limits, after))
    findings.push(`the bank has not released memory or descriptors: ${change}`);
  const code = await bank.close();
  if (code !== 0) findings.push(`the bank ended with ${code} when it was asked to close`);
  const answers = rounds.map(
    ({ honest: { answered, slowestMilliseconds: slowest } }) =>
      `${answered}, the slowest ${slowest.toFixed(0)} ms`,
  );
  return {
    counts: {
      "hostile connections": rounds.map(({ opened }) => opened).join(", then "),
      "closed by the bank": rounds.map(({ closedByBank }) => closedByBank).join(", then "),
      "honest calls": answers.join("; "),
      "memory, descriptors": change,
    },
    findings,
  };
}

const attackOnce = (bank: BankProcess, options: PartOptions): Promise<ConnectionReport> =>
  attackConnections({
    publicPort: Number(new URL(bank.publicUrl).port),
    mtlsPort: Number(new URL(bank.mtlsUrl).port),
    counts: Object.fromEntries(
      Object.entries(full).map(([sort, count]) => [sort, sized(count, options)]),
    ) as typeof full, // the keys are the same
    seed: options.seed,
    from: ["127.0.1.1", "127.0.1.2", "127.0.1.3"],
    atOnce: 1500,
    perSecond: 400,
    holdSeconds: 3,
    path: "/openapi/pisp-v4.0.json",
    honestFrom: "127.0.0.1",
  });

/** Waits until the bank's memory no longer falls, and returns its holdings. */
async function untilSteady(bank: BankProcess): Promise<Holdings | null> {
  const deadline = performance.now() + backWithinMs;
  let lowest = bank.holdings();
  let fellAt = performance.now();
  while (performance.now() < Math.min(deadline, fellAt + steadyMs)) {
    await delay(200);
    const now = bank.holdings();
    if (!now || !lowest || now.megabytes >= lowest.megabytes) continue;
    lowest = now;
    fellAt = performance.now();
  }
  return lowest;
}

/** Waits until the bank is back within its limits, and returns its holdings at the end. */
async function untilBack(bank: BankProcess, limits: Holdings | null): Promise<Holdings | null> {
  const deadline = performance.now() + backWithinMs;
  for (;;) {
    const now = bank.holdings();
    if (isBack(limits, now) || performance.now() > deadline) return now;
    await delay(200);
  }
}

const isBack = (limits: Holdings | null, now: Holdings | null): boolean =>
  limits !== null &&
  now !== null &&
  now.descriptors <= limits.descriptors + descriptorsMore &&
  now.megabytes <= limits.megabytes + megabytesMore;

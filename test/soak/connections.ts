import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type BankProcess, startBank } from "#test/attacks/bank-process.ts";
import { attackConnections, type HostileSort } from "#test/attacks/connections.ts";
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
// later.
const backWithinMs = 60_000;
const descriptorsMore = 10;
const megabytesMore = 30;

/** The attack with hostile connections of seven sorts. */
export const connectionsPart: Part = {
  name: "connections",
  about: `${total} hostile connections of seven sorts to a bank with 1,024 descriptors`,
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

async function attack(bank: BankProcess, options: PartOptions): Promise<Outcome> {
  const counts = Object.fromEntries(
    Object.entries(full).map(([sort, count]) => [sort, sized(count, options)]),
  ) as typeof full; // the keys are the same
  const findings: string[] = [];
  const before = bank.holdings();
  const { opened, closedByBank, honest } = await attackConnections({
    publicPort: Number(new URL(bank.publicUrl).port),
    mtlsPort: Number(new URL(bank.mtlsUrl).port),
    counts,
    seed: options.seed,
    from: ["127.0.1.1", "127.0.1.2", "127.0.1.3"],
    atOnce: 1500,
    perSecond: 400,
    holdSeconds: 3,
    path: "/docs",
    honestFrom: "127.0.0.1",
  });
  findings.push(...honest.failures.map((failure) => `an honest call failed: ${failure}`));
  const deadline = performance.now() + backWithinMs;
  let after = bank.holdings();
  const isBack = (): boolean =>
    before !== null &&
    after !== null &&
    after.descriptors <= before.descriptors + descriptorsMore &&
    after.megabytes <= before.megabytes + megabytesMore;
  while (!isBack() && performance.now() < deadline) {
    await delay(200);
    after = bank.holdings();
  }
  const change = `${JSON.stringify(before)}, then ${JSON.stringify(after)}`;
  if (!isBack()) findings.push(`the bank does not give back what it took: ${change}`);
  const code = await bank.close();
  if (code !== 0) findings.push(`the bank ended with ${code} when it was asked to close`);
  return {
    counts: {
      "hostile connections": opened,
      "closed by the bank": closedByBank,
      "honest calls": `${honest.answered}, the slowest ${honest.slowestMilliseconds.toFixed(0)} ms`,
      "memory, descriptors": change,
    },
    findings,
  };
}

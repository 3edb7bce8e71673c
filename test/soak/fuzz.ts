import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inspect } from "node:util";
import { type BankProcess, type Holdings, startBank } from "#test/attacks/bank-process.ts";
import { type FuzzReport, fuzz } from "#test/attacks/fuzz/fuzz.ts";
import { startPostgres } from "#test/postgres.ts";
import { type Outcome, type Part, type PartOptions, sized } from "./part.ts";

const fullRequests = 100_000;
// allows for caches, compiled code and connection pools
const megabytesMore = 150;
const descriptorsMore = 60;
const settlesWithinMs = 20_000;

/** The fuzzer, against a bank in a separate process on PostgreSQL. */
export const fuzzPart: Part = {
  name: "fuzz",
  about: `${fullRequests} hostile requests to every operation, OAuth endpoint and page`,
  async run(options) {
    const folder = mkdtempSync(join(tmpdir(), "aldgate-soak-"));
    const postgres = await startPostgres();
    const bank = await startBank(folder, {
      DATABASE_URL: await postgres.createDatabase("fuzz"),
      // a request waits less than the fuzzer does
      EVENT_LONG_POLL_SECONDS: "1",
      // the wait after wrong logins is not tested here, and would delay the approvals of consents
      LOGIN_FAILURES_PER_MINUTE: "0",
      // a refusal for its rate would hide how a request is checked
      REGISTRATION_PER_MINUTE: "0",
    });
    try {
      return await attack(bank, options);
    } catch (error) {
      const ending = bank.ending();
      if (ending === null) throw error;
      return { counts: {}, findings: [`the bank has died: ${ending}`, inspect(error)] };
    } finally {
      if (bank.isAlive()) await bank.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function attack(bank: BankProcess, options: PartOptions): Promise<Outcome> {
  const { seed, request, say } = options;
  const requests = sized(fullRequests, options);
  // measured after a warm-up, because the bank keeps what the first requests load
  const before = await warmUp(bank, seed);
  const report = await fuzz(bank, {
    seed,
    requests,
    ...(request === null ? {} : { only: request }),
    onProgress: (done) => {
      if (done % 5000 < 500) say(`${done} of ${requests} requests`);
    },
  });
  const after = await settle(bank, before);
  const findings = [
    ...report.findings.map(({ fault, count, first }) => `${count} times: ${fault}\n    ${first}`),
    ...judgeLog(bank.log),
    ...judgeHoldings(before, after),
    ...(bank.isAlive() ? [] : [`the bank has died: ${bank.ending()}`]),
  ];
  return { counts: countsOf(report, before, after), findings };
}

async function warmUp(bank: BankProcess, seed: number): Promise<Holdings | null> {
  await fuzz(bank, { seed: seed + 1, requests: 500 });
  return bank.holdings();
}

/**
 * Waits until kept-alive connections are closed, so that memory and descriptors are the bank's own.
 */
async function settle(bank: BankProcess, before: Holdings | null): Promise<Holdings | null> {
  const deadline = performance.now() + settlesWithinMs;
  for (;;) {
    const now = bank.holdings();
    if (!now || !before || isBack(before, now) || performance.now() > deadline) return now;
    await delay(500);
  }
}

const isBack = (before: Holdings, now: Holdings): boolean =>
  now.megabytes <= before.megabytes + megabytesMore &&
  now.descriptors <= before.descriptors + descriptorsMore;

function judgeHoldings(before: Holdings | null, after: Holdings | null): string[] {
  if (!before || !after || isBack(before, after)) return [];
  return [`the bank kept ${JSON.stringify(after)}, and had ${JSON.stringify(before)} before`];
}

type LogLine = { msg: string; err?: { stack?: string }; path?: string };

/** Returns the unexpected errors in the log. Refusals are expected. */
function judgeLog(log: readonly string[]): string[] {
  const kinds = new Map<string, number>();
  for (const line of log) {
    const { msg, err, path } = JSON.parse(line) as LogLine;
    const kind = `${msg} ${path ?? ""} ${(err?.stack ?? "").split("\n").slice(0, 6).join("\n    ")}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} times in the log: ${kind}`);
}

function countsOf(report: FuzzReport, before: Holdings | null, after: Holdings | null) {
  const statuses = [...report.statuses].sort(([a], [b]) => a - b);
  return {
    requests: report.sent,
    "kinds of request": report.origins.size,
    answers: statuses.map(([status, count]) => `${status || "closed"}: ${count}`).join(", "),
    ...(before && after
      ? {
          memory: `${before.megabytes} MB, then ${after.megabytes} MB`,
          descriptors: `${before.descriptors}, then ${after.descriptors}`,
        }
      : { memory: "not known on this system" }),
  };
}

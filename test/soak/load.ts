import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "#src/config/config.ts";
import { startBank } from "#test/attacks/bank-process.ts";
import { startServer } from "#test/attacks/postgres-server.ts";
import { attackAsOneTpp, type BudgetReport, overload } from "#test/attacks/work-budget.ts";
import { type Part, sized } from "./part.ts";

const full = 60;

/** The attack on the time of a process: by one TPP, and by more requests than it can serve. */
export const loadPart: Part = {
  name: "load",
  about: `${full} seconds of one TPP at full rate on every endpoint, and as long of double load`,
  async run(options) {
    const server = await startServer();
    const folder = mkdtempSync(join(tmpdir(), "aldgate-soak-"));
    const seconds = Math.max(4, sized(full, options));
    const given = { seconds, say: options.say };
    const database = { DATABASE_URL: await server.createDatabase("load") };
    const byDefault = loadConfig({});
    const late = { LATE_AFTER_MILLISECONDS: String(byDefault.LATE_AFTER_MILLISECONDS) };
    const callers = {
      ...late,
      RATE_LIMIT_PER_SECOND: String(byDefault.RATE_LIMIT_PER_SECOND),
      RATE_LIMIT_PER_CALLER: String(byDefault.RATE_LIMIT_PER_CALLER),
      BYTES_PER_SECOND: String(byDefault.BYTES_PER_SECOND),
      REQUESTS_IN_PROGRESS: String(byDefault.REQUESTS_IN_PROGRESS),
    };
    try {
      const one = await withBank(folder, { ...database, ...callers }, (bank) =>
        attackAsOneTpp(bank, given),
      );
      const second = join(folder, "beside");
      mkdirSync(second);
      const apart = { DATABASE_URL: await server.createDatabase("beside") };
      const many = await withBank(second, apart, (beside) =>
        withBank(folder, { ...database, ...late }, (bank) => overload(bank, beside, given)),
      );
      return {
        counts: {
          "one hostile TPP": describe(one),
          [`${many.perSecond} reads per second, twice what the process can do`]: describe(many),
        },
        findings: [...one.findings, ...many.findings],
      };
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function withBank<T>(
  folder: string,
  settings: Record<string, string>,
  work: (bank: Awaited<ReturnType<typeof startBank>>) => Promise<T>,
): Promise<T> {
  const bank = await startBank(folder, settings);
  try {
    return await work(bank);
  } finally {
    await bank.close();
  }
}

function describe({ medians, beside, reads, sent }: BudgetReport): string {
  const texts = Object.entries(medians).map(([when, ms]) => `${when} ${ms.toFixed(1)} ms`);
  if (beside !== null) texts.push(`at a bank beside it ${beside.toFixed(1)} ms`);
  const counted = (counts: Record<string, number>) =>
    Object.entries(counts).map(([status, times]) => `${status}: ${times}`);
  return [
    `median read ${texts.join(", ")}`,
    `reads ${counted(reads).join(", ")}`,
    ...Object.entries(sent).map(([name, counts]) => `${name} ${counted(counts).join(", ")}`),
  ].join("; ");
}

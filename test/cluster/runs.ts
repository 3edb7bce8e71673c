import { readFileSync, writeFileSync } from "node:fs";
import { countOf } from "#src/lib/plain-text.ts";
import { type WrittenTable, writtenTable } from "#test/soak/written-table.ts";
import type { ClusterReport, FaultCount } from "./attack.ts";
import { faults } from "./faults.ts";

/** What a whole run of the attack has shown. */
export type Run = {
  day: string;
  seed: number;
  faults: Record<string, Pick<FaultCount, "strikes" | "longestStop">>;
  kills: number;
  failovers: number;
  acknowledged: number;
  /** How often all databases were lost and restored from the backup. */
  restores: number;
  findings: number;
};

const file = new URL("runs.json", import.meta.url);

/** The page's tables. */
export const table: WrittenTable = writtenTable("cluster", "more-than-one-machine.md");

/** Returns the runs that were noted. */
export const readRuns = (): Run[] => JSON.parse(readFileSync(file, "utf8"));

/** Notes a run beside the earlier ones, also one with findings, and writes the tables anew. */
export function noteRun(seed: number, report: ClusterReport): void {
  const { kills, failovers, acknowledged, restore, findings } = report;
  const run: Run = {
    day: Temporal.Now.plainDateISO("UTC").toString(),
    seed,
    faults: Object.fromEntries(
      Object.entries(report.faults).map(([name, { strikes, longestStop }]) => [
        name,
        { strikes, longestStop },
      ]),
    ),
    kills,
    failovers,
    acknowledged,
    restores: restore === null ? 0 : 1,
    findings: findings.length,
  };
  const runs = [...readRuns(), run];
  writeFileSync(file, `${JSON.stringify(runs, null, 2)}\n`);
  table.write(runTables(runs));
}

/** The sums of all runs of each day and of all days, and what each fault costs. */
export function runTables(runs: readonly Run[]): string {
  const days = [...new Set(runs.map(({ day }) => day))];
  const rows = days.map((day) => {
    const ofDay = runs.filter((run) => run.day === day);
    return sumRow(`${day}, seeds ${ofDay.map(({ seed }) => seed).join(", ")}`, ofDay);
  });
  return [
    "| Runs | Kills | Failovers | Orders acknowledged | Restores | Findings |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
    sumRow(`${countOf(runs.length, "run", "runs")} in all`, runs),
    "",
    "| Fault | What happens | How often | Service stopped for at most |",
    "| --- | --- | --- | --- |",
    ...faults.map(({ name, happens }) => {
      const counts = runs.flatMap((run) => run.faults[name] ?? []);
      const strikes = counts.reduce((sum, count) => sum + count.strikes, 0);
      const stop = Math.max(...counts.map(({ longestStop }) => longestStop));
      return rowOf(`\`${name}\``, happens, strikes, strikes > 0 ? `${stop} s` : "not struck yet");
    }),
    "",
  ].join("\n");
}

const summed = ["kills", "failovers", "acknowledged", "restores", "findings"] as const;

const sumRow = (name: string, runs: readonly Run[]): string =>
  rowOf(name, ...summed.map((what) => runs.reduce((sum, run) => sum + run[what], 0)));

const rowOf = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => cell.toLocaleString("en-GB")).join(" | ")} |`;

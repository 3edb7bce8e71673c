import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { countOf } from "#src/lib/plain-text.ts";
import { hashOf } from "#test/model/read-call.ts";
import { type WrittenTable, writtenTable } from "#test/soak/written-table.ts";
import { commandLists } from "./commands.ts";

/** What a run with `--record` has simulated. */
export type Run = {
  commit: string;
  /** Which commands there were. */
  drawn: string;
  seed: number;
  banks: number;
  commands: number;
  /** The time of the banks, in days. */
  days: number;
  findings: number;
};

const file = new URL("runs.json", import.meta.url);
const daysOfYear = 365.25;

/** Days as years, with one decimal. */
export const yearsOf = (days: number): string => (days / daysOfYear).toFixed(1);

/** The page's table. */
export const table: WrittenTable = writtenTable("simulate", "broken-on-purpose.md");

/**
 * Names the present commands by what a seed draws from them. With another name, a seed makes other
 * banks.
 */
export function drawnNow(): string {
  const lists = fc.sample(commandLists(160, new Map()), { numRuns: 5, seed: 1 });
  return hashOf(lists.flatMap((list) => [...list].map(String)).join("\n")).slice(0, 8);
}

/** Returns the runs that were noted. */
export const readRuns = (): Run[] => JSON.parse(readFileSync(file, "utf8"));

/** Notes what a run has simulated so far, in place of what it noted before. */
export function noteRun(given: Omit<Run, "commit" | "drawn">): void {
  const commit = execFileSync("git", ["rev-parse", "--short=10", "HEAD"], { encoding: "utf8" });
  const run = { commit: commit.trim(), drawn: drawnNow(), ...given };
  const isSame = (other: Run): boolean =>
    other.commit === run.commit && other.drawn === run.drawn && other.seed === run.seed;
  const runs = [...readRuns().filter((other) => !isSame(other)), run];
  writeFileSync(file, `${JSON.stringify(runs, null, 2)}\n`);
  table.write(runTable(runs, run.drawn));
}

/** The runs with the present commands and their sum, and the sum of the runs before. */
export function runTable(runs: readonly Run[], drawn: string): string {
  const present = runs.filter((run) => run.drawn === drawn);
  const earlier = runs.filter((run) => run.drawn !== drawn);
  const counted = (those: readonly Run[]): string => countOf(those.length, "run", "runs");
  return [
    "| Runs | Banks | Commands | Bank-years | Findings |",
    "| --- | --- | --- | --- | --- |",
    ...present.map((run) => sumRow(`${run.commit}, seed ${run.seed}`, [run])),
    sumRow(`**${counted(present)} with the present commands**`, present),
    ...(earlier.length > 0 ? [sumRow(`${counted(earlier)} with earlier commands`, earlier)] : []),
    "",
  ].join("\n");
}

function sumRow(name: string, runs: readonly Run[]): string {
  const sum = (what: "banks" | "commands" | "days" | "findings"): number =>
    runs.reduce((all, run) => all + run[what], 0);
  const cells = [sum("banks"), sum("commands"), yearsOf(sum("days")), sum("findings")];
  return `| ${[name, ...cells].join(" | ")} |`;
}

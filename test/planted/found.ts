import { readFileSync, writeFileSync } from "node:fs";
import { drawnNow } from "#test/simulation/runs.ts";
import { type WrittenTable, writtenTable } from "#test/soak/written-table.ts";
import { plantedFaults } from "./faults.ts";
import type { Finder, PlantedFault } from "./planted-fault.ts";

/** How a fault was found last: after so much of the load, or of a simulation of that seed. */
export type FoundBy = {
  load?: { calls: number };
  /** With other commands than those that were `drawn`, the seed makes other banks. */
  simulation?: { seed: number; drawn: string; banks: number; commands: number; rule: string };
};

/** How each fault was found last, by its name. */
export type Found = Record<string, FoundBy>;

const file = new URL("found.json", import.meta.url);

/** The page's table. */
export const table: WrittenTable = writtenTable("planted", "broken-on-purpose.md");

/** Returns what was noted last. */
export const readFound = (): Found => JSON.parse(readFileSync(file, "utf8"));

/** Notes how faults were found, beside what other runs have found, and writes the table anew. */
export function noteFound(found: Found): void {
  const earlier = readFound();
  const kept = plantedFaults.flatMap(({ name }) => {
    const by = { ...earlier[name], ...found[name] };
    return Object.keys(by).length > 0 ? [[name, by]] : [];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  table.write(foundTable(readFound()));
}

/** Whether a simulation still finds a fault with the seed that was noted. */
export const hasSeed = ({ simulation }: FoundBy = {}, drawn = drawnNow()): boolean =>
  simulation?.drawn === drawn;

/** The table of who finds what, and how much they have found. */
export function foundTable(found: Found): string {
  const drawn = drawnNow();
  const simulated = plantedFaults.filter(({ rules }) => rules.simulation);
  const seeded = simulated.filter(({ name }) => hasSeed(found[name], drawn));
  return [
    `Together, the two attacks have found ${Object.keys(found).length} of ${plantedFaults.length} ` +
      `errors. With the present commands, ${seeded.length} of ${simulated.length} errors have a ` +
      "seed.",
    "",
    "| Fault | Rule that finds it | Load | Simulation | Seed |",
    "| --- | --- | --- | --- | --- |",
    ...plantedFaults.map((fault) => rowOf(fault, found[fault.name] ?? {}, drawn)),
    "",
  ].join("\n");
}

function rowOf({ name, rules }: PlantedFault, found: FoundBy, drawn: string): string {
  const { banks = 0, commands, rule } = found.simulation ?? {};
  const seed = hasSeed(found, drawn) ? found.simulation?.seed : "";
  const other = rule === rules.simulation ? "" : `: ${rule}`;
  const texts: Record<Finder, string> = {
    load: "found",
    simulation: `${banks} ${banks === 1 ? "bank" : "banks"}, ${commands} commands${other}`,
  };
  const cellOf = (finder: Finder): string =>
    found[finder] ? texts[finder] : rules[finder] === undefined ? "" : "not noted yet";
  const named = [...new Set(Object.values(rules))].join("; ");
  return `| ${[name, named, cellOf("load"), cellOf("simulation"), seed].join(" | ")} |`;
}

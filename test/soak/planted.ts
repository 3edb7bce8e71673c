import { rmSync } from "node:fs";
import { copySource } from "#test/planted/copy-source.ts";
import { plantedFaults } from "#test/planted/faults.ts";
import { type Found, type FoundBy, hasSeed, noteFound, readFound } from "#test/planted/found.ts";
import { LoadFinder } from "#test/planted/load-finder.ts";
import type { DatabasePatch, Finder, Patch, PlantedFault } from "#test/planted/planted-fault.ts";
import { SimulationFinder } from "#test/planted/simulation-finder.ts";
import { drawnNow } from "#test/simulation/runs.ts";
import { type Part, type PartOptions, sized } from "./part.ts";

const mostBanks = 40;

/** What an attack has found: the rules that are broken, and how much it took. */
type Attempt = {
  broken: readonly string[];
  findings: readonly string[];
  /** What is noted if a fault was found by that rule. */
  took(rule: string): FoundBy;
};

/** Attacks a bank with these faults in its source and its database. */
type Attack = (root: string, planted: readonly DatabasePatch[]) => Promise<Attempt>;

type OpenAttack = { attack: Attack; close(): Promise<void> };

/** Opens the attacks by which faults are found, by the name of the finder. */
const openers: Record<Finder, (options: PartOptions) => Promise<OpenAttack>> = {
  async load() {
    const load = await LoadFinder.open();
    return {
      async attack(root, planted) {
        const { calls, findings } = await load.run(root, planted);
        const texts = findings.map(({ text }) => text);
        return {
          broken: findings.map(({ rule }) => rule),
          findings: texts,
          took: () => ({ load: { calls } }),
        };
      },
      close: () => load.close(),
    };
  },
  async simulation({ seed, ...options }) {
    const simulation = await SimulationFinder.open();
    const banks = options.banks ?? sized(mostBanks, options);
    return {
      async attack(root, planted) {
        const report = await simulation.run(root, planted, { banks, seed });
        const { runs, commands } = report;
        const took = { seed, drawn: drawnNow(), banks: runs, commands };
        return { ...report, took: (rule) => ({ simulation: { ...took, rule } }) };
      },
      close: async () => simulation.close(),
    };
  },
};

/** Opens the attacks that somebody needs for these faults. */
async function openAttacks(
  faults: readonly PlantedFault[],
  options: PartOptions,
): Promise<Map<Finder, OpenAttack>> {
  const opened = new Map<Finder, OpenAttack>();
  for (const finder of Object.keys(openers) as Finder[]) {
    if (options.missing && finder !== "simulation") continue;
    if (!faults.some(({ rules }) => finder in rules)) continue;
    opened.set(finder, await openers[finder](options));
  }
  return opened;
}

const isOfFile = (patch: Patch | DatabasePatch): patch is Patch => "file" in patch;

/** The part that attacks the judge: each fault that is planted in the bank must be found. */
export const plantedPart: Part = {
  name: "planted",
  about: `${plantedFaults.length} faults, planted one at a time in a copy of the source, each to be found`,
  async run(options) {
    const { only, missing, say } = options;
    const noted = readFound();
    const faults = plantedFaults.filter(
      ({ name, rules }) =>
        (only.length === 0 || only.some((part) => name.includes(part))) &&
        (!missing || (rules.simulation && !hasSeed(noted[name]))),
    );
    const isPart = only.length > 0 || missing;
    const findings: string[] = [];
    const found: Found = {};
    const source = copySource();
    const attacks = await openAttacks(faults, options);
    try {
      // who looks for one fault again knows that there is no other
      for (const [finder, { attack }] of isPart ? [] : attacks) {
        const { broken, findings: texts } = await attack(source.root, []);
        say(`no fault, ${finder}: ${broken.join("; ") || "no finding"}`);
        findings.push(...texts);
      }
      for (const { name, patches, rules } of faults) {
        for (const patch of patches.filter(isOfFile)) source.plant(patch);
        const planted = patches.filter((patch): patch is DatabasePatch => !isOfFile(patch));
        for (const [finder, { attack }] of attacks) {
          const rule = rules[finder];
          if (rule === undefined) continue;
          const { broken, took } = await attack(source.root, planted);
          say(`${name}, ${finder}: ${[...new Set(broken)].join("; ") || "no finding"}`);
          const by = broken.includes(rule) || finder === "load" ? rule : broken[0];
          const isFound = by !== undefined && broken.includes(by);
          if (isFound) found[name] = { ...found[name], ...took(by) };
          else findings.push(`${name}: the ${finder} does not find it by the rule "${rule}"`);
        }
        // at once, so that a run that is cut off leaves what it has found
        if (found[name]) noteFound({ [name]: found[name] });
        source.restore();
      }
    } finally {
      for (const { close } of attacks.values()) await close();
      rmSync(source.root, { recursive: true, force: true });
    }
    return {
      counts: { "planted faults": faults.length, found: Object.keys(found).length },
      findings,
    };
  },
};

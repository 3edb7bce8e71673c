import { inspect } from "node:util";
import fc from "fast-check";
import type { ServerOptions } from "#src/server/open-server.ts";
import type { DatabasePatch } from "#test/planted/planted-fault.ts";
import { commandLists, type Tally } from "./commands.ts";
import { emptyKnown } from "./known.ts";
import { type Fault, Simulation } from "./simulation.ts";

const usualCommands = 160;

/** How much is simulated, and from which seed. */
export type SimulationPlan = {
  template: string;
  /** When the time of the banks begins. */
  beginning: string;
  seed: number;
  /** How many banks are simulated, one after the other. */
  runs: number;
  /** The most commands that one bank is given. With another number, a seed makes other banks. */
  commands?: number | undefined;
  /** The place of one bank among those of the seed, as a failed run names it. */
  path?: string | undefined;
  /** Which of its commands were run, as a failed run names it. */
  replay?: string | undefined;
  /** Looks for the shortest list that fails; otherwise the first that fails is shown. */
  shrinks?: boolean;
  /** Faults in the database of each bank. */
  planted?: readonly DatabasePatch[];
  generateKey?: ServerOptions["generateKey"];
};

/** What was simulated, and found. */
export type SimulationReport = {
  runs: number;
  commands: number;
  tally: Record<string, number>;
  /** What was judged. */
  calls: number;
  /** The time of the banks, in days. */
  days: number;
  /** The time of the processor that this took, in seconds. */
  seconds: number;
  findings: string[];
  /** The rules that are broken. */
  broken: string[];
  /** The commands of the bank that failed. */
  failed: string[];
  /** How to repeat it. */
  again: string | null;
};

/** A history that breaks a rule. */
class Found extends Error {
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super(faults.map(({ text }) => text).join("\n"));
    this.faults = faults;
  }
}

/** Simulates banks until one fails, or all are done. */
export async function runSimulations(plan: SimulationPlan): Promise<SimulationReport> {
  const { template, beginning, seed, runs, path, replay, shrinks = false } = plan;
  const { planted = [], generateKey, commands = usualCommands } = plan;
  const tally: Tally = new Map();
  const before = process.cpuUsage();
  const total = { runs: 0, calls: 0, days: 0 };
  const property = fc.asyncProperty(
    commandLists(commands, tally, replay),
    // another order of events is another bank, not a simpler one
    fc.noShrink(fc.nat({ max: 2 ** 31 - 1 })),
    async (list, draw) => {
      const simulation = await Simulation.open({
        template,
        beginning: Temporal.Instant.from(beginning),
        seed: draw,
        planted,
        generateKey,
      });
      try {
        await fc.asyncModelRun(() => ({ model: emptyKnown(), real: simulation }), list);
        const faults = await simulation.judge();
        total.runs += 1;
        total.calls += simulation.history.calls().length;
        total.days += simulation.now.since(simulation.beginning).total("hours") / 24;
        if (faults.length > 0) throw new Found(faults);
      } finally {
        await simulation.close();
      }
    },
  );
  const result = await fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: !shrinks,
    // otherwise most of the first lists would be short
    unbiased: true,
    ...(path === undefined ? {} : { path }),
  });
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1_000_000;
  const counts = {
    ...total,
    seconds,
    commands: [...tally.values()].reduce((all, one) => all + one, 0),
  };
  const report = { ...counts, tally: Object.fromEntries(tally) };
  if (!result.failed) return { ...report, findings: [], broken: [], failed: [], again: null };
  const { errorInstance: error, counterexample, counterexamplePath } = result;
  const [list] = counterexample ?? [];
  const text = String(list);
  const replayed = /replayPath="(.*)"/.exec(text)?.[1] ?? "";
  const most = commands === usualCommands ? "" : ` --commands ${commands}`;
  return {
    ...report,
    findings: error instanceof Found ? error.faults.map(({ text }) => text) : [inspect(error)],
    broken: error instanceof Found ? [...new Set(error.faults.map(({ rule }) => rule))] : [],
    failed: text.replace(/\/\*.*\*\//, "").split(/,(?=[a-z])/),
    again:
      `npm run soak -- simulate --begin ${beginning} --seed ${seed}${most}` +
      ` --path ${counterexamplePath} --replay '${replayed}'`,
  };
}

import type { SimulationReport } from "#test/simulation/run-simulations.ts";
import { noteRun, yearsOf } from "#test/simulation/runs.ts";
import {
  banksOfProcess,
  prepareGround,
  removeGround,
  simulateApart,
} from "#test/simulation/simulate.ts";
import { type Part, sized } from "./part.ts";

const full = 200;
// One for each core of a small machine.
const atOnce = 2;

const nightSeconds = 8 * 3600;

/** The part that simulates banks: their time, network, database and core are the seed's. */
export const simulatePart: Part = {
  name: "simulate",
  about: `${full} simulated banks of two processes, whose time, network and failures a seed decides`,
  async run({ seed, begin, path, replay, banks, say, ...options }) {
    const commands = options.commands ?? undefined;
    const ground = await prepareGround(begin ?? undefined);
    const total = { runs: 0, commands: 0, calls: 0, days: 0, seconds: 0 };
    const tally = new Map<string, number>();
    const findings: string[] = [];
    const note = (report: SimulationReport): void => {
      for (const name of Object.keys(total) as (keyof typeof total)[]) {
        total[name] += report[name];
      }
      for (const [name, times] of Object.entries(report.tally)) {
        tally.set(name, (tally.get(name) ?? 0) + times);
      }
      if (report.again === null) return;
      const steps = report.failed.map((step) => `    ${step}`);
      const again = `The same again: ${report.again}`;
      findings.push([...report.findings, "After these commands:", ...steps, again].join("\n  "));
    };
    try {
      if (path !== null) {
        const place = { path, replay: replay ?? undefined };
        note(await simulateApart(ground, { seed, commands, runs: 1, ...place }));
      } else {
        const wanted = banks ?? sized(full, options);
        let begun = 0;
        const work = async (): Promise<void> => {
          while (begun < wanted && findings.length === 0) {
            const runs = Math.min(banksOfProcess, wanted - begun);
            // each process has a seed of its own, which repeats its banks alone
            const own = seed + begun / banksOfProcess;
            begun += runs;
            note(await simulateApart(ground, { seed: own, commands, runs, shrinks: true }));
            say(`${total.runs} banks, ${yearsOf(total.days)} years of theirs`);
            // at once, so that a run that is cut off leaves what it has done
            if (options.record) {
              const { runs: banks, commands, days } = total;
              noteRun({ seed, banks, commands, days, findings: findings.length });
            }
          }
        };
        await Promise.all(Array.from({ length: atOnce }, work));
      }
    } finally {
      removeGround(ground);
    }
    return {
      counts: {
        "simulated banks": total.runs,
        commands: total.commands,
        "judged calls": total.calls,
        "bank-years": yearsOf(total.days),
        "bank-years in 8 hours of a core": yearsOf((total.days / total.seconds) * nightSeconds),
        ...Object.fromEntries([...tally].sort()),
      },
      findings,
    };
  },
};

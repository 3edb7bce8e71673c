import type { SimulationReport } from "#test/simulation/run-simulations.ts";
import {
  banksOfProcess,
  prepareGround,
  removeGround,
  type SimulationGround,
  simulateApart,
} from "#test/simulation/simulate.ts";
import type { DatabasePatch } from "./planted-fault.ts";

/** Simulates banks in whose source and databases faults are planted. */
export class SimulationFinder {
  readonly #ground: SimulationGround;

  private constructor(ground: SimulationGround) {
    this.#ground = ground;
  }

  static async open(): Promise<SimulationFinder> {
    return new SimulationFinder(await prepareGround());
  }

  /** Simulates banks until one breaks a rule. Returns what all of them did, and what was found. */
  async run(
    root: string,
    planted: readonly DatabasePatch[],
    { banks, seed }: { banks: number; seed: number },
  ): Promise<Pick<SimulationReport, "runs" | "commands" | "broken" | "findings" | "again">> {
    const total = { runs: 0, commands: 0 };
    for (let process = 0; ; process += 1) {
      const runs = Math.min(banksOfProcess, banks - total.runs);
      const plan = { seed: seed + process, runs, planted };
      const report = await simulateApart(this.#ground, plan, root);
      total.runs += report.runs;
      total.commands += report.commands;
      if (report.again !== null || total.runs >= banks) return { ...report, ...total };
    }
  }

  close(): void {
    removeGround(this.#ground);
  }
}

import { describe } from "#test/model/judge.ts";
import { plantedFaults } from "#test/planted/faults.ts";
import { plantFaults } from "#test/planted/plant-faults.ts";
import type { Part } from "./part.ts";

/** The part that attacks the judge: each fault that is planted in the bank must be found. */
export const plantedPart: Part = {
  name: "planted",
  about: `${plantedFaults.length} faults, planted one at a time in a copy of the source, each to be found`,
  async run({ say }) {
    const findings: string[] = [];
    let found = 0;
    let calls = 0;
    await plantFaults(plantedFaults, (report, fault) => {
      calls += report.calls;
      const broken = [...new Set(report.findings.map(({ rule }) => rule))];
      say(`${report.name}: ${report.problem ?? (broken.join("; ") || "no finding")}`);
      if (report.problem !== null) findings.push(`${report.name}: ${report.problem}`);
      else if (fault === null) findings.push(...report.findings.map(describe));
      else if (broken.includes(fault.rule)) found += 1;
      else findings.push(`${fault.name}: not found by the rule "${fault.rule}"`);
    });
    return {
      counts: { "planted faults": plantedFaults.length, found, "judged calls in all": calls },
      findings,
    };
  },
};

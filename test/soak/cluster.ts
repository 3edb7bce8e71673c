import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterReport } from "#test/cluster/attack.ts";
import { attackInside, historyFile } from "#test/cluster/own-namespaces.ts";
import { findPrograms } from "#test/cluster/programs.ts";
import { noteRun } from "#test/cluster/runs.ts";
import { type Outcome, type Part, sized } from "./part.ts";

// about twenty minutes on two cores
const fullFaults = 26;

/** The attack on the reference set-up of docs/more-than-one-machine.md. */
export const clusterPart: Part = {
  name: "cluster",
  about: `${fullFaults} faults of two banks, three PostgreSQL and a balancer on hosts of their own`,
  async run(options) {
    const programs = findPrograms();
    if (typeof programs === "string") return { counts: {}, findings: [], skipped: programs };
    const folder = mkdtempSync(join(tmpdir(), "aldgate-cluster-"));
    // PostgreSQL runs as a user of its own
    chmodSync(folder, 0o755);
    const { seed, only, say } = options;
    const wanted = { folder, programs, rounds: sized(fullFaults, options), seed, only };
    const report = await attackInside(wanted, say).finally(() => {
      const history = join(folder, historyFile);
      if (existsSync(history)) options.history.take(history);
    });
    if (report.findings.length === 0) rmSync(folder, { recursive: true });
    else say(`the logs of all programs are in ${folder}`);
    noteRun(seed, report);
    return describe(report);
  },
};

function describe({ faults, answers, restore, findings, ...numbers }: ClusterReport): Outcome {
  const counts: Record<string, number | string> = { ...numbers };
  counts.restore = restore ?? "none, because pgBackRest is absent";
  for (const [name, { strikes, longestStop, longestRepair }] of Object.entries(faults)) {
    const stop = `service stopped for at most ${longestStop} s`;
    counts[name] = `${strikes} times, ${stop}, whole ${longestRepair} s after its end`;
  }
  const told = Object.entries(answers).map(([status, count]) => `${status}: ${count}`);
  return { counts: { ...counts, answers: told.join(", ") }, findings };
}

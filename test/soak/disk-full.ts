import { type Full, fillDisk } from "#test/attacks/disk-full.ts";
import { mountSmallDisk } from "#test/attacks/small-disk.ts";
import type { Outcome, Part } from "./part.ts";

const megabytes = 700;

/** The attack with a full disk under PostgreSQL. */
export const diskFullPart: Part = {
  name: "disk-full",
  about: "PostgreSQL's tables, then its log, on a disk that fills up under a load of orders",
  async run({ say, history }) {
    const counts: Record<string, number | string> = {};
    const findings: string[] = [];
    for (const full of ["data", "log"] as const satisfies readonly Full[]) {
      const disk = mountSmallDisk(megabytes);
      if (typeof disk === "string") return { counts, findings, skipped: disk } satisfies Outcome;
      try {
        const report = await fillDisk(full, disk, { say, history });
        const answers = [...report.answers].map(([status, count]) => `${status}: ${count}`);
        counts[`acknowledged (${full})`] = report.acknowledged;
        counts[`answers (${full})`] = answers.join(", ");
        findings.push(...report.findings.map((finding) => `${full}: ${finding}`));
      } finally {
        disk.remove();
      }
    }
    return { counts, findings };
  },
};

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBank } from "#test/attacks/bank-process.ts";
import { floodLogins } from "#test/attacks/login-flood.ts";
import { type Part, sized } from "./part.ts";

const full = 3000;

/** The attack with a flood of wrong logins. */
export const loginsPart: Part = {
  name: "logins",
  about: `${full} wrong logins from four addresses, 100 at a time, while a TPP reads`,
  async run(options) {
    if (process.platform !== "linux") {
      return { counts: {}, findings: [], skipped: "only Linux has every loopback address open" };
    }
    const folder = mkdtempSync(join(tmpdir(), "aldgate-soak-"));
    const bank = await startBank(folder, {});
    try {
      const logins = sized(full, options);
      const flood = { logins, atOnce: 100, seed: options.seed };
      const { answers, reads, findings } = await floodLogins(bank, flood);
      return {
        counts: {
          answers: [...answers].map(([status, times]) => `${status}: ${times}`).join(", "),
          reads: `${reads.answered}, the slowest ${Math.round(reads.slowestMs)} ms`,
        },
        findings,
      };
    } finally {
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBank } from "#test/attacks/bank-process.ts";
import { attackControls } from "#test/attacks/foreign-pages.ts";
import { type Part, sized } from "./part.ts";

const full = 20_000;

/** The attack on the sandbox's controls by foreign pages, rebound names and proxies. */
export const controlsPart: Part = {
  name: "controls",
  about: `${full} calls of a sandbox's controls by foreign pages, rebound names and proxies`,
  async run(options) {
    const folder = mkdtempSync(join(tmpdir(), "aldgate-soak-"));
    const bank = await startBank(folder, {});
    try {
      const { publicUrl } = bank;
      const count = sized(full, options);
      const refused = await attackControls({ publicUrl, count, seed: options.seed });
      return { counts: { "refused calls": refused }, findings: [] };
    } finally {
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

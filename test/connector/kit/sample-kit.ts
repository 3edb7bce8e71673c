// The kit against a sample bank of examples/banks/.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type BankFile, readBankFile } from "#src/connector/kit/bank-file.ts";
import { kitIds, runKit } from "#src/connector/kit/run-kit.ts";
import { patienceMs } from "#test/until.ts";

const path = fileURLToPath(new URL("../../../examples/banks/bank.json", import.meta.url));
const sampleFile: BankFile = { ...readBankFile(path, kitIds), restart: ["restart"] };

/** Fails unless a sample bank passes the cases that it is asked, many in each group. */
export async function expectPassesKit(url: string, restart: () => Promise<void>): Promise<void> {
  const callMs = patienceMs;
  const { all } = await runKit({
    url,
    sign: null,
    file: sampleFile,
    deadlinesMs: {
      identify: callMs,
      read: callMs,
      document: callMs,
      quote: callMs,
      execute: callMs,
      tell: callMs,
    },
    isWanted: () => true,
    async run() {
      await restart();
      return "";
    },
    seed: 7,
    onResult: () => undefined,
  });
  const failed = all.filter(({ result }) => result === "failed");
  assert.deepEqual(
    failed.map(({ id, failure }) => ({ id, failure })),
    [],
  );
  const passed = all.filter(({ result }) => result === "passed").map(({ group }) => group);
  for (const group of ["contract", "identity", "accounts", "money", "doubt", "facts", "restart"]) {
    assert.ok(passed.filter((one) => one === group).length > 6, `cases of ${group} were asked`);
  }
}

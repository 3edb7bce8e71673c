// A developer's first hour: the client library in one folder, at a bank that the installed package
// has opened in another.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { environment, installClient, root } from "./installed-package.ts";

const readme = readFileSync(join(root, "packages/client/README.md"), "utf8");
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = ""]) => text);

/** The README's first example and that about accounts, which goes on with its variables. */
function firstProgram(publicUrl: string): string {
  const [payment = ""] = examples;
  const accounts = examples.find((text) => text.includes("bank.accounts.createConsent")) ?? "";
  assert.ok(payment.includes("http://localhost:8080"));
  const program = payment.replace("http://localhost:8080", publicUrl);
  return `${program}\n${accounts}\nbank.close();\nsandbox.close();\n`;
}

/** Tests the first hour at a bank whose address `publicUrl` returns once it is open. */
export function testFirstHour(publicUrl: () => string): void {
  describe("the first hour", () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), "aldgate-first-hour-"));
      installClient(folder);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    function run(line: string[]): string[] {
      const options = { cwd: folder, env: environment, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, line, options);
      assert.equal(status, 0, stdout + stderr);
      return stdout.trim().split("\n");
    }

    test("the README's program makes a settled payment, and reads accounts", () => {
      writeFileSync(join(folder, "first.mts"), firstProgram(publicUrl()));
      const [status, ...accounts] = run(["first.mts"]);
      assert.equal(status, "ACCC");
      const shown = accounts.filter((line) => /^acc-\w{16} GBP$/.test(line));
      assert.equal(shown.length, 3, accounts.join("\n"));
      const transaction = /^\d{4}-\d\d-\d\dT\S+ \d+\.\d\d (Debit|Credit)$/;
      assert.ok(
        accounts.some((line) => transaction.test(line)),
        accounts.join("\n"),
      );
    });

    test("twelve mistakes are mended from the words of the answers alone", () => {
      cpSync(join(root, "test/cli/first-hour/mistakes.mjs"), join(folder, "mistakes.mjs"));
      const results = run(["mistakes.mjs", publicUrl()]).map((line) => JSON.parse(line));
      assert.deepEqual(
        results.filter(({ result }) => result !== "mended"),
        [],
      );
      assert.equal(new Set(results.map(({ mistake }) => mistake)).size, 12);
    });
  });
}

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { versionName } from "#src/standard/api-version.ts";

// Each API version is dropped as docs/payments-in-the-code.md says: a bank is opened in a process
// that has neither the modules in the version's folders nor its line in the list of versions.

const run = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = join(root, "test/server/bank-without.ts");
const preload = pathToFileURL(join(root, "test/server/without-version.ts")).href;
const preloaded = [...process.execArgv, "--import", preload];
const versions = [...new Set(listOperations(paymentKinds).map(({ api }) => api))];

type Found = {
  apis: string[];
  statuses: Record<string, number>;
  document: number;
  isInReference: boolean;
  isOnHomePage: boolean;
  lost: { status: number; message: string };
  verified: object;
};

/** The names of the files in the folders of a version. */
const filesOf = (id: string): string[] =>
  readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && relative(root, one.parentPath).split(sep).includes(id))
    .map(({ name }) => name);

for (const { id, title } of versions) {
  const others = versions.filter((one) => one.id !== id);
  const [path = ""] = versions.filter((one) => one.id === id).map(pathOf);

  test(`a bank without ${id} opens and serves the rest`, async () => {
    const files = filesOf(id);
    assert.ok(files.length > 0, `${id} has a folder`);
    // anything else could be read without an import
    assert.ok(
      files.every((name) => name.endsWith(".ts")),
      files.join(", "),
    );
    const folder = mkdtempSync(join(tmpdir(), "aldgate-left-out-"));
    try {
      const report = join(folder, "report.json");
      const given = [...preloaded, program, id, `${path}/anything`, report];
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      await run(process.execPath, given, { cwd: root, env });
      const found: Found = JSON.parse(readFileSync(report, "utf8"));
      assert.deepEqual(found.apis.sort(), others.map((one) => one.id).sort());
      for (const [called, status] of Object.entries(found.statuses)) {
        assert.ok([200, 201].includes(status), `${called}: ${status}`);
      }
      assert.equal(found.document, 404);
      assert.equal(found.isInReference, false);
      assert.equal(found.isOnHomePage, false);
      assert.equal(found.lost.status, 404);
      const served = others.filter((one) => one.title === title);
      const [, said = ""] = found.lost.message.split("The bank serves ");
      assert.ok(served.length > 0);
      for (const api of served) {
        const named = [versionName(api), api.basePath];
        assert.ok(
          named.some((text) => said.includes(text)),
          found.lost.message,
        );
      }
      assert.deepEqual(found.verified, { holds: true, breaches: [] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

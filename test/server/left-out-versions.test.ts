import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { versionLists } from "#scripts/rooms.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { versionName } from "#src/standard/api-version.ts";

// Each API version is dropped as docs/payments.md says: its folders are deleted in a copy of the
// product, and its line in the list of versions. A bank is opened from what is left.

const run = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
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

/** Copies the product without an API version. */
function copyWithout(id: string): string {
  const copy = mkdtempSync(join(tmpdir(), "aldgate-left-out-"));
  for (const each of ["src", "test", "migrations", "package.json"]) {
    const isVersion = (path: string) => basename(path) === id;
    const filter = (path: string) => !isVersion(path);
    cpSync(join(root, each), join(copy, each), { recursive: true, filter });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const path of versionLists) {
    const file = join(copy, path);
    const text = readFileSync(file, "utf8");
    const imported = new RegExp(`^import \\{ (\\w+) \\} .*/${id}/.*\n`, "m").exec(text);
    if (!imported) continue;
    const [line, name] = imported;
    writeFileSync(file, text.replace(line, "").replace(new RegExp(`${name}, |, ${name}`), ""));
  }
  return copy;
}

/** The folders of a version in the product. */
const foldersOf = (id: string): string[] =>
  readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isDirectory() && one.name === id)
    .map((one) => one.parentPath);

for (const { id, title } of versions) {
  const others = versions.filter((one) => one.id !== id);
  const [path = ""] = versions.filter((one) => one.id === id).map(pathOf);

  test(`a bank without ${id} opens and serves the rest`, async () => {
    assert.ok(foldersOf(id).length > 0, `${id} has a folder`);
    const copy = copyWithout(id);
    try {
      const program = join(copy, "test/server/bank-without.ts");
      const report = join(copy, "report.json");
      const given = [...process.execArgv, program, id, `${path}/anything`, report];
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      await run(process.execPath, given, { cwd: copy, env });
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
      assert.ok(served.length > 0 && found.lost.message.includes("The bank serves "));
      for (const api of served) {
        const named = [` in ${versionName(api)}`, ` ${api.basePath}`];
        assert.ok(
          named.some((text) => found.lost.message.includes(text)),
          found.lost.message,
        );
      }
      assert.deepEqual(found.verified, { holds: true, breaches: [] });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
}

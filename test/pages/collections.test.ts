import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { crc32 } from "node:zlib";
import { brunoCollection } from "#src/pages/portal/collection/bruno.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { makeCollection } from "#src/server/portal/collections.ts";
import { listDocuments, withSamples } from "#src/server/portal/documents.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type PostmanFile, type Run, runBruno, runPostman } from "./collection-runner.ts";
import { operations } from "./portal-bed.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

/** The collection of a bank, made of its rows. */
function collection() {
  const { publicUrl, mtlsUrl, clock } = bank;
  const documents = listDocuments({
    publicUrl,
    mtlsUrl,
    operations,
    kinds: paymentKinds,
    isSandbox: true,
  });
  const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  return makeCollection("Aldgate Bank", publicUrl, withSamples(documents, paymentKinds, today));
}

/** Fails unless every operation was called and got its documented status. */
function expectAll(runs: readonly Run[]): void {
  const failed = runs.filter(({ failures }) => failures.length > 0);
  const described = failed.map(({ name, status, body }) => `${name} ${status} ${body}`);
  assert.deepEqual(described, []);
  assert.equal(runs.length, operations.length);
}

test("every request of the Postman collection gets its documented status, in one run", async () => {
  const answer = await fetch(`${bank.publicUrl}/docs/collections/postman.json`);
  assert.equal(answer.status, 200);
  const file = (await answer.json()) as PostmanFile;
  assert.match(file.info.schema, /v2\.1\.0/);
  expectAll(await runPostman(file, bank.publicUrl));
});

test("every request of the Bruno collection gets its documented status, in one run", async () => {
  const answer = await fetch(`${bank.publicUrl}/docs/collections/bruno.zip`);
  assert.equal(answer.status, 200);
  const files = unzipped(Buffer.from(await answer.arrayBuffer()));
  assert.deepEqual([...files.keys()], [...brunoCollection(collection()).keys()]);
  expectAll(await runBruno(files, bank.publicUrl));
});

/** The texts of an archive that is not compressed, with their sums checked. */
function unzipped(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = archive.length - 22;
  assert.equal(archive.readUInt32LE(end), 0x06054b50);
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50);
    const [size, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    const start = archive.readUInt32LE(at + 42) + 30 + nameLength;
    const data = archive.subarray(start, start + size);
    assert.equal(crc32(data), archive.readUInt32LE(at + 16), name);
    files.set(name, data.toString());
    at += 46 + nameLength;
  }
  return files;
}

test("the command writes the collections that the bank serves", async () => {
  for (const [format, name] of [
    ["postman", "aldgate.postman_collection.json"],
    ["bruno", "bruno.json"],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), "collection-"));
    const { code, complained } = await runCommand(`collection ${format} ${folder}`);
    assert.equal(code, 0, complained);
    assert.ok(existsSync(join(folder, name)));
    rmSync(folder, { recursive: true });
  }
  const { code, complained } = await runCommand("collection insomnia x");
  assert.equal(code, 2);
  assert.match(complained, /postman or bruno/);
});

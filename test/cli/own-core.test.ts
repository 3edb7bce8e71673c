import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPglite } from "#src/storage/pglite.ts";
import { freePort } from "#test/free-port.ts";
import { countCustomers } from "#test/sandbox/stored-customers.ts";
import { type SecondBank, startSecondBank } from "#test/second-bank/second-bank.ts";
import { type Running, startCommand } from "./running-bank.ts";

let second: SecondBank;
let bank: Running;
let environment: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), "aldgate-own-core-"));

before(async () => {
  second = await startSecondBank();
  environment = {
    ALDGATE_DATA: folder,
    PUBLIC_PORT: String(await freePort()),
    MTLS_PORT: String(await freePort()),
    MANAGEMENT_PORT: "0",
    LOG_LEVEL: "error",
    BANK_MODULE: fileURLToPath(new URL("../second-bank/feeding-core.ts", import.meta.url)),
    SECOND_BANK_URL: second.url,
  };
  bank = startCommand(["start"], environment);
  await bank.untilSaid(/Aldgate is open/);
});
after(async () => {
  bank?.child.kill("SIGKILL");
  await second?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(line: string[]): Promise<{ code: number | null; said: string }> {
  const command = startCommand(line, environment);
  return { code: await command.ended, said: command.said() };
}

test("the demo pays from a core of the bank's own and finds the payment among its transactions", async () => {
  const { code, said } = await run(["demo"]);
  assert.equal(code, 0, said);
  assert.match(said, /Ada Quill approves/);
  assert.match(said, /Done: the payment settled/);
});

test("a new sandbox over a core of the bank's own has no personas, and none can be made", async () => {
  const { code, said } = await run(["seed"]);
  assert.equal(code, 2);
  assert.match(said, /The bank's own core has its own customers/);
  bank.child.kill("SIGTERM");
  await bank.ended;
  assert.equal(existsSync(join(folder, "seeded")), false);
  const database = await openPglite({ folder: join(folder, "database") });
  const customers = await countCustomers(database);
  await database.close();
  assert.equal(customers, 0);
});

test("account data is loaded from lines of JSON, and a wrong line or fact is named", async () => {
  const example = fileURLToPath(new URL("../account-store/changes.jsonl", import.meta.url));
  for (const _ of ["once", "again"]) {
    const { code, said } = await run(["facts", "load", example]);
    assert.equal(code, 0, said);
    assert.match(said, /5 lines: 6 changes stored, 0 refused\. The cursor is now log 5\./);
  }
  const wrong = join(folder, "wrong.jsonl");
  writeFileSync(
    wrong,
    '{"parties":[{"version":1,"partyId":"p 1","name":"Ann"}]}\n{"balance":[]}\n',
  );
  const unknown = await run(["facts", "load", wrong]);
  assert.equal(unknown.code, 1, unknown.said);
  assert.match(unknown.said, /refused: changes .*: \/balance /);
  writeFileSync(wrong, '{"parties":[{"version":1,"partyId":"p 1","name":"Ann"}]}\n');
  const refused = await run(["facts", "load", wrong]);
  assert.equal(refused.code, 1);
  assert.match(refused.said, /refused: parties p 1: \/partyId must be 1 to 40 ASCII characters/);
  const missing = await run(["facts", "load", join(folder, "none.jsonl")]);
  assert.match(missing.said, /none\.jsonl cannot be read \(ENOENT\)/);
  const { BANK_MODULE: _, ...sandbox } = environment;
  const command = startCommand(["facts", "load", example], sandbox);
  assert.equal(await command.ended, 2);
  assert.match(command.said(), /The sandbox bank makes its own account data/);
});

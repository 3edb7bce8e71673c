import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Secret, TOTP } from "otpauth";
import type { Bank } from "#src/bank/port.ts";
import { hashPassword } from "#src/bank/sandbox/password.ts";
import { createSandboxBank } from "#src/bank/sandbox/sandbox-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "./empty-bank.ts";

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const start = Temporal.Instant.from("2026-03-02T10:00:00Z");
let now = start;
let database: Database;
let bank: Bank;

before(async () => {
  database = await openEmpty();
  await database.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    values ('c1', 'ann', 'Ann', 'personal', ${await hashPassword("pass word")}, ${secret})`);
  bank = createSandboxBank({ database, clock: { now: () => now } });
});
after(() => database.close());

const codeAt = (at: Temporal.Instant) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.epochMilliseconds });

test("login and password together are right, and nothing else is", async () => {
  const ann = { customerId: "c1", login: "ann", name: "Ann" };
  assert.deepEqual(await bank.authenticate("ann", "pass word"), ann);
  assert.equal(await bank.authenticate("ann", "password"), null);
  assert.equal(await bank.authenticate("ann", ""), null);
  assert.equal(await bank.authenticate("bob", "pass word"), null);
  assert.deepEqual(await bank.loadCustomer("c1"), ann);
  assert.equal(await bank.loadCustomer("c2"), null);
});

test("two customers with one password have two hashes", async () => {
  assert.notEqual(await hashPassword("same"), await hashPassword("same"));
});

test("a code is taken in its half minute and those beside it, once", async () => {
  now = start;
  const earlier = codeAt(start.subtract({ seconds: 30 }));
  assert.equal(await bank.checkSecondFactor("c1", codeAt(start.subtract({ seconds: 60 }))), false);
  assert.equal(await bank.checkSecondFactor("c1", codeAt(start.add({ seconds: 60 }))), false);
  assert.equal(await bank.checkSecondFactor("c1", codeAt(start)), true);
  assert.equal(await bank.checkSecondFactor("c1", codeAt(start)), false, "a replay");
  assert.equal(await bank.checkSecondFactor("c1", earlier), false, "one before the last");
  assert.equal(await bank.checkSecondFactor("c1", codeAt(start.add({ seconds: 30 }))), true);
  now = start.add({ minutes: 5 });
  assert.equal(await bank.checkSecondFactor("c1", codeAt(now)), true);
  assert.equal(await bank.checkSecondFactor("c1", "12345"), false);
  assert.equal(await bank.checkSecondFactor("c2", codeAt(now)), false);
});

test("of many that come with one code at once, one is let in", async () => {
  now = start.add({ minutes: 10 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => bank.checkSecondFactor("c1", codeAt(now))),
  );
  assert.equal(answers.filter(Boolean).length, 1);
});

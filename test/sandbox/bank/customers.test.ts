import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import { present } from "#src/lib/assert.ts";
import { hashPassword } from "#src/sandbox/bank/password.ts";
import { createSandboxBank, type SandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { addParty } from "#test/account-store/stored-facts.ts";
import { openEmpty } from "./empty-bank.ts";

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const start = Temporal.Instant.from("2026-03-02T10:00:00Z");
let now = start;
let database: Database;
let bank: SandboxBank;

before(async () => {
  database = await openEmpty();
  await database.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    values ('c1', 'ann', 'Ann', 'personal', ${await hashPassword("pass word")}, ${secret})`);
  bank = createSandboxBank({ database, clock: { now: () => now } });
});
after(() => database.close());

test("a login succeeds only with its own password", async () => {
  const ann = { customerId: "c1", login: "ann", name: "Ann" };
  assert.deepEqual(await bank.authenticate("ann", "pass word"), ann);
  assert.equal(await bank.authenticate("ann", "password"), null);
  assert.equal(await bank.authenticate("ann", ""), null);
  assert.equal(await bank.authenticate("bob", "pass word"), null);
  assert.deepEqual(await bank.loadCustomer("c1"), ann);
  assert.equal(await bank.loadCustomer("c2"), null);
});

test("two customers with the same password have different hashes", async () => {
  assert.notEqual(await hashPassword("same"), await hashPassword("same"));
});

const subject: ChallengeSubject = { act: "login" };
const payment = (amount: string): ChallengeSubject => ({
  act: "payment",
  id: "pdc-1",
  amount,
  payee: { name: "Acme Ltd", account: "20-20-10 10981789" },
  termsHash: "terms",
});

/** Requests a challenge, and reads its code as a sandbox does. */
async function ask(given = subject): Promise<{ challengeId: string; code: string }> {
  const { challengeId } = await bank.challenge("c1", given, { subjectHash: subjectHash(given) });
  return { challengeId, code: present(await bank.codeOf(challengeId), "the code") };
}

test("a challenge's code works once, and only for that challenge", async () => {
  const [three, four] = [await ask(payment("£3.00")), await ask(payment("£4,000.00"))];
  assert.equal(await bank.verify(four.challengeId, three.code), false, "another amount");
  assert.equal(await bank.verify(three.challengeId, four.code), false);
  assert.equal(await bank.verify(three.challengeId, three.code), true);
  assert.equal(await bank.verify(three.challengeId, three.code), false, "a replay");
  assert.equal(await bank.verify("sca-unknown", three.code), false);
  assert.equal(await bank.verify(four.challengeId, four.code), true);
});

test("a challenge names the end of the customer's mobile number, if the bank has it", async () => {
  await database.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    values ('c3', 'cas', 'Cas', 'personal', '', ${secret})`);
  await addParty(database, "c3", { name: "Cas", contact: { mobile: "+44-7700900118" } });
  assert.equal(
    (await bank.challenge("c3", subject, { subjectHash: "" })).sentTo,
    "mobile ending 118",
  );
  assert.equal((await bank.challenge("c1", subject, { subjectHash: "" })).sentTo, undefined);
});

test("two challenges for one subject have different codes", async () => {
  const codes = new Set<string>();
  for (let count = 0; count < 5; count += 1) codes.add((await ask()).code);
  assert.ok(codes.size > 1);
});

test("the right code is refused after five minutes, or after five wrong codes", async () => {
  const old = await ask();
  now = now.add({ minutes: 5 });
  assert.equal(await bank.verify(old.challengeId, old.code), false);
  const guessed = await ask();
  const wrong = guessed.code === "000000" ? "000001" : "000000";
  for (let count = 0; count < 5; count += 1) {
    assert.equal(await bank.verify(guessed.challengeId, wrong), false);
  }
  assert.equal(await bank.verify(guessed.challengeId, guessed.code), false);
});

test("of many concurrent attempts with one code, one succeeds", async () => {
  const { challengeId, code } = await ask();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => bank.verify(challengeId, code)),
  );
  assert.equal(answers.filter(Boolean).length, 1);
});

test("a challenge shows its code only while its time runs", async () => {
  const { challengeId } = await ask();
  now = now.add({ minutes: 5 });
  assert.equal(await bank.codeOf(challengeId), null);
});

test("an id that the bank has not made has no code, and no code answers it", async () => {
  const end = now.add({ minutes: 5 }).epochMilliseconds.toString(36);
  for (const id of [
    "",
    "sca-unknown",
    `sca-x.${end}.hash.`,
    `sca-x.${end}.hash.c2`,
    "sca-x.zz!.h.c1",
  ]) {
    assert.equal(await bank.codeOf(id), null, id);
    assert.equal(await bank.verify(id, "000000"), false, id);
  }
});

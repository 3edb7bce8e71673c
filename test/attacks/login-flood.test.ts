import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createPasswordCheck, hashPassword } from "#src/sandbox/bank/password.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { floodLogins } from "./login-flood.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank({
    LOGIN_CONCURRENCY: 2,
    LOGIN_QUEUE: 8,
    LOGIN_FAILURES_PER_MINUTE: 0,
  });
});
after(() => bank?.close());

test("a flood of logins gets 503 with Retry-After, reads continue, and customers can log in afterwards", async () => {
  const { answers, reads, findings } = await floodLogins(bank, { logins: 80, atOnce: 40, seed: 1 });
  assert.deepEqual(findings, []);
  assert.ok((answers.get("503") ?? 0) > 0, JSON.stringify([...answers]));
  assert.ok((answers.get("200") ?? 0) > 0, JSON.stringify([...answers]));
  assert.ok(reads.answered > 0);
});

test("an address that has used up its wrong passwords must wait, and customers can still log in", async () => {
  const limited = await openBank({ LOGIN_FAILURES_PER_MINUTE: 3 });
  try {
    const flood = { logins: 30, atOnce: 1, seed: 2 };
    const { answers, findings } = await floodLogins(limited, flood);
    assert.deepEqual(findings, []);
    const judged = answers.get("200") ?? 0;
    assert.ok(judged > 0 && judged <= 4 * 3, "three from each of four addresses at most");
    assert.equal(answers.get("429"), 30 - judged);
  } finally {
    await limited.close();
  }
});

test("passwords are not hashed on the thread pool that signs", async () => {
  const stored = await hashPassword("right");
  const passwords = createPasswordCheck();
  let hashed = 0;
  const hashes = Array.from({ length: 16 }, async () => {
    assert.equal(await passwords.isPassword("wrong", stored), false);
    hashed += 1;
  });
  // on that pool, which has few threads, this task would have to wait for most of the hashes
  await promisify(randomBytes)(16);
  assert.ok(hashed < 12, `${hashed} hashes were answered before`);
  await Promise.all(hashes);
  assert.equal(await passwords.isPassword("right", stored), true);
  await passwords.close();
});

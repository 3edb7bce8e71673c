import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createPasswordCheck, hashPassword } from "#src/sandbox/bank/password.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { floodLogins } from "./login-flood.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank({
    LOGIN_CONCURRENCY: 1,
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

/**
 * Occupies the shared thread pool: opening a pipe occupies a thread until the other end is opened.
 * Returns a function that frees the threads.
 */
function blockThreadPool(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-pipes-"));
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const pipes = Array.from({ length: threads }, (_, index) => join(folder, `${index}`));
  execFileSync("mkfifo", pipes);
  const opening = pipes.map((pipe) => open(pipe, "r"));
  return async () => {
    for (const pipe of pipes) closeSync(openSync(pipe, "r+"));
    for (const file of await Promise.all(opening)) await file.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

test("passwords are checked while the thread pool that signs is blocked", async () => {
  const stored = await hashPassword("right");
  const passwords = createPasswordCheck();
  await passwords.isPassword("right", stored); // starts the thread, which loads its modules
  const release = blockThreadPool();
  let isFree = false;
  const task = promisify(randomBytes)(16).then(() => {
    isFree = true;
  });
  // if passwords are hashed on the pool, the check waits for this
  const limit = setTimeout(() => void release(), 20_000);
  const isRight = ["wrong", "right"].map((password) => passwords.isPassword(password, stored));
  assert.deepEqual(await Promise.all(isRight), [false, true]);
  assert.equal(isFree, false, "the pool was blocked all the time");
  clearTimeout(limit);
  await release();
  await task;
  await passwords.close();
});

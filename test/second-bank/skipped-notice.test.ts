import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Notice } from "#src/bank/notice.ts";
import type { WaitingNotices } from "#src/notices/waiting-notices.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { readSkip } from "#test/notices/stored-notices.ts";
import { until } from "#test/until.ts";
import { refusing, refusingPath } from "./refusing-core.ts";
import { openOver, type SecondBank, startSecondBank } from "./second-bank.ts";

// A notice that the core can never accept stops those after it, until an operator skips it.

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, { BANK_MODULE: refusingPath, BANK_BREAKER_RETRY_MS: 50 });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

async function giveAccess(): Promise<string> {
  const consentId = await lodgeAccess(client);
  const accounts = ["second-current"];
  await bank.approve(client, { scope: "accounts", consentId, customer: "ada", accounts });
  return consentId;
}

const waiting = () => bank.control<WaitingNotices>("GET", "/notices");
async function skip(noticeId: string): Promise<boolean> {
  const why = { actor: "ops-3", reason: "ticket 4711" };
  const path = `/notices/${noticeId}/skip`;
  return (await bank.control<{ isSkipped: boolean }>("POST", path, why)).isSkipped;
}
const toldOf = (consentId: string): Notice[] =>
  refusing.told.filter((one) => one.consentId === consentId);

test("a notice that the core refuses for ever is listed with the error, and the next ones wait until it is skipped", async () => {
  const told = await giveAccess();
  await until(
    () => toldOf(told),
    ({ length }) => length === 1,
  );
  assert.deepEqual(await waiting(), { notices: [], failures: 0, lastFailure: null });

  refusing.isRefused = ({ consentId }) => consentId === refused;
  const refused = await giveAccess();
  const later = await giveAccess();
  const listed = await until(
    waiting,
    ({ notices, failures }) => notices.length === 2 && failures >= 2,
  );
  const [stuck, next] = listed.notices;
  assert.equal(stuck?.consentId, refused);
  assert.equal(stuck?.occasion, "consent-given");
  assert.equal(next?.consentId, later);
  assert.match(listed.lastFailure?.error ?? "", /this core cannot take it/);
  assert.ok(Temporal.Instant.from(listed.lastFailure?.at ?? ""));
  assert.deepEqual(toldOf(later), []);

  assert.equal(await skip("ntc-none"), false);
  assert.equal(await skip(toldOf(told)[0]?.noticeId ?? ""), false);
  assert.equal(await skip(stuck?.noticeId ?? ""), true);
  await until(
    () => toldOf(later),
    ({ length }) => length === 1,
  );
  assert.deepEqual(toldOf(refused), []);
  const after = await until(waiting, ({ notices }) => notices.length === 0);
  assert.deepEqual([after.failures, after.lastFailure], [0, null]);
  const row = await readSkip(bank.database, stuck?.noticeId ?? "");
  assert.deepEqual([row?.actor, row?.reason], ["ops-3", "ticket 4711"]);
  assert.ok(row?.at instanceof Temporal.Instant);
});

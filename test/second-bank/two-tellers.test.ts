import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Notice } from "#src/bank/notice.ts";
import { listChanges } from "#src/history/change.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import {
  openTwoProcesses,
  type SharedTpp,
  type TwoProcesses,
} from "#test/attacks/two-processes.ts";
import { lodge, order, untilStatus } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { type SecondBank, startSecondBank, tellingPath } from "./second-bank.ts";

let second: SecondBank;
let banks: TwoProcesses;
let shared: SharedTpp;
before(async () => {
  second = await startSecondBank();
  banks = await openTwoProcesses({
    settings: {
      BANK_MODULE: tellingPath,
      SECOND_BANK_URL: second.url,
      BANK_READ_DEADLINE_MS: "2000",
      BANK_BREAKER_RETRY_MS: "200",
      BANK_EXECUTE_DEADLINE_MS: "2000",
      PAYMENT_LEASE_SECONDS: "5",
    },
  });
  shared = await banks.createTpp();
});
after(async () => {
  await banks?.close();
  await second?.close();
});

/** Pays through one of the processes. Returns the ids of the consent and of the order. */
async function pay(client: TppClient): Promise<{ consentId: string; orderId: string }> {
  const lodged = await lodge(client, { amount: "1.00" });
  const { consentId } = lodged;
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const { redirectUrl } = await banks.control<{ redirectUrl: string }>(
    "POST",
    "/authorisations",
    {
      authorizationUrl,
      customer: "ada",
      decision: "approve",
      accounts: ["second-current"],
    },
    client === shared.atOne ? banks.one : banks.other,
  );
  const { access_token: token } = await client.exchangeCode(redirectUrl);
  return { consentId, orderId: await order(client, lodged, token) };
}

/** Waits until the core has been told that the order has ended. Returns all about its consent. */
async function untilEnded(consentId: string): Promise<Notice[]> {
  const about = async () =>
    (await second.told()).notices.filter((one) => one.consentId === consentId);
  return until(about, (all) => all.at(-1)?.occasion === "order-ended");
}

test("two processes tell each change once and in order, and a kill while they tell loses none", async () => {
  const { atOne, atOther } = shared;
  const paid = [];
  for (const client of [atOne, atOther, atOne, atOther]) paid.push(await pay(client));
  // the core has done its work, but nobody hears of it
  await second.fail({ call: "tell", how: "slow", delayMs: 1500 });
  await second.calls();
  paid.push(await pay(atOther));
  await until(
    () => second.calls(),
    (calls) => calls.some(({ call }) => call === "tell"),
  );
  await banks.one.kill();
  await banks.other.kill();
  await second.fail();
  await banks.one.reopen();
  paid.push(await pay(atOne));
  await banks.other.reopen();
  paid.push(await pay(atOther));

  const database = await openPostgres(banks.databaseUrl, 1);
  try {
    for (const { consentId, orderId } of paid) {
      await untilStatus(atOne, "domestic-payment", orderId, "ACCC");
      const told = await untilEnded(consentId);
      const ofOrder = told.filter((one) => one.orderId === orderId);
      const changes = await listChanges(database, orderId);
      assert.deepEqual(
        ofOrder.map(({ position, status }) => [position, status]),
        changes.map(({ sequence, after: facts }) => [sequence, facts.status]),
      );
    }
  } finally {
    await database.close();
  }
  const { notices, calls } = await second.told();
  const positions = notices.map(({ position }) => position);
  assert.deepEqual(
    positions,
    positions.toSorted((one, next) => (one < next ? -1 : 1)),
  );
  assert.ok(calls.flat().length > notices.length, "what was cut off was told again");
  assert.ok(calls.flat().length < 2 * notices.length, "the two do not both tell");
});

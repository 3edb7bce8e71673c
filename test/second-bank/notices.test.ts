import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import type { Notice, Occasion } from "#src/bank/notice.ts";
import { withdrawAccount } from "#src/consents/consent-account.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, readOrder, untilStatus } from "#test/journeys/payments.ts";
import { holdForDead } from "#test/notices/stored-notices.ts";
import { until } from "#test/until.ts";
import { agreeWithinLimits } from "./restorable-bank.ts";
import {
  approved,
  openOver,
  readyToPay,
  type SecondBank,
  startSecondBank,
  tellingPath,
} from "./second-bank.ts";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, { BANK_MODULE: tellingPath, BANK_BREAKER_RETRY_MS: 200 });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});
afterEach(() => second.fail());

const ofConsent = async (consentId: string): Promise<Notice[]> =>
  (await second.told()).notices.filter((one) => one.consentId === consentId);

/** Waits for the notices about a consent and its orders, in this order. */
async function untilTold(consentId: string, ...occasions: Occasion[]): Promise<Notice[]> {
  const seen = await until(
    () => ofConsent(consentId),
    ({ length }) => length >= occasions.length,
  );
  assert.deepEqual(
    seen.map(({ occasion }) => occasion),
    occasions,
  );
  return seen;
}

const last = (notices: readonly Notice[]): Notice => present(notices.at(-1), "a notice");

async function giveAccess(accounts: string[], data: object = {}): Promise<string> {
  const consentId = await lodgeAccess(client, { ...data });
  await bank.approve(client, { scope: "accounts", consentId, customer: "ada", accounts });
  return consentId;
}

const act = (consentId: string, name: string) =>
  bank.control("POST", `/consents/${consentId}/${name}`, {});

test("the core is told of an account access consent that a customer gives, changes, and ends at the bank", async () => {
  const accounts = ["second-current", "second-poor"];
  const consentId = await giveAccess(accounts);
  const [given] = await untilTold(consentId, "consent-given");
  const { noticeId, position, at, interactionId, tpp, ...rest } = present(given, "the notice");
  assert.match(noticeId, /^ntc-\w{26}$/);
  assert.ok(position > 0n);
  assert.ok(at instanceof Temporal.Instant);
  assert.equal(interactionId, null, "no TPP's request has made the change");
  assert.equal(tpp.clientId, client.tpp.clientId);
  assert.equal(tpp.organisationId, client.tpp.organisationId);
  assert.deepEqual(rest, {
    occasion: "consent-given",
    by: "customer",
    consentId,
    orderId: null,
    kind: "account-access",
    status: "AUTH",
    reasons: [],
    channel: null,
    customerIds: ["second-ada"],
    accountIds: accounts,
    consent: { expiresAt: null, isPaused: false, hasGrant: true },
  });
  const by = { customerId: "second-ada", now: bank.clock.now() };
  const withdrawal = { consentId, kind: accountAccessKind.id, accountId: "second-poor" };
  assert.ok(await withdrawAccount(bank.database, { ...withdrawal, ...by }));
  const changed = last(await untilTold(consentId, "consent-given", "consent-changed"));
  assert.deepEqual(changed.accountIds, ["second-current"]);
  assert.equal(changed.by, "customer");
  await act(consentId, "revoke");
  const ended = last(
    await untilTold(consentId, "consent-given", "consent-changed", "consent-ended"),
  );
  assert.equal(ended.by, "customer");
  assert.equal(ended.status, "CANC");
  assert.equal(ended.consent?.hasGrant, false);
  assert.deepEqual(ended.reasons, [{ code: "CUST", text: "The customer has stopped the access." }]);
});

test("the core is told although a process has died that took the work while the clock was ahead", async () => {
  const consentId = await giveAccess(["second-current"]);
  await untilTold(consentId, "consent-given");
  await holdForDead(bank.database, 3600);
  await act(consentId, "revoke");
  await untilTold(consentId, "consent-given", "consent-ended");
});

test("the core is told that a TPP has ended a consent, with the interaction id of its request", async () => {
  const consentId = await giveAccess(["second-current"]);
  const interactionId = "93bac548-d2de-4546-b106-880a5018460d";
  const deleted = await client.call({
    path: `/v3.1/aisp/account-access-consents/${consentId}`,
    method: "DELETE",
    token: await client.clientToken("accounts"),
    headers: { "x-fapi-interaction-id": interactionId },
  });
  expectStatus(deleted, 204);
  const ended = last(await untilTold(consentId, "consent-given", "consent-ended"));
  assert.equal(ended.by, "tpp");
  assert.equal(ended.interactionId, interactionId);
});

test("the core is told that a consent has expired", async () => {
  const expiresAt = bank.clock.now().round("second").add({ hours: 24 });
  const consentId = await giveAccess(["second-current"], {
    ExpirationDateTime: expiresAt.toString(),
  });
  await bank.advance("PT25H");
  const [given, ended] = await untilTold(consentId, "consent-given", "consent-ended");
  assert.equal(String(given?.consent?.expiresAt), String(expiresAt));
  assert.equal(ended?.by, "clock");
  assert.equal(ended?.status, "EXPD");
});

test("the core is told nothing about a consent before a customer gives it", async () => {
  const unanswered = await lodgeAccess(client);
  const later = await giveAccess(["second-current"]);
  await untilTold(later, "consent-given");
  assert.deepEqual(await ofConsent(unanswered), []);
});

test("the core is told of a payment's consent and order, up to the order's end", async () => {
  const { lodged, token } = await approved(bank, client, "12.34");
  const orderId = await order(client, lodged, token);
  await untilStatus(client, lodged.kind, orderId, "ACCC");
  const notices = await until(
    () => ofConsent(lodged.consentId),
    (all) => all.at(-1)?.occasion === "order-ended",
  );
  const ofOrder = notices.filter((one) => one.orderId === orderId);
  const ofItsConsent = notices.filter((one) => one.orderId === null);
  assert.deepEqual(
    ofItsConsent.map(({ occasion, status }) => `${occasion} ${status}`),
    ["consent-given AUTH", "consent-used COND"],
  );
  const [received] = ofOrder;
  assert.equal(received?.occasion, "order-received");
  assert.equal(received?.by, "tpp");
  assert.deepEqual(received?.accountIds, ["second-current"]);
  assert.deepEqual(received?.customerIds, ["second-ada"]);
  assert.equal(received?.consent, null);
  assert.equal(last(ofOrder).status, "ACCC");
  assert.equal(last(ofOrder).by, "bank");
});

test("the core is told of each signature of an order, and that the order was refused and why", async () => {
  const { lodged, token } = await approved(bank, client, "15.00", "second-joint");
  const orderId = await order(client, lodged, token);
  assert.equal((await readOrder(client, lodged.kind, orderId)).Status, "PATC");
  await bank.control("POST", `/multi-authorisations/${orderId}`, { decision: "approve" });
  await untilStatus(client, lodged.kind, orderId, "ACCC");
  const signed = await until(
    () => ofConsent(lodged.consentId),
    (all) => all.at(-1)?.occasion === "order-ended",
  );
  const ofOrder = signed.filter((one) => one.orderId === orderId);
  assert.deepEqual(ofOrder[0]?.customerIds, ["second-ada"]);
  assert.deepEqual(last(ofOrder).customerIds, ["second-ada", "second-bob"]);
  const poor = await approved(bank, client, "15.00", "second-poor");
  await order(client, poor.lodged, poor.token);
  const refused = await until(
    () => ofConsent(poor.lodged.consentId),
    (all) => all.at(-1)?.occasion === "order-ended",
  );
  assert.equal(last(refused).status, "RJCT");
  assert.deepEqual(
    last(refused).reasons.map(({ code }) => code),
    ["AM04"],
  );
});

test("the core is told when payments within limits are paused, resumed and made, and when the consent ends", async () => {
  const { consentId, pay } = await agreeWithinLimits(bank, client);
  await act(consentId, "suspend");
  await act(consentId, "resume");
  const [, paused, resumed] = await untilTold(
    consentId,
    "consent-given",
    "consent-changed",
    "consent-changed",
  );
  assert.equal(paused?.consent?.isPaused, true);
  assert.equal(paused?.by, "bank");
  assert.equal(resumed?.consent?.isPaused, false);
  const orderId = await pay("3.00", "notices-1");
  await act(consentId, "revoke");
  const all = await until(
    () => ofConsent(consentId),
    (seen) => seen.some(({ occasion }) => occasion === "consent-ended"),
  );
  assert.ok(all.some((one) => one.orderId === orderId && one.occasion === "order-ended"));
  assert.ok(!all.some(({ occasion }) => occasion === "consent-used"), "it can be used again");
});

test("the core is told of a consent to confirmations of funds", async () => {
  const issuer = new CardIssuer(bank, client, "/v4.0/cbpii");
  const { consentId } = await issuer.authorised("ada", named("60837110000001"));
  const [given] = await untilTold(consentId, "consent-given");
  assert.equal(given?.kind, "funds-confirmation");
  assert.deepEqual(given?.accountIds, ["second-current"]);
  await act(consentId, "revoke");
  await untilTold(consentId, "consent-given", "consent-ended");
});

test("a scheduled payment that its customer cancels has ended", async () => {
  const day = Temporal.Now.plainDateISO().add({ days: 60 });
  const lodged = await lodge(client, {
    kind: "domestic-scheduled-payment",
    initiation: { RequestedExecutionDateTime: `${day}T00:00:00+00:00` },
  });
  const { token } = await readyToPay(bank, client, lodged);
  const orderId = await order(client, lodged, token);
  await untilStatus(client, lodged.kind, orderId, "PDNG");
  await bank.control("POST", `/customers/ada/payments/${orderId}/cancellation`, {});
  const all = await until(
    () => ofConsent(lodged.consentId),
    (seen) => seen.at(-1)?.occasion === "order-ended",
  );
  assert.equal(last(all).status, "CANC");
  assert.equal(last(all).by, "customer");
});

test("without CHANNELS_TOKEN, the management listener shows no consents", async () => {
  const path = "/channels/v1/consents?customerId=second-ada";
  const answer = await fetch(`${bank.managementUrl}${path}`, {
    headers: { authorization: "Bearer undefined" },
  });
  assert.equal(answer.status, 403);
  assert.match(await answer.text(), /CHANNELS_TOKEN is not set/);
  const journey = await fetch(`${bank.managementUrl}/channels/v1/journeys`, { method: "POST" });
  assert.equal(journey.status, 403);
  assert.match(await journey.text(), /APP_TOKEN is not set/);
});

/** Reads the gauge of the oldest change that the core has not been told. */
async function oldestWaiting(): Promise<number> {
  const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const name = "aldgate_notices_oldest_waiting_seconds ";
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(name))
      ?.slice(name.length),
  );
}

test("while the core cannot be told, consents are given and orders are paid, and it is told all of it later", async () => {
  await until(oldestWaiting, (age) => age === 0);
  await second.fail({ call: "tell", how: "fail" });
  const { lodged, token } = await approved(bank, client, "12.35");
  const orderId = await order(client, lodged, token);
  await untilStatus(client, lodged.kind, orderId, "ACCC");
  assert.deepEqual(await ofConsent(lodged.consentId), []);
  await bank.advance("PT1H");
  await until(oldestWaiting, (age) => age >= 3600);
  const degraded = async () => {
    const response = await fetch(`${bank.managementUrl}/health/ready`);
    return ((await response.json()) as { degraded: string[] }).degraded;
  };
  assert.deepEqual(await until(degraded, ({ length }) => length > 0), ["tell"]);
  await second.fail();
  const all = await until(
    () => ofConsent(lodged.consentId),
    (seen) => seen.at(-1)?.occasion === "order-ended",
  );
  const occasions = new Set(all.map(({ occasion }) => occasion));
  assert.deepEqual(
    [...occasions],
    ["consent-given", "consent-used", "order-received", "order-changed", "order-ended"],
  );
  await until(oldestWaiting, (age) => age === 0);
});

test("if an answer is lost, the core is told the same notices again, with the same ids", async () => {
  const before = (await second.told()).calls.length;
  await second.fail({ call: "tell", how: "lose", times: 1 });
  const consentId = await giveAccess(["second-current"]);
  const [given] = await untilTold(consentId, "consent-given");
  const id = present(given, "the notice").noticeId;
  const calls = await until(
    async () => (await second.told()).calls.slice(before),
    (all) => all.filter((ids) => ids.includes(id)).length === 2,
  );
  const [first, again] = calls.filter((ids) => ids.includes(id));
  assert.deepEqual(again?.slice(0, 1), first?.slice(0, 1), "it begins with the same notice");
});

test("a hanging core delays only what it is told", async () => {
  await second.fail({ call: "tell", how: "hang" });
  const { lodged, token } = await approved(bank, client, "12.36");
  await until(
    () => second.calls(),
    (calls) => calls.some(({ call }) => call === "tell"),
  );
  await untilStatus(client, lodged.kind, await order(client, lodged, token), "ACCC");
  await second.fail();
  await until(
    () => ofConsent(lodged.consentId),
    (seen) => seen.at(-1)?.occasion === "order-ended",
  );
});

test("all notices have come in the order of their positions", async () => {
  const { notices } = await second.told();
  const positions = notices.map(({ position }) => position);
  assert.deepEqual(
    positions,
    positions.toSorted((one, other) => (one < other ? -1 : 1)),
  );
  assert.equal(new Set(positions).size, positions.length);
});

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import { consentStatus, countConsents } from "#test/consents/stored-rows.ts";
import type { Json } from "./answer-check.ts";
import { domesticConsent, firstFault, openPayments, type PaymentsFixture } from "./fixture.ts";

const consents = "/domestic-payment-consents";
const orders = "/domestic-payments";
let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

const countOf = async (stored: "consent" | "payment_order"): Promise<number> =>
  stored === "consent"
    ? countConsents(bank.database)
    : (await bank.database.query(sql`select 1 from payment_order`)).length;

test("P-046: repeating a consent request returns the same consent with its current status", async () => {
  const sent = { body: domesticConsent(), key: "p046" };
  const { Data } = (await bank.post(consents, sent)).body;
  await bank.authorise(Data.ConsentId);
  bank.clock.set("2027-03-03T09:59:59Z");
  const again = await bank.post(consents, sent);
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.ConsentId, Data.ConsentId);
  assert.equal(again.body.Data.CreationDateTime, Data.CreationDateTime);
  assert.equal(again.body.Data.Status, "AUTH");
});

test("P-047: repeating an order request returns the same order with its current status, not U009", async () => {
  const { token, order } = await bank.authorised();
  const sent = { token, body: order, key: "p047" };
  const created = (await bank.post(orders, sent)).body;
  await bank.database.query(sql`update payment_order set status = 'ACSC'
    where order_id = ${created.Data.DomesticPaymentId}`);
  const again = await bank.post(orders, sent);
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.DomesticPaymentId, created.Data.DomesticPaymentId);
  assert.equal(again.body.Data.Status, "ACSC");
});

test("P-048: a repeated request may have a new signature", async () => {
  const sent = { body: domesticConsent(), key: "p048" };
  const earlier = Math.floor(Date.now() / 1000) - 60;
  const created = await bank.post(consents, { ...sent, signedAt: earlier });
  const again = await bank.post(consents, sent);
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.ConsentId, created.body.Data.ConsentId);
});

test("P-049, D-401-10: a repeat may have other spacing, another member order and another notation of the amount", async () => {
  const sent = domesticConsent();
  const { Data } = (await bank.post(consents, { body: sent, key: "p049" })).body;
  const { InstructedAmount, ...rest } = sent.Data.Initiation;
  const Initiation = { InstructedAmount: { Currency: "GBP", Amount: "10.0" }, ...rest };
  const body = JSON.stringify({ Risk: sent.Risk, Data: { Initiation } }, null, 2);
  const again = await bank.post(consents, { body, key: "p049" });
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.ConsentId, Data.ConsentId);
  assert.equal(again.body.Data.Initiation.InstructedAmount.Amount, InstructedAmount.Amount);
});

test("P-050, D-401-09: a different body with the same key is 400 U029 with a link, and creates nothing", async () => {
  const sent = { body: domesticConsent(), key: "p050" };
  const { Data } = (await bank.post(consents, sent)).body;
  const before = await countOf("consent");
  for (const change of [
    (body: Json) => (body.Data.Initiation.InstructedAmount.Amount = "11.00"),
    (body: Json) => delete body.Data.Initiation.EndToEndIdentification, // invalid too
  ]) {
    const answer = await bank.post(consents, { key: "p050", body: domesticConsent(change) });
    assert.equal(answer.status, 400);
    assert.deepEqual(firstFault(answer), ["U029", "x-idempotency-key"]);
    assert.match(answer.body.Errors[0].Url, /^https:/);
  }
  assert.equal(await countOf("consent"), before);
  const { body } = await bank.get(`${consents}/${Data.ConsentId}`);
  assert.deepEqual(body.Data.Initiation, sent.body.Data.Initiation);
});

test("P-050: an order's key with a different body is U029 before any other check", async () => {
  const { token, order } = await bank.authorised();
  await bank.post(orders, { token, body: order, key: "p050-order" });
  const changed = structuredClone(order);
  changed.Data.Initiation.InstructedAmount.Amount = "11.00";
  const answer = await bank.post(orders, { token, body: changed, key: "p050-order" });
  assert.deepEqual(firstFault(answer), ["U029", "x-idempotency-key"]);
});

test("P-050: an order's key with a body that its schema refuses is U029, and its own body still gets the order", async () => {
  const { token, order } = await bank.authorised();
  const sent = { token, body: order, key: "p050-invalid" };
  const created = (await bank.post(orders, sent)).body;
  const { Risk: _, ...invalid } = order;
  const answer = await bank.post(orders, { ...sent, body: invalid });
  assert.deepEqual(firstFault(answer), ["U029", "x-idempotency-key"]);
  const again = await bank.post(orders, sent);
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.DomesticPaymentId, created.Data.DomesticPaymentId);
});

test("D-401-09: the status of a key conflict can be set to 422", async () => {
  const front = await bank.configured({ IDEMPOTENCY_CONFLICT_STATUS: 422 });
  await front.post(consents, { body: domesticConsent(), key: "422" });
  const body = domesticConsent(({ Data }) => {
    Data.ReadRefundAccount = "No";
  });
  const answer = await front.post(consents, { body, key: "422" });
  assert.equal(answer.status, 422);
  assert.deepEqual(firstFault(answer), ["U029", "x-idempotency-key"]);
});

test("P-051: two TPPs may use the same key", async () => {
  const sent = { body: domesticConsent(), key: "p051" };
  const mine = await bank.post(consents, sent);
  const theirs = await bank.post(consents, sent, bank.otherTpp);
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.body.Data.ConsentId, mine.body.Data.ConsentId);
});

test("P-052: a key may be used again for another operation", async () => {
  const lodged = await bank.post(consents, { body: domesticConsent(), key: "p052" });
  const { ConsentId, Initiation } = lodged.body.Data;
  const token = await bank.authorise(ConsentId);
  const body = { Data: { ConsentId, Initiation }, Risk: {} };
  assert.equal((await bank.post(orders, { token, body, key: "p052" })).status, 201);
});

test("P-053: a key can be used again after 24 hours", async () => {
  const sent = { body: domesticConsent(), key: "p053" };
  const { Data } = (await bank.post(consents, sent)).body;
  const { token, order } = await bank.authorised();
  const orderSent = { token, body: order, key: "p053" };
  await bank.post(orders, orderSent);
  bank.clock.set("2027-03-03T10:00:00Z");
  const again = await bank.post(consents, sent);
  assert.equal(again.status, 201);
  assert.notEqual(again.body.Data.ConsentId, Data.ConsentId);
  assert.deepEqual(firstFault(await bank.post(orders, orderSent)), ["U009", "Data.Status"]);
  const replayed = await bank.post(consents, sent);
  assert.equal(replayed.body.Data.ConsentId, again.body.Data.ConsentId);
});

test("P-054: a refused request does not use up its key", async () => {
  const wrong = domesticConsent(({ Data }) => {
    Data.Initiation.InstructedAmount.Currency = "USD";
  });
  assert.equal((await bank.post(consents, { body: wrong, key: "p054" })).status, 400);
  assert.equal((await bank.post(consents, { body: domesticConsent(), key: "p054" })).status, 201);
  const { token, order } = await bank.authorised();
  const changed = structuredClone(order);
  changed.Data.Initiation.InstructedAmount.Amount = "11.00";
  const refused = await bank.post(orders, { token, body: changed, key: "p054" });
  assert.deepEqual(firstFault(refused)[0], "U008");
  assert.equal((await bank.post(orders, { token, body: order, key: "p054" })).status, 201);
});

test("P-057: repeating an order with another consent's token is 403", async () => {
  const { token, order } = await bank.authorised();
  await bank.post(orders, { token, body: order, key: "p057" });
  const other = await bank.authorised();
  const answer = await bank.post(orders, { token: other.token, body: order, key: "p057" });
  assert.equal(answer.status, 403);
  const [{ Message }] = answer.body.Errors;
  for (const id of [order.Data.ConsentId, other.consentId])
    assert.ok(Message.includes(id), Message);
});

test("P-108: a consent request from before the cut-off can be repeated after it", async () => {
  const front = await bank.configured({ CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "reject" });
  const sent = { body: domesticConsent(), key: "p108" };
  const { Data } = (await front.post(consents, sent)).body;
  bank.clock.set("2027-03-02T16:00:00Z");
  const again = await front.post(consents, sent);
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.ConsentId, Data.ConsentId);
});

test("a key of another request leaves the consent unchanged", async () => {
  const one = await bank.authorised();
  await bank.post(orders, { token: one.token, body: one.order, key: "raced" });
  const two = await bank.authorised();
  const raced = await bank.post(orders, { token: two.token, body: two.order, key: "raced" });
  assert.deepEqual(firstFault(raced), ["U029", "x-idempotency-key"]);
  const row = await consentStatus(bank.database, two.consentId);
  assert.equal(row, "AUTH");
});

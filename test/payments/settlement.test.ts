import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import type { Json } from "./answer-check.ts";
import { bob } from "./bob.ts";
import {
  accounts,
  domesticConsent,
  numbers,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";

let bank: PaymentsFixture;
let engine: Engine;
before(async () => {
  bank = await openPayments();
  const { database, clock } = bank;
  await addCustomers(database, [bob]);
  await addHolders(database, [
    { accountId: accounts.joint, customerId: "customer-ann", role: "signatory" },
    { accountId: accounts.joint, customerId: bob.customerId, role: "signatory" },
  ]);
  engine = createEngine({
    database,
    clock,
    bank: createSandboxBank({ database, clock }),
    owner: "engine",
    batchSize: 16,
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

const toJoint = (Amount: string, make = domesticConsent): Json =>
  make(({ Data }) => {
    Data.Initiation.InstructedAmount.Amount = Amount;
    Data.Initiation.CreditorAccount.Identification = numbers.joint;
  });

async function detailOf(self: string): Promise<Json> {
  const [detail] = (await bank.get(`${self}/payment-details`)).body.Data.PaymentStatus;
  return detail;
}

test("P-148, P-183: an order is settled by the engine under its PaymentTransactionId", async () => {
  const { token, order } = await bank.authorised({ body: toJoint("1.00") });
  const { Links } = (await bank.post("/domestic-payments", { token, body: order })).body;
  const received = await detailOf(Links.Self);
  bank.clock.set("2027-03-02T10:00:01Z");
  await engine.drain();
  const { Data } = (await bank.get(Links.Self)).body;
  assert.equal(Data.Status, "ACCC");
  assert.equal(Data.StatusUpdateDateTime, "2027-03-02T10:00:01Z");
  const settled = await detailOf(Links.Self);
  assert.equal(settled.Status, "ACCC");
  assert.equal(settled.PaymentTransactionId, received.PaymentTransactionId);
});

test("P-165: an order without funds is rejected with AM04, and the consent is used up", async () => {
  const { token, order, consentId } = await bank.authorised({ body: toJoint("1000.00") });
  const { Links } = (await bank.post("/domestic-payments", { token, body: order })).body;
  await engine.drain();
  const { Data } = (await bank.get(Links.Self)).body;
  assert.equal(Data.Status, "RJCT");
  assert.equal(Data.StatusReason[0].StatusReasonCode, "AM04");
  const consent = await bank.get(`/domestic-payment-consents/${consentId}`);
  assert.equal(consent.body.Data.Status, "COND");
});

test("a scheduled order waits for its date and is settled on it", async () => {
  const { token, order } = await bank.authorised({
    path: "/domestic-scheduled-payment-consents",
    body: toJoint("2.00", scheduledConsent),
  });
  const created = await bank.post("/domestic-scheduled-payments", { token, body: order });
  const { Self } = created.body.Links;
  const status = async () => (await bank.get(Self)).body.Data.Status;
  await engine.drain();
  assert.equal(await status(), "PDNG");
  assert.equal((await engine.nextDueAt())?.toString(), "2027-03-09T06:00:00Z");
  bank.clock.set("2027-03-09T05:59:59Z");
  await engine.drain();
  assert.equal(await status(), "PDNG");
  bank.clock.set("2027-03-09T06:00:00Z");
  await engine.drain();
  assert.equal(await status(), "ACCC");
});

test("D-401-54: a scheduled payment that its customer cancels is CANC, with reason CUST", async () => {
  const { token, order } = await bank.authorised({
    path: "/domestic-scheduled-payment-consents",
    body: toJoint("2.00", scheduledConsent),
  });
  const { body } = await bank.post("/domestic-scheduled-payments", { token, body: order });
  await engine.drain();
  await addHolders(bank.database, [
    { accountId: accounts.current, customerId: "customer-ann", role: "owner" },
  ]);
  const orderId = body.Data.DomesticScheduledPaymentId;
  assert.equal(await cancelOrder(bank, { orderId, customerId: "customer-ann" }), "cancelled");
  const { Data } = (await bank.get(body.Links.Self)).body;
  assert.equal(Data.Status, "CANC");
  assert.equal(Data.StatusReason[0].StatusReasonCode, "CUST");
  assert.equal((await detailOf(body.Links.Self)).Status, "CANC");
  bank.clock.set("2027-03-09T06:00:00Z");
  await engine.drain();
  assert.equal((await bank.get(body.Links.Self)).body.Data.Status, "CANC");
});

for (const decision of ["approve", "reject"] as const) {
  test(`P-171: the order and its MultiAuthorisation show a second signatory's decision (${decision})`, async () => {
    const body = domesticConsent(({ Data }) => {
      Data.Initiation.CreditorAccount.Identification = numbers.current;
      Data.Initiation.InstructedAmount.Amount = "0.50";
    });
    const { token, order } = await bank.authorised({ body, accountId: accounts.joint });
    const { Data, Links } = (await bank.post("/domestic-payments", { token, body: order })).body;
    await engine.drain();
    assert.equal((await bank.get(Links.Self)).body.Data.Status, "PATC");
    await decideMultiAuthorisation(bank, {
      orderId: Data.DomesticPaymentId,
      customerId: "customer-bob",
      decision,
    });
    await engine.drain();
    const after = (await bank.get(Links.Self)).body.Data;
    const approved = decision === "approve";
    assert.equal(after.MultiAuthorisation.Status, approved ? "AUTH" : "RJCT");
    assert.equal(after.MultiAuthorisation.NumberReceived, approved ? 2 : 1);
    assert.equal(after.Status, approved ? "ACCC" : "RJCT");
    if (!approved) assert.equal(after.StatusReason[0].StatusReasonCode, "U037");
  });
}

test("an order needs two statements: one for token, consent and key, one for creation", async () => {
  const { token, order } = await bank.authorised();
  const earlier = bank.statements();
  await bank.post("/domestic-payments", { token, body: order });
  assert.equal(bank.statements() - earlier, 2);
});

test("a consent needs two statements: token and creation", async () => {
  const earlier = bank.statements();
  await bank.post("/domestic-payment-consents", { body: domesticConsent() });
  assert.equal(bank.statements() - earlier, 2);
});

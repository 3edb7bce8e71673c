import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { rejectOverdueConsents } from "#src/consents/sweep-consents.ts";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { accounts } from "#test/payments/fixture.ts";
import { type Change, openV3, start, type V3Bed, type V3Kind } from "./bed.ts";

// The words of v3.1 for what happens to an order, beside the codes of v4.0 for the same order.

let bank: V3Bed;
before(async () => {
  bank = await openV3();
});
after(() => bank?.close());
beforeEach(() => bank.clock.set(start));

const onItsDay = "2027-03-10T09:00:00Z";
/** The statuses of an order on v3.1 and v4.0, and those of its first payment. */
async function statusesOf(kind: V3Kind, id: string) {
  const path = `/${kind}s/${id}`;
  const { older, newer } = await bank.inBoth(path);
  const details = await bank.inBoth(`${path}/payment-details`);
  const [first, second] = [details.older, details.newer].map(({ Data }) => Data.PaymentStatus[0]);
  return {
    order: [older.Data.Status, newer.Data.Status],
    details: [first.Status, second.Status],
    detail: first.StatusDetail as Json,
  };
}

for (const kind of ["domestic-payment", "international-payment"] as const) {
  test(`F-041, F-042: an immediate payment is Pending until it is made (${kind})`, async () => {
    const { id, data } = await bank.ordered(kind);
    assert.equal(data.Status, "Pending");
    assert.deepEqual((await statusesOf(kind, id)).order, ["Pending", "RCVD"]);
    await bank.runTo("2027-03-03T11:00:00Z");
    await bank.runTo("2027-03-05T11:00:00Z");
    const made = await statusesOf(kind, id);
    assert.deepEqual(made.order, ["AcceptedCreditSettlementCompleted", "ACCC"]);
    assert.deepEqual(made.details, ["AcceptedCreditSettlementCompleted", "ACCC"]);
  });
}

// the word of v3.1 for each status that a payment can have, and for the same in payment-details
const words: [status: string, order: string, detail: string][] = [
  ["RCVD", "Pending", "Received"],
  ["PDNG", "Pending", "Pending"],
  ["ACTC", "Pending", "AcceptedTechnicalValidation"],
  ["PATC", "Pending", "PartiallyAcceptedTechnicalCorrect"],
  ["ACCP", "Pending", "AcceptedCustomerProfile"],
  ["ACFC", "Pending", "AcceptedFundsChecked"],
  ["ACSP", "AcceptedSettlementInProcess", "AcceptedSettlementInProcess"],
  ["ACWC", "AcceptedSettlementInProcess", "AcceptedWithChange"],
  ["ACSC", "AcceptedSettlementCompleted", "AcceptedSettlementCompleted"],
  ["ACWP", "AcceptedWithoutPosting", "AcceptedWithoutPosting"],
  ["BLCK", "AcceptedWithoutPosting", "AcceptedWithoutPosting"],
  ["ACCC", "AcceptedCreditSettlementCompleted", "AcceptedCreditSettlementCompleted"],
  ["RJCT", "Rejected", "Rejected"],
];
const isOneOf = (list: readonly string[], word: string) => assert.ok(list.includes(word), word);

test("F-043, F-044, F-053, F-073: v3.1 has a word for each status of a payment, which v4.0 shows as its code", async () => {
  const { id } = await bank.ordered("domestic-payment");
  for (const [status, order, detail] of words) {
    await bank.database.query(sql`
      update payment_order set status = ${status} where order_id = ${id}`);
    await bank.database.query(sql`
      update payment set status = ${status}, due_at = null where order_id = ${id}`);
    const shown = await statusesOf("domestic-payment", id);
    assert.deepEqual(shown.order, [order, status]);
    assert.deepEqual(shown.details, [detail, status]);
  }
});

const laterWords = ["InitiationPending", "InitiationCompleted", "InitiationFailed", "Cancelled"];
test("F-073: v3.1 has a word for each status of an order that is set up before it pays", async () => {
  const rows: [V3Kind, string][] = [
    [
      "domestic-scheduled-payment",
      "RCVD PDNG ACTC PATC ACCP ACFC ACSP ACWC ACSC ACWP BLCK ACCC RJCT CANC",
    ],
    ["domestic-standing-order", "RCVD ACTC PATC PDNG INCO INFA RJCT CANC"],
    ["file-payment", "RCVD PATC PDNG INCO INFA RJCT CANC"],
  ];
  for (const [kind, statuses] of rows) {
    const { id } = await bank.ordered(kind);
    for (const status of statuses.split(" ")) {
      await bank.database.query(sql`
        update payment_order set status = ${status} where order_id = ${id}`);
      const { order } = await statusesOf(kind, id);
      isOneOf(laterWords, order[0]);
    }
  }
});

for (const kind of ["domestic-scheduled-payment", "international-scheduled-payment"] as const) {
  test(`F-045, F-046: an order for a later day is completed once it is set up, whatever follows (${kind})`, async () => {
    const { id, data } = await bank.ordered(kind);
    assert.equal(data.Status, "InitiationPending");
    await bank.runTo("2027-03-03T11:00:00Z");
    assert.deepEqual((await statusesOf(kind, id)).order, ["InitiationCompleted", "PDNG"]);
    await bank.runTo(onItsDay);
    await bank.runTo("2027-03-12T11:00:00Z");
    const made = await statusesOf(kind, id);
    assert.deepEqual(made.order, ["InitiationCompleted", "ACCC"]);
    assert.equal(made.details[0], "AcceptedCreditSettlementCompleted");
  });
}

test("F-047, F-054: an order for a later day that fails on its day stays completed, and its payment is rejected", async () => {
  const kind = "domestic-scheduled-payment";
  // there is no money in this account
  const { id } = await bank.ordered(kind, undefined, accounts.savings);
  await bank.runTo("2027-03-03T11:00:00Z");
  await bank.runTo(onItsDay);
  const { order, details, detail } = await statusesOf(kind, id);
  assert.deepEqual(order, ["InitiationCompleted", "RJCT"]);
  assert.deepEqual(details, ["Rejected", "RJCT"]);
  assert.equal(detail.StatusReason, "ProprietaryRejection");
  assert.match(detail.StatusReasonDescription, /funds/i);
});

test("F-048: an order that the customer cancels at the bank is Cancelled", async () => {
  const kind = "domestic-scheduled-payment";
  const { id } = await bank.ordered(kind);
  await bank.runTo("2027-03-03T11:00:00Z");
  assert.equal(await cancelOrder(bank, { orderId: id, customerId: "customer-ann" }), "cancelled");
  const { order, details, detail } = await statusesOf(kind, id);
  assert.deepEqual(order, ["Cancelled", "CANC"]);
  assert.deepEqual(details, ["Cancelled", "CANC"]);
  assert.equal(detail.StatusReason, "Cancelled");
});

for (const kind of ["domestic-standing-order", "international-standing-order"] as const) {
  test(`F-049: a standing order is completed once it is set up (${kind})`, async () => {
    const { id, data } = await bank.ordered(kind);
    assert.equal(data.Status, "InitiationPending");
    await bank.runTo("2027-03-03T11:00:00Z");
    const waiting = await statusesOf(kind, id);
    assert.deepEqual(waiting.order, ["InitiationCompleted", "INCO"]);
    assert.deepEqual(waiting.details, ["Pending", "PDNG"]);
    await bank.runTo(onItsDay);
    const paid = await statusesOf(kind, id);
    assert.deepEqual(paid.order, ["InitiationCompleted", "INCO"]);
  });
}

test("F-050: a file is pending, then completed", async () => {
  const { id, data } = await bank.ordered("file-payment");
  assert.equal(data.Status, "InitiationPending");
  await bank.runTo("2027-03-03T11:00:00Z");
  const begun = await statusesOf("file-payment", id);
  assert.deepEqual(begun.order, ["InitiationPending", "PDNG"]);
  await bank.runTo(onItsDay);
  const done = await statusesOf("file-payment", id);
  assert.deepEqual(done.order, ["InitiationCompleted", "INCO"]);
});

const decide = (orderId: string, decision: "approve" | "reject") =>
  decideMultiAuthorisation(bank, { orderId, customerId: "customer-bob", decision });

test("F-051: an order that more must sign is pending, awaits further authorisation, and is then made or rejected", async () => {
  const signed = async (kind: V3Kind, id: string) => {
    const { older, newer } = await bank.inBoth(`/${kind}s/${id}`);
    const statuses = [older, newer].map(({ Data }) => [
      Data.Status,
      Data.MultiAuthorisation.Status,
    ]);
    return statuses.flat();
  };
  const payToBob: Change = ({ Data }) => {
    Data.Initiation.CreditorAccount.Identification = "20001512345678";
  };
  for (const [kind, word, newer] of [
    ["domestic-payment", "Pending", "PATC"],
    ["domestic-scheduled-payment", "InitiationPending", "PATC"],
    ["file-payment", "InitiationPending", "PDNG"],
  ] as const) {
    const change = kind === "file-payment" ? undefined : payToBob;
    const { id } = await bank.ordered(kind, change, accounts.joint);
    const waiting = [word, "AwaitingFurtherAuthorisation", newer, "AWAF"];
    assert.deepEqual(await signed(kind, id), waiting, kind);
    assert.equal(await decide(id, "approve"), "complete");
    const after = await signed(kind, id);
    assert.deepEqual([after[1], after[3]], ["Authorised", "AUTH"], kind);
  }
  for (const [kind, word] of [
    ["domestic-payment", "Rejected"],
    ["domestic-scheduled-payment", "InitiationFailed"],
    ["domestic-standing-order", "InitiationFailed"],
  ] as const) {
    const { id } = await bank.ordered(kind, payToBob, accounts.joint);
    assert.equal(await decide(id, "reject"), "rejected");
    assert.deepEqual(await signed(kind, id), [word, "Rejected", "RJCT", "RJCT"], kind);
  }
});

test("F-070: a consent that nobody authorises in time is Rejected on v3.1 and RJCT on v4.0", async () => {
  const lodged = await bank.lodge("domestic-payment");
  bank.clock.set("2027-03-05T10:00:00Z");
  await rejectOverdueConsents(bank.database, bank.clock.now(), 3600);
  const { older, newer } = await bank.inBoth(
    `/domestic-payment-consents/${lodged.body.Data.ConsentId}`,
  );
  assert.deepEqual([older.Data.Status, newer.Data.Status], ["Rejected", "RJCT"]);
});

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { listUpcoming } from "#src/payments/execution/cancellation.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "./answer-check.ts";
import { accounts, numbers, standingOrderConsent } from "./fixture.ts";
import {
  type Change,
  consentPath,
  openStandingOrders,
  orderPath,
  type StandingOrderBed,
} from "./standing-order-bed.ts";

let bed: StandingOrderBed;
let bank: StandingOrderBed["bank"];
let engine: StandingOrderBed["engine"];
before(async () => {
  bed = await openStandingOrders();
  ({ bank, engine } = bed);
});
beforeEach(() => bed.reset());
after(() => bed.close());

test("cancelling a running standing order makes it CANC with CUST, and nothing more is paid", async () => {
  const made = await bed.order();
  await bed.liveUntil("2027-03-20");
  assert.equal(await bed.cancel(made, "customer-bob"), "notYours");
  assert.equal(await bed.cancel(made), "cancelled");
  const { Status, StatusReason } = await bed.read(made);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["CANC", "CUST"]);
  assert.deepEqual(await bed.statuses(made), ["ACCC", "CANC"]);
  assert.equal(await bed.cancel(made), "tooLate");
  await bed.liveUntil("2027-06-30");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "CANC"]);
});

test("a standing order can be cancelled before its first payment, and not after its last", async () => {
  const early = await bed.order();
  assert.equal(await bed.cancel(early), "cancelled");
  await engine.drain();
  assert.equal((await bed.read(early)).Status, "CANC");
  assert.deepEqual(await bed.statuses(early), ["CANC"]);

  const late = await bed.order((initiation) => {
    initiation.NumberOfPayments = "1";
  });
  await bed.liveUntil("2027-03-15");
  assert.equal(await bed.cancel(late), "tooLate");
  assert.equal((await bed.read(late)).Status, "INCO");
});

test("a payment whose date has come is made although its order is cancelled, and is the last", async () => {
  const made = await bed.order();
  await engine.drain();
  bank.clock.set("2027-03-15T08:00:00Z");
  assert.equal(await bed.cancel(made), "cancelled");
  await engine.drain();
  assert.deepEqual(await bed.statuses(made), ["ACCC"]);
  assert.equal((await bed.read(made)).Status, "CANC");
  assert.equal(await engine.nextDueAt(), null);
});

test("upcoming payments show a standing order with its next date and amount", async () => {
  const made = await bed.order((initiation) => {
    initiation.RecurringPaymentAmount = { Amount: "0.20", Currency: "GBP" };
  });
  const mine = async () =>
    (await listUpcoming(bank, "customer-ann")).find(
      ({ orderId }) => orderId === made.Data.DomesticStandingOrderId,
    );
  await engine.drain();
  assert.equal((await mine())?.payment.amount.amountMinor, 500n);
  await bed.liveUntil("2027-03-20");
  const next = await mine();
  assert.equal(next?.payment.amount.amountMinor, 20n);
  assert.equal(next?.executeAt.toString(), "2027-04-15T05:00:00Z");
  assert.deepEqual(next?.schedule?.rhythm, { unit: "month", every: 1, day: 15 });
  await bed.cancel(made);
  assert.equal(await mine(), undefined);
});

type Shown = {
  isActive: boolean;
  rhythm: Rhythm;
  nextOn: Temporal.PlainDate | null;
  nextMinor: bigint | null;
  lastOn: Temporal.PlainDate | null;
  lastMinor: bigint | null;
};

test("the view of standing orders gives the next and the previous payment", async () => {
  const made = await bed.order((initiation) => {
    initiation.NumberOfPayments = "2";
    initiation.FinalPaymentAmount = { Amount: "0.30", Currency: "GBP" };
  });
  const shown = async (): Promise<unknown[]> => {
    const [row] = await bank.database.query<Shown>(sql`
      select is_active as "isActive", rhythm, next_payment_on as "nextOn",
        next_payment_minor as "nextMinor", last_payment_on as "lastOn",
        last_payment_minor as "lastMinor"
      from standing_order
      where account_id = ${accounts.current}
        and standing_order_id = ${made.Data.DomesticStandingOrderId}`);
    assert(row);
    const { isActive, nextOn, nextMinor, lastOn, lastMinor } = row;
    assert.deepEqual(row.rhythm, { unit: "month", every: 1, day: 15 });
    return [isActive, nextOn?.toString(), nextMinor, lastOn?.toString(), lastMinor];
  };
  assert.deepEqual(await shown(), [true, "2027-03-15", 500n, undefined, null]);
  await bed.liveUntil("2027-03-20");
  assert.deepEqual(await shown(), [true, "2027-04-15", 30n, "2027-03-15", 500n]);
  await bed.liveUntil("2027-04-20");
  assert.deepEqual(await shown(), [false, undefined, null, "2027-04-15", 30n]);
});

test("P-167, P-168: a standing order shows the refund account if it was requested", async () => {
  const made = await bed.order((_, data) => Object.assign(data, { ReadRefundAccount: "Yes" }));
  assert.equal(made.Data.Refund.Account.Identification, numbers.current);
  assert.equal((await bed.read(made)).Refund.Account.Identification, numbers.current);
  assert.equal((await bed.order()).Data.Refund, undefined);
});

/** Makes a standing order from the joint account, which needs two signatures. */
async function jointOrder(change: Change = () => undefined): Promise<Json> {
  const body = standingOrderConsent(({ Data }) => {
    Data.Initiation.CreditorAccount.Identification = numbers.current;
    Data.Initiation.FirstPaymentAmount.Amount = "0.05";
    change(Data.Initiation, Data);
  });
  const { token, order: submitted } = await bank.authorised({
    path: consentPath,
    body,
    accountId: accounts.joint,
  });
  return (await bank.post(orderPath, { token, body: submitted })).body;
}

const decide = (made: Json, decision: "approve" | "reject") =>
  decideMultiAuthorisation(bank, {
    orderId: made.Data.DomesticStandingOrderId,
    customerId: "customer-bob",
    decision,
  });

test("P-169, P-171: a standing order waits in PATC until all have signed, and is then set up", async () => {
  const made = await jointOrder();
  assert.equal(made.Data.Status, "PATC");
  assert.equal(made.Data.MultiAuthorisation.Status, "AWAF");
  await engine.drain();
  assert.equal((await bed.read(made)).Status, "PATC");
  assert.equal(await decide(made, "approve"), "complete");
  await engine.drain();
  const { Status, MultiAuthorisation } = await bed.read(made);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["INCO", "AUTH"]);
  await bed.liveUntil("2027-03-15");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "PDNG"]);
});

test("P-171: one signatory's rejection rejects the standing order and its payment", async () => {
  const made = await jointOrder();
  assert.equal(await decide(made, "reject"), "rejected");
  const { Status, StatusReason, MultiAuthorisation } = await bed.read(made);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["RJCT", "RJCT"]);
  assert.equal(StatusReason[0].StatusReasonCode, "U037");
  assert.deepEqual(await bed.statuses(made), ["RJCT"]);
});

test("P-171: a standing order whose signatures are missing on its first date is rejected", async () => {
  const CompletionDateTime = "2027-12-31T00:00:00Z";
  const made = await jointOrder((_, data) =>
    Object.assign(data, { Authorisation: { AuthorisationType: "Any", CompletionDateTime } }),
  );
  assert.equal(made.Data.MultiAuthorisation.ExpirationDateTime, "2027-03-15T06:00:00Z");
  bank.clock.set("2027-03-15T06:00:00Z");
  assert.equal(await decide(made, "approve"), "notWaiting");
  await engine.sweep();
  assert.equal((await bed.read(made)).Status, "RJCT");
});

test("D-401-51: a standing order is set up and cancelled, and so are its payments", async () => {
  const made = await bed.order((initiation) => {
    initiation.NumberOfPayments = "2";
    initiation.FirstPaymentAmount.Amount = "0.10";
  });
  assert.equal(made.Data.Status, "RCVD");
  assert.equal((await bed.details(made))[0]?.Status, "RCVD");
  await bed.liveUntil("2027-03-20");
  assert.equal((await bed.read(made)).Status, "INCO");
  assert.deepEqual(
    (await bed.details(made)).map(({ Status }) => Status),
    ["ACCC", "PDNG"],
  );
  await bed.cancel(made);
  assert.equal((await bed.read(made)).Status, "CANC");
  assert.deepEqual(
    (await bed.details(made)).map(({ Status }) => Status),
    ["ACCC", "CANC"],
  );
});

test("verify finds standing orders that plan too many, too few or wrong payments", async () => {
  const made = await bed.order();
  await bed.liveUntil("2027-03-20");
  const id = made.Data.DomesticStandingOrderId;
  const broken = async (change: ReturnType<typeof sql>): Promise<string[]> => {
    const names: string[] = [];
    const undo = new Error("undo");
    await bank.database
      .transaction(async (transaction) => {
        await transaction.query(change);
        for (const { invariant, subject } of await verifyInvariants(transaction)) {
          if (subject === id) names.push(invariant);
        }
        throw undo;
      })
      .catch((error) => assert.equal(error, undo));
    return names;
  };
  const oneToCome = "a running standing order has one planned payment, until its last payment";
  const inStep = "a standing order's payments are numbered without gaps, in order of date";
  assert.deepEqual(await broken(sql`select 1`), []);
  assert.deepEqual(await broken(sql`delete from payment where order_id = ${id} and sequence = 2`), [
    oneToCome,
  ]);
  assert.deepEqual(
    await broken(sql`update payment set is_last = true where order_id = ${id} and sequence = 1`),
    [oneToCome],
  );
  assert.deepEqual(
    await broken(sql`update payment set sequence = 3 where order_id = ${id} and sequence = 2`),
    [inStep],
  );
  assert.deepEqual(
    await broken(sql`
      update payment set scheduled_on = '2027-03-01' where order_id = ${id} and sequence = 2`),
    [inStep],
  );
  assert.deepEqual(
    await broken(sql`update payment_order set status = 'CANC' where order_id = ${id}`),
    ["a cancelled or rejected order has no planned payment"],
  );
});

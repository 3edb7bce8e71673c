import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createSandboxBank } from "#src/bank/sandbox/sandbox-bank.ts";
import { cancelOrder, listUpcoming } from "#src/payments/execution/cancellation.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { verifyInvariants } from "#src/payments/verify.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "./answer-check.ts";
import {
  accounts,
  type Front,
  numbers,
  openPayments,
  type PaymentsFixture,
  standingOrderConsent,
} from "./fixture.ts";

const consentPath = "/domestic-standing-order-consents";
const orderPath = "/domestic-standing-orders";

let bank: PaymentsFixture;
let engine: Engine;
before(async () => {
  bank = await openPayments();
  const { database, clock } = bank;
  await database.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    values ('customer-bob', 'bob', 'Bob Example', 'personal', '', '')`);
  await database.query(sql`
    insert into account_holder (account_id, customer_id, role)
    values (${accounts.current}, 'customer-ann', 'owner'),
      (${accounts.joint}, 'customer-ann', 'signatory'),
      (${accounts.joint}, 'customer-bob', 'signatory')`);
  engine = createEngine({
    database,
    clock,
    bank: createSandboxBank({ database, clock }),
    owner: "engine",
    batchSize: 16,
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
});
beforeEach(async () => {
  // what earlier tests have left running must not be due in this one
  await bank.database.query(sql`
    update payment_order set status = 'CANC' where kind = 'domestic-standing-order'`);
  await bank.database.query(sql`
    update payment set status = 'CANC', due_at = null where due_at is not null`);
  bank.clock.set("2027-03-02T10:00:00Z");
});
after(async () => {
  assert.deepEqual(await verifyInvariants(bank.database), []);
  await bank.close();
});

type Change = (initiation: Json, data: Json) => void;

/** A standing order to the joint account, as its order's answer. */
async function order(change: Change = () => undefined, front: Front = bank): Promise<Json> {
  const body = standingOrderConsent(({ Data }) => {
    Data.Initiation.CreditorAccount.Identification = numbers.joint;
    change(Data.Initiation, Data);
  });
  const granted = await front.authorised({ path: consentPath, body });
  const answer = await front.post(orderPath, { token: granted.token, body: granted.order });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

async function read({ Links }: Json, front: Front = bank): Promise<Json> {
  return (await front.get(Links.Self)).body.Data;
}

async function details({ Links }: Json, front: Front = bank): Promise<Json[]> {
  return (await front.get(`${Links.Self}/payment-details`)).body.Data.PaymentStatus;
}

const statuses = async (made: Json): Promise<string[]> =>
  (await details(made)).map(({ Status }) => Status);

/** Lets the days of payments come, one after the other, until nothing is due before that day. */
async function liveUntil(day: string): Promise<void> {
  const end = Temporal.Instant.from(`${day}T23:59:59Z`);
  for (;;) {
    await engine.drain();
    const due = await engine.nextDueAt();
    if (due === null || Temporal.Instant.compare(due, end) > 0) break;
    bank.clock.set(due.toString());
  }
  bank.clock.set(end.toString());
}

type Row = {
  scheduledOn: Temporal.PlainDate;
  executedOn: Temporal.Instant;
  amountMinor: bigint;
  isLast: boolean;
};

const rowsOf = ({ Data }: Json): Promise<Row[]> =>
  bank.database.query<Row>(sql`
    select scheduled_on as "scheduledOn", execute_at as "executedOn",
      amount_minor as "amountMinor", is_last as "isLast"
    from payment where order_id = ${Data.DomesticStandingOrderId} order by sequence`);

async function balanceOf(accountId: string): Promise<bigint> {
  const [row] = await bank.database.query<{ balance: bigint }>(
    sql`select balance_minor as balance from ledger_account where account_id = ${accountId}`,
  );
  assert(row);
  return row.balance;
}

test("P-147, P-148: a standing order is set up at once, and shows no expected dates", async () => {
  const made = await order();
  assert.equal(made.Data.Status, "RCVD");
  assert.deepEqual(await statuses(made), ["RCVD"]);
  await engine.drain();
  const { Status, ExpectedExecutionDateTime, ...rest } = await read(made);
  assert.equal(Status, "INCO");
  assert.equal(ExpectedExecutionDateTime, undefined);
  assert.equal(rest.ExpectedSettlementDateTime, undefined);
  assert.equal(rest.MultiAuthorisation, undefined);
  assert.deepEqual(await statuses(made), ["PDNG"]);
});

test("each payment is made on its day, has its own entry, and moves the money", async () => {
  const made = await order((initiation) => {
    initiation.NumberOfPayments = "3";
    initiation.RecurringPaymentAmount = { Amount: "6.00", Currency: "GBP" };
    initiation.FinalPaymentAmount = { Amount: "0.75", Currency: "GBP" };
  });
  const [from, to] = [await balanceOf(accounts.current), await balanceOf(accounts.joint)];
  await liveUntil("2027-03-14");
  assert.deepEqual(await statuses(made), ["PDNG"]);
  await liveUntil("2027-03-15");
  assert.deepEqual(await statuses(made), ["ACCC", "PDNG"]);
  const [firstId] = (await details(made)).map(({ PaymentTransactionId }) => PaymentTransactionId);
  await liveUntil("2027-04-15");
  assert.deepEqual(await statuses(made), ["ACCC", "ACCC", "PDNG"]);
  await liveUntil("2028-04-15");
  const all = await details(made);
  assert.deepEqual(
    all.map(({ Status }) => Status),
    ["ACCC", "ACCC", "ACCC"],
  );
  assert.equal(all[0]?.PaymentTransactionId, firstId);
  assert.equal(new Set(all.map((one) => one.PaymentTransactionId)).size, 3);
  assert.equal(all[0]?.StatusUpdateDateTime, "2027-03-15T06:00:00Z");
  assert.equal(all[1]?.StatusUpdateDateTime, "2027-04-15T05:00:00Z"); // summer time
  assert.equal((await balanceOf(accounts.current)) - from, -1175n);
  assert.equal((await balanceOf(accounts.joint)) - to, 1175n);
  assert.equal((await read(made)).Status, "INCO");
  assert.equal(await engine.nextDueAt(), null);
});

test("a weekend or holiday delays a payment and not those after it", async () => {
  const made = await order((initiation) => {
    Object.assign(initiation.MandateRelatedInformation, {
      FirstPaymentDateTime: "2027-03-26T00:00:00Z", // Good Friday
      Frequency: { Type: "WEEK" },
    });
    initiation.FirstPaymentAmount.Amount = "0.01";
  });
  await liveUntil("2027-04-30");
  const rows = await rowsOf(made);
  assert.deepEqual(
    rows.map((row) => `${row.scheduledOn} ${row.executedOn.toString().slice(0, 10)}`),
    [
      "2027-03-26 2027-03-30",
      "2027-04-02 2027-04-02",
      "2027-04-09 2027-04-09",
      "2027-04-16 2027-04-16",
      "2027-04-23 2027-04-23",
      "2027-04-30 2027-04-30",
      "2027-05-07 2027-05-07",
    ],
  );
});

test("days that one working day stands for are all paid on it", async () => {
  const made = await order((initiation) => {
    Object.assign(initiation.MandateRelatedInformation, {
      FirstPaymentDateTime: "2027-03-05T00:00:00Z",
      FinalPaymentDateTime: "2027-03-09T00:00:00Z",
      Frequency: { Type: "DAIL" },
    });
    initiation.FirstPaymentAmount.Amount = "0.01";
  });
  await liveUntil("2027-03-08");
  const days = (await details(made)).map((one) =>
    [one.Status, one.StatusUpdateDateTime.slice(0, 10)].join(" "),
  );
  assert.deepEqual(days.slice(0, 4), [
    "ACCC 2027-03-05",
    "ACCC 2027-03-08",
    "ACCC 2027-03-08",
    "ACCC 2027-03-08",
  ]);
  await liveUntil("2027-03-31");
  assert.deepEqual(await statuses(made), ["ACCC", "ACCC", "ACCC", "ACCC", "ACCC"]);
});

test("a clock that jumps over several days makes every payment, each once", async () => {
  const made = await order((initiation) => {
    Object.assign(initiation.MandateRelatedInformation.Frequency, { Type: "DAIL" });
    initiation.NumberOfPayments = "20";
    initiation.FirstPaymentAmount.Amount = "0.01";
  });
  bank.clock.set("2027-05-01T12:00:00Z");
  await engine.drain();
  const rows = await rowsOf(made);
  assert.equal(rows.length, 20);
  assert.equal(rows.at(-1)?.scheduledOn.toString(), "2027-04-03");
  assert.deepEqual(new Set(await statuses(made)), new Set(["ACCC"]));
});

test("without a first date the bank starts on its next processing date", async () => {
  bank.clock.set("2027-03-05T10:00:00Z"); // a Friday
  const made = await order((initiation) => {
    delete initiation.MandateRelatedInformation.FirstPaymentDateTime;
  });
  const [first] = await rowsOf(made);
  assert.equal(first?.scheduledOn.toString(), "2027-03-08");
});

test("P-165: a payment without funds is refused, and the order goes on", async () => {
  const made = await order((initiation) => {
    initiation.FirstPaymentAmount.Amount = "1.00";
    initiation.RecurringPaymentAmount = { Amount: "200.00", Currency: "GBP" };
    initiation.FinalPaymentAmount = { Amount: "1.50", Currency: "GBP" };
    initiation.NumberOfPayments = "3";
  });
  await liveUntil("2027-04-30");
  const [, refused] = await details(made);
  assert.equal(refused?.Status, "RJCT");
  assert.equal(refused?.StatusDetail.StatusReason, "AM04");
  assert.equal((await read(made)).Status, "INCO");
  await liveUntil("2027-05-31");
  assert.deepEqual(await statuses(made), ["ACCC", "RJCT", "ACCC"]);
  assert.equal((await read(made)).Status, "INCO");
});

const cancel = (made: Json, customerId = "customer-ann") =>
  cancelOrder(bank, { orderId: made.Data.DomesticStandingOrderId, customerId });

test("the customer cancels a running order: CANC with CUST, and nothing more is paid", async () => {
  const made = await order();
  await liveUntil("2027-03-20");
  assert.equal(await cancel(made, "customer-bob"), "notYours");
  assert.equal(await cancel(made), "cancelled");
  const { Status, StatusReason } = await read(made);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["CANC", "CUST"]);
  assert.deepEqual(await statuses(made), ["ACCC", "CANC"]);
  assert.equal(await cancel(made), "tooLate");
  await liveUntil("2027-06-30");
  assert.deepEqual(await statuses(made), ["ACCC", "CANC"]);
});

test("an order can be cancelled before its first payment, and not after its last", async () => {
  const early = await order();
  assert.equal(await cancel(early), "cancelled");
  await engine.drain();
  assert.equal((await read(early)).Status, "CANC");
  assert.deepEqual(await statuses(early), ["CANC"]);

  const late = await order((initiation) => {
    initiation.NumberOfPayments = "1";
  });
  await liveUntil("2027-03-15");
  assert.equal(await cancel(late), "tooLate");
  assert.equal((await read(late)).Status, "INCO");
});

test("a payment whose day has come is made although its order is cancelled, and is the last", async () => {
  const made = await order();
  await engine.drain();
  bank.clock.set("2027-03-15T08:00:00Z");
  assert.equal(await cancel(made), "cancelled");
  await engine.drain();
  assert.deepEqual(await statuses(made), ["ACCC"]);
  assert.equal((await read(made)).Status, "CANC");
  assert.equal(await engine.nextDueAt(), null);
});

test("what is to come shows a standing order with its next date and amount", async () => {
  const made = await order((initiation) => {
    initiation.RecurringPaymentAmount = { Amount: "0.20", Currency: "GBP" };
  });
  const mine = async () =>
    (await listUpcoming(bank.database, "customer-ann")).find(
      ({ orderId }) => orderId === made.Data.DomesticStandingOrderId,
    );
  await engine.drain();
  assert.equal((await mine())?.amountMinor, 500n);
  await liveUntil("2027-03-20");
  const next = await mine();
  assert.equal(next?.amountMinor, 20n);
  assert.equal(next?.executeAt.toString(), "2027-04-15T05:00:00Z");
  assert.equal(next?.schedule?.frequency, "IntrvlMnthDay:01:15");
  await cancel(made);
  assert.equal(await mine(), undefined);
});

type Shown = {
  isActive: boolean;
  frequency: string;
  nextOn: Temporal.PlainDate | null;
  nextMinor: bigint | null;
  lastOn: Temporal.PlainDate | null;
  lastMinor: bigint | null;
};

test("the view of standing orders says what comes next and what came last", async () => {
  const made = await order((initiation) => {
    initiation.NumberOfPayments = "2";
    initiation.FinalPaymentAmount = { Amount: "0.30", Currency: "GBP" };
  });
  const shown = async (): Promise<unknown[]> => {
    const [row] = await bank.database.query<Shown>(sql`
      select is_active as "isActive", frequency, next_payment_on as "nextOn",
        next_payment_minor as "nextMinor", last_payment_on as "lastOn",
        last_payment_minor as "lastMinor"
      from standing_order
      where account_id = ${accounts.current}
        and standing_order_id = ${made.Data.DomesticStandingOrderId}`);
    assert(row);
    const { isActive, nextOn, nextMinor, lastOn, lastMinor } = row;
    assert.equal(row.frequency, "IntrvlMnthDay:01:15");
    return [isActive, nextOn?.toString(), nextMinor, lastOn?.toString(), lastMinor];
  };
  assert.deepEqual(await shown(), [true, "2027-03-15", 500n, undefined, null]);
  await liveUntil("2027-03-20");
  assert.deepEqual(await shown(), [true, "2027-04-15", 30n, "2027-03-15", 500n]);
  await liveUntil("2027-04-20");
  assert.deepEqual(await shown(), [false, undefined, null, "2027-04-15", 30n]);
});

test("P-167, P-168: the refund account is shown when it was asked for", async () => {
  const made = await order((_, data) => Object.assign(data, { ReadRefundAccount: "Yes" }));
  assert.equal(made.Data.Refund.Account.Identification, numbers.current);
  assert.equal((await read(made)).Refund.Account.Identification, numbers.current);
  assert.equal((await order()).Data.Refund, undefined);
});

/** A standing order from the joint account, to which two must agree. */
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

test("P-169, P-171: an order waits in PATC until all have signed, and then is set up", async () => {
  const made = await jointOrder();
  assert.equal(made.Data.Status, "PATC");
  assert.equal(made.Data.MultiAuthorisation.Status, "AWAF");
  await engine.drain();
  assert.equal((await read(made)).Status, "PATC");
  assert.equal(await decide(made, "approve"), "complete");
  await engine.drain();
  const { Status, MultiAuthorisation } = await read(made);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["INCO", "AUTH"]);
  await liveUntil("2027-03-15");
  assert.deepEqual(await statuses(made), ["ACCC", "PDNG"]);
});

test("P-171: one signatory who says no rejects the order and its payment", async () => {
  const made = await jointOrder();
  assert.equal(await decide(made, "reject"), "rejected");
  const { Status, StatusReason, MultiAuthorisation } = await read(made);
  assert.deepEqual([Status, MultiAuthorisation.Status], ["RJCT", "RJCT"]);
  assert.equal(StatusReason[0].StatusReasonCode, "U037");
  assert.deepEqual(await statuses(made), ["RJCT"]);
});

test("P-171: signatures that are missing on the first day reject the order", async () => {
  const CompletionDateTime = "2027-12-31T00:00:00Z";
  const made = await jointOrder((_, data) =>
    Object.assign(data, { Authorisation: { AuthorisationType: "Any", CompletionDateTime } }),
  );
  assert.equal(made.Data.MultiAuthorisation.ExpirationDateTime, "2027-03-15T06:00:00Z");
  bank.clock.set("2027-03-15T06:00:00Z");
  assert.equal(await decide(made, "approve"), "notWaiting");
  await engine.sweep();
  assert.equal((await read(made)).Status, "RJCT");
});

test("D-401-51: in the older vocabulary an order and its payments have its words", async () => {
  const older = await bank.configured({ STATUS_VOCABULARY: "4.0.0-u4" });
  const made = await order((initiation) => {
    initiation.NumberOfPayments = "2";
    initiation.FirstPaymentAmount.Amount = "0.10";
  }, older);
  assert.equal(made.Data.Status, "RCVD");
  assert.equal((await details(made, older))[0]?.Status, "PDNG");
  await liveUntil("2027-03-20");
  assert.equal((await read(made, older)).Status, "INCO");
  assert.deepEqual(
    (await details(made, older)).map(({ Status }) => Status),
    ["ACCC", "PDNG"],
  );
  await cancel(made);
  assert.equal((await read(made, older)).Status, "CANC");
  assert.deepEqual(
    (await details(made, older)).map(({ Status }) => Status),
    ["ACCC", "RJCT"],
  );
});

test("the check of a running bank finds orders that plan too much, too little or out of step", async () => {
  const made = await order();
  await liveUntil("2027-03-20");
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
  const oneToCome = "a standing order that runs has one payment to come, until its last";
  const inStep = "a standing order's payments count without a gap and follow each other";
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
    ["what has been cancelled or rejected plans nothing"],
  );
});

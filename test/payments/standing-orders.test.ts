import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import { fundsIn } from "#test/sandbox/stored-ledger.ts";
import type { Json } from "./answer-check.ts";
import { accounts } from "./fixture.ts";
import { openStandingOrders, type StandingOrderBed } from "./standing-order-bed.ts";

let bed: StandingOrderBed;
let bank: StandingOrderBed["bank"];
let engine: StandingOrderBed["engine"];
before(async () => {
  bed = await openStandingOrders();
  ({ bank, engine } = bed);
});
beforeEach(() => bed.reset());
after(() => bed.close());

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
  const funds = await fundsIn(bank.database, accountId);
  assert(funds);
  return funds.balanceMinor;
}

test("P-147, P-148: a standing order is set up immediately, and shows no expected dates", async () => {
  const made = await bed.order();
  assert.equal(made.Data.Status, "RCVD");
  assert.deepEqual(await bed.statuses(made), ["RCVD"]);
  await engine.drain();
  const { Status, ExpectedExecutionDateTime, ...rest } = await bed.read(made);
  assert.equal(Status, "INCO");
  assert.equal(ExpectedExecutionDateTime, undefined);
  assert.equal(rest.ExpectedSettlementDateTime, undefined);
  assert.equal(rest.MultiAuthorisation, undefined);
  assert.deepEqual(await bed.statuses(made), ["PDNG"]);
});

test("each payment is made on its date, has its own entry, and moves the money", async () => {
  const made = await bed.order((initiation) => {
    initiation.NumberOfPayments = "3";
    initiation.RecurringPaymentAmount = { Amount: "6.00", Currency: "GBP" };
    initiation.FinalPaymentAmount = { Amount: "0.75", Currency: "GBP" };
  });
  const [from, to] = [await balanceOf(accounts.current), await balanceOf(accounts.joint)];
  await bed.liveUntil("2027-03-14");
  assert.deepEqual(await bed.statuses(made), ["PDNG"]);
  await bed.liveUntil("2027-03-15");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "PDNG"]);
  const [firstId] = (await bed.details(made)).map(
    ({ PaymentTransactionId }) => PaymentTransactionId,
  );
  await bed.liveUntil("2027-04-15");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "ACCC", "PDNG"]);
  await bed.liveUntil("2028-04-15");
  const all = await bed.details(made);
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
  assert.equal((await bed.read(made)).Status, "INCO");
  assert.equal(await engine.nextDueAt(), null);
});

test("a weekend or holiday delays a payment but not the later ones", async () => {
  const made = await bed.order((initiation) => {
    Object.assign(initiation.MandateRelatedInformation, {
      FirstPaymentDateTime: "2027-03-26T00:00:00Z", // Good Friday
      Frequency: { Type: "WEEK" },
    });
    initiation.FirstPaymentAmount.Amount = "0.01";
  });
  await bed.liveUntil("2027-04-30");
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

test("payments that move to the same working day are all made on it", async () => {
  const made = await bed.order((initiation) => {
    Object.assign(initiation.MandateRelatedInformation, {
      FirstPaymentDateTime: "2027-03-05T00:00:00Z",
      FinalPaymentDateTime: "2027-03-09T00:00:00Z",
      Frequency: { Type: "DAIL" },
    });
    initiation.FirstPaymentAmount.Amount = "0.01";
  });
  await bed.liveUntil("2027-03-08");
  const days = (await bed.details(made)).map((one) =>
    [one.Status, one.StatusUpdateDateTime.slice(0, 10)].join(" "),
  );
  assert.deepEqual(days.slice(0, 4), [
    "ACCC 2027-03-05",
    "ACCC 2027-03-08",
    "ACCC 2027-03-08",
    "ACCC 2027-03-08",
  ]);
  await bed.liveUntil("2027-03-31");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "ACCC", "ACCC", "ACCC", "ACCC"]);
});

test("a clock that jumps over several days makes every payment once", async () => {
  const made = await bed.order((initiation) => {
    Object.assign(initiation.MandateRelatedInformation.Frequency, { Type: "DAIL" });
    initiation.NumberOfPayments = "20";
    initiation.FirstPaymentAmount.Amount = "0.01";
  });
  bank.clock.set("2027-05-01T12:00:00Z");
  await engine.drain();
  const rows = await rowsOf(made);
  assert.equal(rows.length, 20);
  assert.equal(rows.at(-1)?.scheduledOn.toString(), "2027-04-03");
  assert.deepEqual(new Set(await bed.statuses(made)), new Set(["ACCC"]));
});

test("without a first date the bank starts on its next processing date", async () => {
  bank.clock.set("2027-03-05T10:00:00Z"); // a Friday
  const made = await bed.order((initiation) => {
    delete initiation.MandateRelatedInformation.FirstPaymentDateTime;
  });
  const [first] = await rowsOf(made);
  assert.equal(first?.scheduledOn.toString(), "2027-03-08");
});

test("P-165: a payment without funds is refused, and the standing order continues", async () => {
  const made = await bed.order((initiation) => {
    initiation.FirstPaymentAmount.Amount = "1.00";
    initiation.RecurringPaymentAmount = { Amount: "200.00", Currency: "GBP" };
    initiation.FinalPaymentAmount = { Amount: "1.50", Currency: "GBP" };
    initiation.NumberOfPayments = "3";
  });
  await bed.liveUntil("2027-04-30");
  const [, refused] = await bed.details(made);
  assert.equal(refused?.Status, "RJCT");
  assert.equal(refused?.StatusDetail.StatusReason, "AM04");
  assert.equal((await bed.read(made)).Status, "INCO");
  await bed.liveUntil("2027-05-31");
  assert.deepEqual(await bed.statuses(made), ["ACCC", "RJCT", "ACCC"]);
  assert.equal((await bed.read(made)).Status, "INCO");
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { grantVrpContract } from "#src/clients/vrp-contracts.ts";
import { changed, byBank as theBank } from "#src/history/change.ts";
import {
  type MeteredPayment,
  type MeteringPeriod,
  meterPayments,
  totalPayments,
} from "#src/payments/limits/metering.ts";
import { sql } from "#src/storage/sql.ts";
import { vrpContract } from "#test/clients/add-client.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { type Agreement, agree, limit, sweeping } from "./vrp-bed.ts";

// The payments under contracts, as the bank bills them.

const other = "UK.OBIE.VRPType.Other";

let bank: PaymentsFixture;
let agreement: Agreement;
let swept: string;
const orders: string[] = [];

async function pay(at: string, amount: string, type = other, under = agreement): Promise<string> {
  bank.clock.set(at);
  const answer = await under.pay(amount, {
    change({ Data }) {
      Data.VRPType = type;
    },
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.Data.DomesticVRPId;
}

const move = async (orderId: string | undefined, status: string, at: string) => {
  const instant = Temporal.Instant.from(at);
  await bank.database.query(sql`
    update payment_order set status = ${status}, status_updated_at = ${instant},
      ${changed(theBank(instant))}
    where order_id = ${orderId}`);
};

// four payments of May in London, of which one is sweeping, and two of the months around it
before(async () => {
  bank = await openPayments();
  bank.clock.set("2027-04-01T10:00:00Z");
  const { database, tpp, clock } = bank;
  await grantVrpContract(database, tpp.clientId, vrpContract, theBank(clock.now()));
  agreement = await agree(bank, ({ Data: { ControlParameters: control } }) => {
    control.VRPType = [other, sweeping];
    control.PeriodicLimits = [limit("Month", "Calendar", "100.00")];
  });
  const plain = await agree(bank);
  await pay("2027-04-30T22:59:59Z", "1.00");
  for (const [at, amount] of [
    ["2027-04-30T23:00:00Z", "2.00"],
    ["2027-05-10T10:00:00Z", "3.00"],
    ["2027-05-31T22:59:59Z", "4.50"],
  ] as const) {
    orders.push(await pay(at, amount));
  }
  swept = await pay("2027-05-11T10:00:00Z", "5.00", sweeping);
  await pay("2027-05-11T10:00:00Z", "5.00", sweeping, plain);
  await pay("2027-05-31T23:00:00Z", "5.00");
  await move(orders[0], "ACCC", "2027-05-02T10:00:00Z");
  await move(orders[1], "RJCT", "2027-05-10T10:00:05Z");
  await move(orders[2], "ACSC", "2027-06-01T10:00:00Z");
  await move(orders[2], "RJCT", "2027-06-05T10:00:00Z");
});
after(() => bank?.close());

const may = (asOf: string): MeteringPeriod => ({
  from: Temporal.PlainDate.from("2027-05-01"),
  until: Temporal.PlainDate.from("2027-05-31"),
  asOf: Temporal.Instant.from(asOf),
});
const meter = (asOf: string) => meterPayments(bank.database, may(asOf));
const listed = async (asOf: string) => {
  const payments: MeteredPayment[] = [];
  for await (const payment of meter(asOf)) payments.push(payment);
  return payments;
};

test("B-183, B-186: the list of a period has every payment under a contract that the bank accepted in that period, except sweeping payments", async () => {
  const payments = await listed("2027-06-03T00:00:00Z");
  assert.deepEqual(
    payments.map(({ orderId }) => orderId),
    orders,
  );
  assert.ok(!orders.includes(swept));
  assert.deepEqual(payments[0], {
    clientId: bank.tpp.clientId,
    contractId: vrpContract.contractId,
    consentId: agreement.consentId,
    orderId: orders[0],
    type: other,
    amount: "2.00",
    currency: "GBP",
    date: "2027-05-01",
    status: "ACCC",
    statusSince: "2027-05-02T10:00:00Z",
    outcome: "paid",
  });
});

test("B-183: the list shows the statuses at the given time, so later changes do not alter it", async () => {
  const outcomes = async (asOf: string) =>
    (await listed(asOf)).map(({ status, outcome }) => `${status} ${outcome}`);
  assert.deepEqual(await outcomes("2027-05-31T23:30:00Z"), [
    "ACCC paid",
    "RJCT not paid",
    "RCVD in progress",
  ]);
  assert.deepEqual((await outcomes("2027-06-03T00:00:00Z"))[2], "ACSC paid");
  assert.deepEqual((await outcomes("2027-06-06T00:00:00Z"))[2], "RJCT not paid");
  assert.deepEqual(await outcomes("2027-05-01T12:00:00Z"), ["RCVD in progress"]);
});

test("B-183: the totals add up a period per TPP, contract, type and outcome", async () => {
  const totals = await totalPayments(meter("2027-06-03T00:00:00Z"));
  const { clientId } = bank.tpp;
  const of = { clientId, contractId: vrpContract.contractId, type: other, currency: "GBP" };
  assert.deepEqual(totals, [
    { ...of, outcome: "not paid", payments: 1, amount: "3.00" },
    { ...of, outcome: "paid", payments: 2, amount: "6.50" },
  ]);
});

test("B-183: a period with more payments than one SQL statement reads is listed completely", async () => {
  await bank.database.query(sql`
    with made as (
      insert into payment_order (order_id, consent_id, consent_use, kind, family, api_version,
        client_id, customer_id, debtor_account_id, status, created_at, status_updated_at,
        amount_minor, currency, terms, changed_by, changed_at)
      select 'many-' || n, consent_id, consent_use, kind, family, api_version, client_id,
        customer_id, debtor_account_id, 'RJCT', '2027-07-01T10:00:00Z'::timestamptz
          + (n / 3) * interval '1 second', '2027-07-01T12:00:00Z', 1, 'GBP', terms, 'bank',
        '2027-07-01T12:00:00Z'
      from payment_order, generate_series(1, 2500) n where order_id = ${orders[0]}
      returning order_id)
    select count(*) from made`);
  const july: MeteringPeriod = {
    from: Temporal.PlainDate.from("2027-07-01"),
    until: Temporal.PlainDate.from("2027-07-01"),
    asOf: Temporal.Instant.from("2027-07-02T00:00:00Z"),
  };
  const ids = new Set<string>();
  for await (const { orderId } of meterPayments(bank.database, july)) ids.add(orderId);
  assert.equal(ids.size, 2500);
  const [total] = await totalPayments(meterPayments(bank.database, july));
  assert.deepEqual([total?.payments, total?.amount], [2500, "25.00"]);
});

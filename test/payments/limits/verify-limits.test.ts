import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { verifyLimits } from "#src/payments/shapes/within-limits/verify-limits.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { type Agreement, agree, limit } from "./vrp-bed.ts";

// `./aldgate verify` checks the payments of consents against their limits.

let bank: PaymentsFixture;
let agreement: Agreement;
const orders: string[] = [];

// 10 days of a month of 31 days: the first calendar month may have 10/31 of £31, which is £10
before(async () => {
  bank = await openPayments();
  bank.clock.set("2027-03-22T10:00:00Z");
  agreement = await agree(bank, ({ Data: { ControlParameters: control } }) => {
    control.PeriodicLimits = [
      limit("Year", "Consent", "25.00"),
      limit("Month", "Calendar", "31.00"),
    ];
    control.ValidToDateTime = "2027-12-31T00:00:00Z";
  });
  // 23:30 UTC on 31 March is 1 April in London
  const days = ["2027-03-22T10:00:00Z", "2027-03-31T22:30:00Z", "2027-03-31T23:30:00Z"];
  for (const at of days) {
    bank.clock.set(at);
    const answer = await agreement.pay("5.00");
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    orders.push(answer.body.Data.DomesticVRPId);
  }
});
after(() => bank?.close());

/** Returns the breaches after a change of an order, and undoes the change. */
async function verifyWith(change: Sql, order = 0, perSlice = 1): Promise<string[]> {
  let found: string[] = [];
  const undone = new Error("undone");
  const changed = bank.database.transaction(async (on) => {
    await on.query(sql`update payment_order set ${change} where order_id = ${orders[order]}`);
    const breaches = await verifyLimits(on, paymentKinds, { perSlice });
    found = breaches.map(({ invariant, subject, ...values }) => {
      assert.equal(subject, agreement.consentId);
      return `${invariant}: ${values.expected}; ${values.found}`;
    });
    throw undone;
  });
  await assert.rejects(changed, undone);
  return found;
}

const inPeriod = "the payments of a period do not exceed the limit of their consent";
const isSingle = "a payment does not exceed the maximum of its consent";
const isValid = "a payment was accepted while its consent was valid";

test("payments within their limits are no breach, whatever the number of consents per statement", async () => {
  for (const perSlice of [1, 2, 200]) {
    assert.deepEqual(await verifyLimits(bank.database, paymentKinds, { perSlice }), []);
  }
});

test("a period whose payments exceed its limit is a breach, with the prorated limit", async () => {
  assert.deepEqual(await verifyWith(sql`created_at = '2027-03-31T22:59:59Z'`, 2), [
    `${inPeriod}: at most 10.00 GBP per Month from 2027-03-22 to 2027-03-31; 15.00 GBP`,
  ]);
});

test("a payment above the maximum is a breach, besides those of its periods", async () => {
  assert.deepEqual(await verifyWith(sql`amount_minor = 2001`, 2), [
    `${isSingle}: at most 5.00 GBP; 20.01 GBP on 2027-04-01`,
    `${inPeriod}: at most 25.00 GBP per Year from 2027-03-22 to 2028-03-21; 30.01 GBP`,
  ]);
});

test("a payment before the first day or after the last day of its consent is a breach", async () => {
  const allowed = "used from 2027-03-22 until 2027-12-31";
  assert.deepEqual(await verifyWith(sql`created_at = '2027-03-21T23:59:59Z'`), [
    `${isValid}: ${allowed}; used on 2027-03-21`,
  ]);
  assert.deepEqual(await verifyWith(sql`created_at = '2028-01-01T00:00:00Z'`), [
    `${isValid}: ${allowed}; used on 2028-01-01`,
  ]);
});

test("a rejected payment counts towards no limit", async () => {
  for (const status of ["RJCT", "BLCK"]) {
    assert.deepEqual(await verifyWith(sql`amount_minor = 99999, status = ${status}`), []);
  }
});

test("./aldgate verify includes the limits of the kinds that the bank offers", async () => {
  await bank.database.query(sql`
    update payment_order set amount_minor = 501 where order_id = ${orders[2]}`);
  const breachesWith = async (options: { kinds?: [] }) =>
    (await verifyInvariants(bank.database, { hasOwnCore: true, ...options })).map(
      ({ invariant, subject }) => [invariant, subject],
    );
  const use = [
    "a day's use of a consent's limits is the sum of that day's orders",
    `${agreement.consentId} on 2027-04-01`,
  ];
  assert.deepEqual(await breachesWith({}), [use, [isSingle, agreement.consentId]]);
  assert.deepEqual(await breachesWith({ kinds: [] }), [use]);
});

test("a consent whose limits are lost is a breach", async () => {
  const undone = new Error("undone");
  const changed = bank.database.transaction(async (on) => {
    await setConsent(on, agreement.consentId, { body: '{"Data":{},"Risk":{}}' });
    const [breach, ...others] = await verifyLimits(on, paymentKinds);
    assert.equal(breach?.invariant, "a consent that is used within limits has limits");
    assert.equal(breach.subject, agreement.consentId);
    assert.deepEqual(others, []);
    throw undone;
  });
  await assert.rejects(changed, undone);
});

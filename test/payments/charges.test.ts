import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { parseAmount } from "#src/lib/money.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { scenarios, schemeAnswer, triggersOf } from "#src/sandbox/scenarios/scenarios.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { shownTransactions } from "#test/accounts/stored-transactions.ts";
import {
  addPostings,
  postingsOf,
  setBankCharge,
  withPosting,
} from "#test/sandbox/stored-ledger.ts";
import type { Json } from "./answer-check.ts";
import { accounts, domesticConsent, openPayments, type PaymentsFixture } from "./fixture.ts";

let bank: PaymentsFixture;
let engine: Engine;
before(async () => {
  bank = await openPayments();
  const { database, clock } = bank;
  engine = createEngine({
    database,
    clock,
    bank: createSandboxBank({ database, clock, scheme: schemeAnswer }),
    owner: "engine",
    batchSize: 16,
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
});
beforeEach(() => bank.clock.set("2027-03-02T10:00:00Z"));
after(() => bank.close());

/** Returns the creditor whose payments always have this outcome. */
const creditorOf = (kind: string): string =>
  triggersOf(
    present(
      scenarios.find(({ answer }) => answer.kind === kind),
      kind,
    ),
  ).payee;

type Order = { url: string; paymentId: string };

/** Orders a CHAPS payment. */
async function orderChaps(Amount: string, answer = "accept"): Promise<Order> {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.LocalInstrument = "UK.OBIE.CHAPS";
    Data.Initiation.InstructedAmount.Amount = Amount;
    Data.Initiation.CreditorAccount.Identification = creditorOf(answer);
  });
  const { token, order } = await bank.authorised({ body });
  const url = (await bank.post("/domestic-payments", { token, body: order })).body.Links.Self;
  const [{ PaymentTransactionId }] = (await bank.get(`${url}/payment-details`)).body.Data
    .PaymentStatus;
  return { url, paymentId: PaymentTransactionId };
}

const dataOf = async ({ url }: Order): Promise<Json> => (await bank.get(url)).body.Data;

async function availableMinor(): Promise<bigint> {
  const funds = await createSandboxBank(bank).loadFunds([accounts.current]);
  return present(funds.get(accounts.current), "the payer's funds").availableMinor;
}

/**
 * Lists a payment's transactions on the payer's account: code, text, direction and pence of each.
 */
async function linesOf({ paymentId }: Order): Promise<unknown[]> {
  const lines = await shownTransactions(
    bank.database,
    sql`${withPosting}
      where p.payment_id = ${paymentId} and t.account_id = ${accounts.current}
      order by p.purpose`,
  );
  return lines.map((line) => {
    assert.equal(line.TransactionReference, paymentId);
    const { Code } = line.ProprietaryBankTransactionCode;
    const amount = parseAmount(line.Amount.Amount, "GBP");
    return [Code, line.TransactionInformation, line.CreditDebitIndicator, amount];
  });
}

test("a CHAPS payment debits its charge as a separate transaction", async () => {
  const available = await availableMinor();
  const order = await orderChaps("10.00");
  await engine.drain();
  assert.equal((await dataOf(order)).Status, "ACCC");
  assert.equal(await availableMinor(), available - 1000n - 2000n);
  assert.deepEqual(await linesOf(order), [
    ["FPO", "Dr Foo", "Debit", 1000n],
    ["CHG", "CHAPS fee", "Debit", 2000n],
  ]);
  const taken = (await postingsOf(bank.database, [order.paymentId]))
    .filter(({ to }) => to === "internal-charges")
    .map(({ amountMinor }) => amountMinor);
  assert.deepEqual(taken, [2000n]);
  assert.deepEqual(await verifyInvariants(bank.database), []);
});

test("P-190: a payment whose charge is not covered is refused, and costs nothing", async () => {
  await refill(5000n);
  const order = await orderChaps("30.01");
  await engine.drain();
  const { Status, StatusReason } = await dataOf(order);
  assert.deepEqual([Status, StatusReason[0].StatusReasonCode], ["RJCT", "AM04"]);
  assert.equal(await availableMinor(), 5000n);
  assert.deepEqual(await linesOf(order), []);
});

test("a payment that the other bank refuses immediately costs nothing", async () => {
  await refill(5000n);
  const order = await orderChaps("30.00", "refuse");
  await engine.drain();
  assert.equal((await dataOf(order)).Status, "RJCT");
  assert.equal(await availableMinor(), 5000n);
  assert.deepEqual(await verifyInvariants(bank.database), []);
});

test("the amount of a returned payment is refunded, and its charge is not", async () => {
  await refill(5000n);
  const order = await orderChaps("30.00", "delayThenRefuse");
  await engine.drain();
  assert.equal((await dataOf(order)).Status, "ACSC");
  assert.equal(await availableMinor(), 0n);
  bank.clock.set("2027-03-03T10:00:00Z");
  await engine.drain();
  assert.equal((await dataOf(order)).Status, "RJCT");
  assert.equal(await availableMinor(), 3000n);
  assert.deepEqual(
    (await linesOf(order)).map(([code, , indicator, amount]: Json) => [code, indicator, amount]),
    [
      ["FPO", "Debit", 3000n],
      ["CHG", "Debit", 2000n],
      ["RET", "Credit", 3000n],
    ],
  );
  assert.deepEqual(await verifyInvariants(bank.database), []);
});

test("verify finds a charge that was not debited", async () => {
  await refill(5000n);
  const { paymentId } = await orderChaps("1.00");
  await engine.drain();
  await setBankCharge(bank.database, paymentId, 1999n);
  await bank.database.query(sql`
    update payment set charge_minor = 1999 where payment_id = ${paymentId}`);
  const breaches = await verifyInvariants(bank.database);
  assert.deepEqual(breaches, [
    {
      invariant: "the charges for a payment are taken once, when it is made",
      subject: paymentId,
      expected: "1999",
      found: "2000",
    },
  ]);
});

/** Gives the payer the money that makes its available funds this amount. */
async function refill(amountMinor: bigint): Promise<void> {
  const missing = amountMinor - (await availableMinor());
  if (missing === 0n) return;
  assert(missing > 0n);
  await addPostings(bank.database, [
    { postingId: randomUUID(), from: "test-capital", to: accounts.current, amountMinor: missing },
  ]);
}

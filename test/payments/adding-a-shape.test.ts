import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { loadConsent } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import { defineOrderShape, definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { scenarios, schemeAnswer, triggersOf } from "#src/sandbox/scenarios/scenarios.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "./answer-check.ts";
import { batch } from "./batch/batch.ts";
import { ofBatch } from "./batch/batch-shape.ts";
import { accounts, firstFault, openPayments, orderOf, type PaymentsFixture } from "./fixture.ts";

// docs/payments-in-the-code.md says how to add a shape: one folder, and a row that names it. Here
// the folder is test/payments/batch/. An order of the shape has the payments that its body lists.

const consents = "/x-batch-consents";
const orders = "/x-batchs";
const offered = [...paymentKinds, batch];

let bank: PaymentsFixture;
let engine: Engine;
before(async () => {
  bank = await openPayments(offered);
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
after(() => bank?.close());

type Listed = { amount: string; instrument?: string; answer?: string };

/** Returns the creditor whose payments always have this outcome. */
const creditorOf = (kind: string): string =>
  triggersOf(
    present(
      scenarios.find(({ answer }) => answer.kind === kind),
      kind,
    ),
  ).payee;

/** The consent to a batch of these payments. */
const batchOf = (...listed: Listed[]): Json => ({
  Data: {
    Initiation: {
      Payments: listed.map(({ amount, instrument, answer = "accept" }, index) => ({
        InstructionIdentification: `i${index + 1}`,
        EndToEndIdentification: `e${index + 1}`,
        ...(instrument ? { LocalInstrument: instrument } : {}),
        InstructedAmount: { Amount: amount, Currency: "GBP" },
        CreditorAccount: {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: creditorOf(answer),
          Name: `Payee ${index + 1}`,
        },
      })),
    },
  },
  Risk: {},
});

/** Orders a batch, which must be accepted. */
async function order(body: Json) {
  const granted = await bank.authorised({ body, path: consents });
  const made = await bank.post(orders, { token: granted.token, body: granted.order });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { ...granted, made, url: made.body.Links.Self };
}

const detailsOf = async (url: string): Promise<Json[]> =>
  (await bank.get(`${url}/payment-details`)).body.Data.PaymentStatus;

async function availableMinor(): Promise<bigint> {
  const funds = await bank.bank.loadFunds([accounts.current]);
  return present(funds.get(accounts.current), "the payer's funds").availableMinor;
}

const verify = async () =>
  (await verifyInvariants(bank.database, { kinds: offered })).map(describeBreach);

test("one consent and one order pay a batch: it is complete when each payment is made", async () => {
  const body = batchOf({ amount: "1.00" }, { amount: "2.50" }, { amount: "0.25" });
  const before = await availableMinor();
  const { consentId, token, order: sent, made, url } = await order(body);
  assert.equal(made.body.Data.Status, "PDNG");
  assert.deepEqual(made.body.Data.Initiation, body.Data.Initiation);
  assert.equal((await bank.get(`${consents}/${consentId}`)).body.Data.Status, "COND");
  assert.deepEqual(await verify(), []);

  await engine.drain();
  assert.equal((await bank.get(url)).body.Data.Status, "INCO");
  const details = await detailsOf(url);
  assert.deepEqual(
    details.map(({ Status }) => Status),
    ["ACCC", "ACCC", "ACCC"],
  );
  assert.equal(new Set(details.map((entry) => entry.PaymentTransactionId)).size, 3);
  assert.equal(before - (await availableMinor()), 375n);
  assert.deepEqual(await verify(), []);

  const again = await bank.post(orders, { token, body: sent });
  assert.deepEqual([again.status, firstFault(again)[0]], [400, "U009"]);
});

test("a batch of which one payment is refused fails, and its other payments are made", async () => {
  const { url } = await order(batchOf({ amount: "1.00" }, { amount: "9000.00" }));
  const before = await availableMinor();
  await engine.drain();
  const { Data } = (await bank.get(url)).body;
  assert.equal(Data.Status, "INFA");
  assert.match(Data.StatusReason[0].StatusReasonDescription, /^1 of the payments: /);
  const details = await detailsOf(url);
  assert.deepEqual(
    details.map(({ Status }) => Status),
    ["ACCC", "RJCT"],
  );
  assert.equal(before - (await availableMinor()), 100n);
  assert.deepEqual(await verify(), []);
});

test("a repeated request gets the batch that the first one created", async () => {
  const body = batchOf({ amount: "0.10" }, { amount: "0.20" });
  const granted = await bank.authorised({ body, path: consents });
  const send = () =>
    bank.post(orders, { token: granted.token, body: granted.order, key: granted.consentId });
  const ids = (await Promise.all([send(), send()])).map(({ body }) => body.Data.BatchId);
  assert.equal(ids[0], ids[1]);
  assert.equal((await detailsOf(`${orders}/${ids[0]}`)).length, 2);
  await engine.drain();
});

test("an order that lists another payment than its consent is refused at that member", async () => {
  const body = batchOf({ amount: "1.00" }, { amount: "2.00" });
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const other = orderOf(consentId, body);
  other.Data.Initiation.Payments[1].InstructedAmount.Amount = "2.01";
  assert.deepEqual(firstFault(await bank.post(orders, { token, body: other })), [
    "U008",
    "Data.Initiation.Payments[1].InstructedAmount.Amount",
  ]);
});

test("a fault of a payment names its place in the list", async () => {
  const faultOf = async (change: (payment: Json) => void) => {
    const body = batchOf({ amount: "1.00" }, { amount: "2.00" });
    change(body.Data.Initiation.Payments[1]);
    return firstFault(await bank.post(consents, { body }));
  };
  const at = (member: string) => `Data.Initiation.Payments[1].${member}`;
  const amount = (Amount: string, Currency = "GBP") =>
    faultOf((payment) => Object.assign(payment.InstructedAmount, { Amount, Currency }));
  assert.deepEqual(await amount("0.00"), ["U002", at("InstructedAmount.Amount")]);
  assert.deepEqual(await amount("250000.01"), ["U002", at("InstructedAmount.Amount")]);
  assert.deepEqual(await amount("1.00", "EUR"), ["U023", at("InstructedAmount.Currency")]);
  assert.deepEqual(
    await faultOf((payment) => {
      payment.LocalInstrument = "UK.OBIE.BACS";
    }),
    ["U026", at("LocalInstrument")],
  );
  const one = await bank.post(consents, { body: batchOf({ amount: "1.00" }) });
  assert.deepEqual([one.status, firstFault(one)[1]], [400, "Data.Initiation.Payments"]);
});

test("funds are confirmed for the whole batch, with its charges", async () => {
  const rest = Number(await availableMinor()) / 100;
  const chaps = { instrument: "UK.OBIE.CHAPS" };
  const confirmed = async (amount: number) => {
    const body = batchOf({ amount: "1.00" }, { amount: amount.toFixed(2), ...chaps });
    const { consentId, token } = await bank.authorised({ body, path: consents });
    const answer = await bank.get(`${consents}/${consentId}/funds-confirmation`, token);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.Data.FundsAvailableResult.FundsAvailable;
  };
  // £1 for the other payment, and £20 for the charge
  assert.equal(await confirmed(rest - 21), true);
  assert.equal(await confirmed(rest - 20.99), false);
});

test("the charges of a batch are debited once", async () => {
  const before = await availableMinor();
  const { made } = await order(
    batchOf({ amount: "1.00" }, { amount: "2.00", instrument: "UK.OBIE.CHAPS" }),
  );
  assert.equal(made.body.Data.Charges.length, 1);
  await engine.drain();
  assert.equal(before - (await availableMinor()), 2300n);
  assert.deepEqual(await verify(), []);
});

test("the consent page lists the payees, and only a sole signatory can approve", async () => {
  const body = batchOf({ amount: "1.00" }, { amount: "2.50" });
  const { consentId } = await bank.authorised({ body, path: consents });
  const consent = present(await loadConsent(bank.database, consentId), "the consent");
  const deps = { bank: bank.bank, config: loadConfig({}) };
  const kind = present(paymentConsentKinds([batch], deps)[0], "its row");
  const summary = kind.summarise(consent, bank.clock.now());
  assert.ok(summary.type === "payment");
  assert.deepEqual([summary.amount, summary.payeeName], ["£3.50", "2 payees"]);
  assert.deepEqual(
    summary.rows.map(({ label, value }) => `${label}: ${value.slice(0, 8)}`),
    ["Payee 1: £1.00 to", "Payee 2: £2.50 to"],
  );
  const joint = present(await bank.bank.loadAccount(accounts.joint), "the joint account");
  assert.match(String(kind.whyNotSignable(consent, joint)), /more than one person/);
});

test("./aldgate verify checks the shape's own invariant", async () => {
  const { made } = await order(batchOf({ amount: "0.01" }, { amount: "0.02" }));
  const { BatchId } = made.body.Data;
  assert.deepEqual(await verify(), []);
  await bank.database.query(sql`delete from payment where order_id = ${BatchId} and sequence = 2`);
  assert.match((await verify()).join(), /a batch has the payments that its consent lists/);
});

// The compiler checks the rest, in `npm run check`: each directive must suppress an error.

const { summarise: _, ...withoutSummary } = ofBatch;
// @ts-expect-error: a shape says what the customer reads about its consents
defineOrderShape(withoutSummary);

// @ts-expect-error: a shape whose orders use up their consent needs a kind whose consents end so
definePaymentKind({ ...batch, consent: usedWithinLimits });

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { loadConfig } from "#src/config/config.ts";
import { loadConsent } from "#src/consents/consent.ts";
import { usedOnce } from "#src/consents/states.ts";
import { expireConsents } from "#src/consents/sweep-consents.ts";
import { present } from "#src/lib/assert.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import { definePaymentKind, formatIn } from "#src/payments/definitions/payment-kind.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { withinLimits } from "#src/payments/shapes/within-limits/within-limits.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import { open } from "#src/standard/shared/schema.ts";
import { describeBreach } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { allowance } from "#test/payments/allowance/allowance.ts";
import { settleOrder } from "#test/payments/limits/drafts.ts";
import type { Json } from "./answer-check.ts";
import { firstFault, openPayments, orderOf, type PaymentsFixture } from "./fixture.ts";

// docs/payments-in-the-code.md lists what a new kind needs: a row, its schemas, and texts for its
// pages. Here they are in test/payments/allowance/, and the bank is opened with that row. The
// consents of this kind pay many times, and the kind is served in v4.0 and in an earlier version.

const v31 = "/api/open-banking/v3.1/pisp";
const consents = "/x-allowance-consents";
const orders = "/x-allowances";

const published = formatIn(kindNamed("domestic-payment", paymentKinds), "pisp-v4.0");

/** A domestic payment whose used consent can still expire, unlike those of the published kinds. */
const lapsing = definePaymentKind({
  ...domesticPayment,
  id: "x-lapsing",
  consent: {
    ...usedOnce,
    states: {
      AWAU: { authorise: "AUTH", reject: "RJCT" },
      AUTH: { consume: "COND", expire: "EXPD" },
      COND: { expire: "EXPD" },
    },
  },
  // the published schema does not have the status EXPD
  formats: {
    "pisp-v4.0": { ...published, schemas: { ...published.schemas, consentResponse: open({}) } },
  },
});

const offered = [...paymentKinds, allowance, lapsing];
let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments(offered);
});
after(() => bank.close());
// the first day of a month: the limits of its consents are whole
beforeEach(() => bank.clock.set("2027-03-01T10:00:00Z"));

const creditor = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "20201010981789",
  Name: "Dr Foo",
};

/**
 * A consent to £5.00 per payment and £12.00 per month, with the reference in its version's format.
 */
const consentBody = (reference: string | string[]): Json => ({
  Data: {
    ControlParameters: {
      MaximumIndividualAmount: { Amount: "5.00", Currency: "GBP" },
      PeriodicLimits: [
        { PeriodType: "Month", PeriodAlignment: "Calendar", Amount: "12.00", Currency: "GBP" },
      ],
    },
    Initiation: {
      CreditorAccount: creditor,
      RemittanceInformation: { Unstructured: reference },
    },
  },
  Risk: {},
});

const orderFor = (consentId: string, body: Json, amount: string): Json => {
  const order = orderOf(consentId, body);
  order.Data.Instruction = {
    InstructionIdentification: "i1",
    EndToEndIdentification: "e1",
    InstructedAmount: { Amount: amount, Currency: "GBP" },
    CreditorAccount: creditor,
  };
  return order;
};

/** Creates a consent on v4.0 and authorises it. Returns what an order needs. */
async function agree(dates: object = {}) {
  const body = consentBody(["Pocket money"]);
  Object.assign(body.Data.ControlParameters, dates);
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const pay = (amount: string, key?: string) =>
    bank.post(orders, {
      token,
      body: orderFor(consentId, body, amount),
      ...(key === undefined ? {} : { key }),
    });
  return { consentId, token, pay };
}

test("a consent pays several times up to its limits, and stays authorised", async () => {
  const { consentId, pay } = await agree();
  const first = await pay("5.00");
  assert.equal(first.status, 201, JSON.stringify(first.body));
  assert.equal(first.body.Data.Instruction.InstructedAmount.Amount, "5.00");
  assert.equal((await pay("4.00")).status, 201);
  assert.deepEqual(firstFault(await pay("5.01")), [
    "U014",
    "Data.ControlParameters.MaximumIndividualAmount",
  ]);
  assert.deepEqual(firstFault(await pay("3.01")), [
    "U014",
    "Data.ControlParameters.PeriodicLimits[0]",
  ]);
  assert.equal((await pay("3.00")).status, 201);
  assert.deepEqual(firstFault(await pay("0.01")), [
    "U014",
    "Data.ControlParameters.PeriodicLimits[0]",
  ]);
  assert.equal((await bank.get(`${consents}/${consentId}`)).body.Data.Status, "AUTH");
  bank.clock.set("2027-04-01T10:00:00Z");
  assert.equal((await pay("5.00")).status, 201);
});

test("the first month of a consent has the share of its limit that its days are of the month", async () => {
  bank.clock.set("2027-03-17T10:00:00Z");
  const { pay } = await agree();
  // 15 of 31 days of £12.00
  assert.equal((await pay("5.00")).status, 201);
  assert.deepEqual(firstFault(await pay("0.82")), [
    "U014",
    "Data.ControlParameters.PeriodicLimits[0]",
  ]);
  assert.equal((await pay("0.81")).status, 201);
});

test("a consent pays from its first day to the end of its last day in London, and then expires", async () => {
  // a summer's day: it begins and ends an hour earlier in UTC
  const dates = {
    ValidFromDateTime: "2027-07-05T15:00:00+02:00",
    ValidToDateTime: "2027-07-05T00:00:00Z",
  };
  bank.clock.set("2027-07-04T21:00:00Z");
  const { consentId, pay } = await agree(dates);
  assert.deepEqual(firstFault(await pay("1.00")), [
    "U014",
    "Data.ControlParameters.ValidFromDateTime",
  ]);
  bank.clock.set("2027-07-04T23:00:00Z");
  assert.equal((await pay("1.00")).status, 201);
  bank.clock.set("2027-07-05T22:59:59Z");
  assert.equal((await pay("1.00")).status, 201);
  bank.clock.set("2027-07-05T23:00:00Z");
  const late = await pay("1.00");
  assert.deepEqual([late.status, firstFault(late)[0]], [401, "TKXP"]);
  const read = await bank.get(`${consents}/${consentId}`);
  assert.equal(read.body.Data.ControlParameters.ValidToDateTime, dates.ValidToDateTime);
});

test("a consent in the past, without a day or with an impossible limit is refused at its member", async () => {
  const refusal = async (change: (control: Json) => void) => {
    const body = consentBody(["Pocket money"]);
    change(body.Data.ControlParameters);
    return firstFault(await bank.post(consents, { body }));
  };
  const at = (member: string) => `Data.ControlParameters.${member}`;
  const dated = (dates: object) => refusal((control) => Object.assign(control, dates));
  assert.deepEqual(await dated({ ValidFromDateTime: "2027-02-28T23:00:00Z" }), [
    "U003",
    at("ValidFromDateTime"),
  ]);
  assert.deepEqual(
    await dated({
      ValidFromDateTime: "2027-03-03T00:00:00Z",
      ValidToDateTime: "2027-03-02T23:00:00Z",
    }),
    ["U003", at("ValidToDateTime")],
  );
  assert.deepEqual(
    await refusal((control) => control.PeriodicLimits.push(control.PeriodicLimits[0])),
    ["U002", at("PeriodicLimits[1].PeriodType")],
  );
  assert.deepEqual(
    await refusal((control) => Object.assign(control.PeriodicLimits[0], { Amount: "0.00" })),
    ["U002", at("PeriodicLimits[0].Amount")],
  );
  assert.deepEqual(
    await refusal((control) => Object.assign(control.MaximumIndividualAmount, { Currency: "EUR" })),
    ["U023", at("MaximumIndividualAmount.Currency")],
  );
});

test("the TPP deletes a consent in any status: it and its tokens are gone, its payments go on", async () => {
  const { consentId, token, pay } = await agree();
  const path = `${consents}/${consentId}`;
  const { body } = await pay("1.00");
  assert.equal((await bank.send("DELETE", path, token)).status, 403);
  assert.equal((await bank.send("DELETE", path, bank.otherTpp.token)).status, 403);
  const gone = await bank.send("DELETE", path);
  assert.deepEqual([gone.status, gone.body], [204, undefined]);
  assert.equal(gone.headers["x-jws-signature"], undefined);
  for (const method of ["GET", "DELETE"] as const) {
    const answer = await (method === "GET" ? bank.get(path) : bank.send(method, path));
    assert.deepEqual([answer.status, ...firstFault(answer)], [400, "U011", "ConsentId"]);
  }
  assert.equal((await pay("1.00")).status, 401);
  assert.equal((await bank.get(`${orders}/${body.Data.AllowanceId}`)).status, 200);
  const unauthorised = await bank.post(consents, { body: consentBody(["Pocket money"]) });
  const waiting = `${consents}/${unauthorised.body.Data.ConsentId}`;
  assert.equal((await bank.send("DELETE", waiting)).status, 204);
});

test("consents cannot be changed by PUT or PATCH: 405 lists the methods", async () => {
  const { consentId } = await agree();
  for (const method of ["PUT", "PATCH"] as const) {
    const answer = await bank.send(method, `${consents}/${consentId}`);
    assert.equal(answer.status, 405);
    assert.deepEqual(String(answer.headers.allow).split(", ").toSorted(), ["DELETE", "GET"]);
  }
});

test("an order's own amount and payee are checked", async () => {
  const { pay } = await agree();
  const at = "Data.Instruction.InstructedAmount.Amount";
  assert.deepEqual(firstFault(await pay("1.001")), ["U002", at]);
  assert.deepEqual(firstFault(await pay("0.00")), ["U002", at]);
});

test("an account whose payments need several approvers cannot carry such a consent", async () => {
  const { consentId } = await agree();
  const consent = present(await loadConsent(bank.database, consentId), "the consent");
  const [kind] = paymentConsentKinds([allowance], { bank: bank.bank, config: loadConfig({}) });
  const account = present(consent.debtor, "its account");
  assert.equal(kind?.whyNotSignable(consent, account), null);
  const why = kind?.whyNotSignable(consent, { ...account, signatoriesRequired: 2 });
  assert.match(why ?? "", /more than one person/);
});

test("a refused payment does not count, and a repeated request gets its order again", async () => {
  const { consentId, pay } = await agree();
  const { body } = await pay("5.00", "key-1");
  const again = await pay("5.00", "key-1");
  assert.equal(again.status, 201);
  assert.equal(again.body.Data.AllowanceId, body.Data.AllowanceId);
  assert.equal((await pay("5.00")).status, 201);
  assert.equal((await pay("5.00")).status, 400);
  await settleOrder(bank.database, body.Data.AllowanceId, "RJCT");
  assert.equal((await pay("5.00")).status, 201);
  const rows = await bank.database.query(sql`
    select order_id from payment_order where consent_id = ${consentId}`);
  assert.equal(rows.length, 3);
});

test("concurrent payments never exceed a limit together", async () => {
  const { pay } = await agree();
  const answers = await Promise.all(["5.00", "5.00", "5.00", "5.00"].map((amount) => pay(amount)));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 201, 400, 400]);
});

test("an order must repeat its consent", async () => {
  const body = consentBody(["Pocket money"]);
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const other = orderFor(consentId, consentBody(["Other"]), "1.00");
  assert.deepEqual(firstFault(await bank.post(orders, { token, body: other })), [
    "U008",
    "Data.Initiation.RemittanceInformation.Unstructured[0]",
  ]);
});

test("an instruction must repeat the payee that its consent names", async () => {
  const body = consentBody(["Pocket money"]);
  const { consentId, token } = await bank.authorised({ body, path: consents });
  const order = orderFor(consentId, body, "1.00");
  order.Data.Instruction.CreditorAccount = { ...creditor, Name: "Dr Bar" };
  assert.deepEqual(firstFault(await bank.post(orders, { token, body: order })), [
    "U008",
    "Data.Instruction.CreditorAccount.Name",
  ]);
});

test("each version has its own bodies, and v4.0 serves consents and orders of the earlier one", async () => {
  const older = consentBody("Pocket money");
  const newer = consentBody(["Pocket money"]);
  assert.equal((await bank.post(consents, { body: older })).status, 400);
  assert.equal((await bank.post(`${v31}${consents}`, { body: newer })).status, 400);
  const { consentId, token } = await bank.authorised({ body: older, path: `${v31}${consents}` });
  const lodged = present(await loadConsent(bank.database, consentId), "the consent");
  assert.equal(lodged.apiVersion, "pisp-v3.1");

  const initiation = async (path: string) => (await bank.get(path)).body.Data.Initiation;
  assert.deepEqual(await initiation(`${v31}${consents}/${consentId}`), older.Data.Initiation);
  assert.deepEqual(await initiation(`${consents}/${consentId}`), newer.Data.Initiation);

  const send = (path: string, body: Json, amount: string) =>
    bank.post(path, { token, body: orderFor(consentId, body, amount) });
  const onOlder = await send(`${v31}${orders}`, older, "5.00");
  assert.equal(onOlder.status, 201, JSON.stringify(onOlder.body));
  const onNewer = await send(orders, newer, "5.00");
  assert.equal(onNewer.status, 201, JSON.stringify(onNewer.body));
  // orders of both versions count towards the same limit
  assert.equal((await send(orders, newer, "5.00")).status, 400);

  const olderPath = `${orders}/${onOlder.body.Data.AllowanceId}`;
  assert.deepEqual(await initiation(v31 + olderPath), older.Data.Initiation);
  assert.deepEqual(await initiation(olderPath), newer.Data.Initiation);
  const newerPath = `${orders}/${onNewer.body.Data.AllowanceId}`;
  assert.deepEqual(firstFault(await bank.get(v31 + newerPath)), [
    "UK.OBIE.Resource.NotFound",
    "AllowanceId",
  ]);
});

test("an order uses up its consent by the states of its own kind", async () => {
  const published = await bank.authorised();
  const own = await bank.authorised({ path: "/x-lapsing-consents" });
  const ids = [published.consentId, own.consentId];
  const expiry = bank.clock.now().add({ hours: 1 });
  await setConsent(bank.database, ids, { expiresAt: expiry });
  const paid = await Promise.all([
    bank.post("/domestic-payments", { token: published.token, body: published.order }),
    bank.post("/x-lapsings", { token: own.token, body: own.order }),
  ]);
  assert.deepEqual(
    paid.map(({ status }) => status),
    [201, 201],
  );
  const statuses = async () => {
    const consents = ids.map((consentId) => loadConsent(bank.database, consentId));
    return (await Promise.all(consents)).map((consent) => consent?.status);
  };
  assert.deepEqual(await statuses(), ["COND", "COND"]);
  await expireConsents(bank.database, expiry);
  assert.deepEqual(await statuses(), ["COND", "EXPD"]);
  const shown = await bank.get(`/x-lapsing-consents/${own.consentId}`);
  assert.ok(shown.body.Data.Debtor, "an expired consent still shows the account of its order");
  const verify = () => verifyInvariants(bank.database, { kinds: offered });
  assert.deepEqual(await verify(), []);
  await setConsent(bank.database, published.consentId, { status: "EXPD" });
  const breaches = (await verify()).map(describeBreach).join();
  assert.match(breaches, /an order has consumed its consent: .*, COND and is .*, EXPD/);
});

test("a consent of v4.0 is unknown to the earlier version", async () => {
  const { consentId } = await agree();
  const answer = await bank.get(`${v31}${consents}/${consentId}`);
  const found = [answer.status, ...firstFault(answer)];
  assert.deepEqual(found, [400, "UK.OBIE.Resource.NotFound", "ConsentId"]);
});

test("the consent page shows the limits in the kind's own texts", async () => {
  const { consentId } = await agree();
  const consent = present(await loadConsent(bank.database, consentId), "the consent");
  const kinds = paymentConsentKinds([allowance], { bank: bank.bank, config: loadConfig({}) });
  const summary = present(kinds[0], "its row").summarise(consent, bank.clock.now());
  assert.equal(summary.type === "payment" && summary.amount, "Up to £5.00 at a time");
  const rows = summary.type === "payment" ? summary.rows : [];
  assert.deepEqual(rows, [
    { label: "Each month", value: "Up to £12.00", about: "cost", confirmed: true },
    { label: "Reference", value: "Pocket money" },
  ]);
});

// The compiler checks the rest, in `npm run check`: each directive must suppress an error.

// @ts-expect-error: a kind whose consents are used within limits needs texts
definePaymentKind({ ...allowance, shape: withinLimits({}) });

const { initial: _____, ...withoutInitial } = usedOnce;
// @ts-expect-error: the course of a consent says its initial status
definePaymentKind({ ...lapsing, consent: withoutInitial });

// @ts-expect-error: the id of a kind that is not in the standard begins with x-
definePaymentKind({ ...allowance, id: "allowance" });

const { "file-payment": ____, ...titles } = Object.fromEntries(
  paymentKinds.map(({ id, tag }) => [id, tag]),
) as Record<PaymentKindId, string>;
// @ts-expect-error: a table of kinds needs an entry for each published kind
titles satisfies Record<PaymentKindId, string>;

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { offerKinds, paymentKinds } from "#src/payments/payment-kinds.ts";
import { paymentsV40 } from "#src/payments/versions/pisp-v4.0/payments-v4.0.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "#test/payments/answer-check.ts";
import {
  domesticConsent,
  orderOf,
  scheduledConsent,
  standingOrderConsent,
} from "#test/payments/fixture.ts";
import { euroConsent, onDay } from "#test/payments/international/abroad.ts";
import {
  at,
  type Change,
  faultsOf,
  init,
  kinds,
  openV3,
  sampleFile,
  start,
  unknownOn31,
  unknownOn40,
  type V3Bed,
  type V3Kind,
  v3Consent,
  v3Kinds,
  v31,
} from "./bed.ts";

// What one version can do with the consents and orders of the other. Variable recurring payments
// have other rules: vrp-migration.test.ts.

let bank: V3Bed;
before(async () => {
  bank = await openV3();
});
after(() => bank?.close());
beforeEach(() => bank.clock.set(start));

for (const kind of kinds) {
  test(`F-001, F-007, F-010, F-011, F-052, F-065: a consent and an order of v3.1 can be read on both versions, each in its own form (${kind})`, async () => {
    const { consentId, token, order } = await bank.granted(kind);
    const consents = `/${kind}-consents/${consentId}`;
    const waiting = await bank.inBoth(consents);
    assert.deepEqual(
      [waiting.older.Data.Status, waiting.newer.Data.Status],
      ["Authorised", "AUTH"],
    );
    const made = (await bank.post(`${v31}/${kind}s`, { token, body: order })).body;
    const orders = `/${kind}s/${made.Data[v3Kinds[kind]]}`;
    const read = await bank.inBoth(orders);
    const used = await bank.inBoth(consents);
    assert.deepEqual([used.older.Data.Status, used.newer.Data.Status], ["Consumed", "COND"]);
    for (const { older, newer } of [used, read]) {
      const same = ["ConsentId", v3Kinds[kind], "CreationDateTime", "StatusUpdateDateTime"];
      const also = ["Charges", "Debtor", "ExpectedExecutionDateTime", "ExchangeRateInformation"];
      for (const member of [...same, ...also]) {
        assert.deepEqual(older.Data[member], newer.Data[member], member);
      }
      assert.match(older.Links.Self, /\/v3\.1\/pisp\//);
      assert.match(newer.Links.Self, /\/v4\.0\/pisp\//);
      assert.equal("StatusReason" in older.Data, false);
    }
    const details = await bank.inBoth(`${orders}/payment-details`);
    const [older, newer] = [details.older, details.newer].map(({ Data }) => Data.PaymentStatus);
    const ids = (list: Json[]) => list.map((one) => one.PaymentTransactionId);
    assert.deepEqual(ids(older), ids(newer));
    assert.deepEqual([older[0].Status, newer[0].Status], ["Received", "RCVD"]);
  });

  test(`F-005, F-009: a consent of v3.1 cannot be used on v4.0, and stays usable on v3.1 (${kind})`, async () => {
    const { consentId, token, order } = await bank.granted(kind);
    const { body } = await bank.get(`/${kind}-consents/${consentId}`);
    const again = { Data: { ConsentId: consentId, Initiation: body.Data.Initiation } };
    const newer = kind === "file-payment" ? again : { ...again, Risk: body.Risk };
    const answer = await bank.post(`/${kind}s`, { token, body: newer });
    assert.deepEqual(faultsOf(answer), unknownOn40("Data.ConsentId"));
    assert.match(answer.body.Errors[0].Message, /created on pisp-v3\.1/);
    if (["domestic-payment", "international-payment"].includes(kind)) {
      const funds = await bank.get(`/${kind}-consents/${consentId}/funds-confirmation`, token);
      assert.deepEqual(faultsOf(funds), unknownOn40("ConsentId"));
    }
    assert.equal((await bank.get(`/${kind}-consents/${consentId}`)).body.Data.Status, "AUTH");
    assert.equal((await bank.post(`${v31}/${kind}s`, { token, body: order })).status, 201);
  });
}

// a consent of v4.0 of each kind whose funds or order can be tried without a file
const newer: Partial<Record<V3Kind, () => Json>> = {
  "domestic-payment": domesticConsent,
  "domestic-scheduled-payment": scheduledConsent,
  "domestic-standing-order": standingOrderConsent,
  "international-payment": euroConsent,
  "international-scheduled-payment": () => onDay(euroConsent()),
};
for (const [kind, bodyOf] of Object.entries(newer) as [V3Kind, () => Json][]) {
  test(`F-006, F-008, F-009, F-012, F-019: v3.1 knows neither consents nor orders of v4.0 (${kind})`, async () => {
    const body = bodyOf();
    if (kind === "domestic-payment") {
      // v3.1 could not show two lines of free text, and never needs to
      body.Data.Initiation.RemittanceInformation = { Unstructured: ["one", "two"] };
    }
    const path = `/${kind}-consents`;
    const { consentId, token, order } = await bank.authorised({ path, body });
    const own = `${v31}${path}/${consentId}`;
    assert.deepEqual(faultsOf(await bank.get(own)), unknownOn31("ConsentId"));
    const older = orderOf(consentId, v3Consent(kind));
    const paid = await bank.post(`${v31}/${kind}s`, { token, body: older });
    assert.deepEqual(faultsOf(paid), unknownOn31("Data.ConsentId"));
    if (["domestic-payment", "international-payment"].includes(kind)) {
      const funds = await bank.get(`${own}/funds-confirmation`, token);
      assert.deepEqual(faultsOf(funds), unknownOn31("ConsentId"));
    }
    const made = await bank.post(`/${kind}s`, { token, body: order });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const id = made.body.Data[v3Kinds[kind]];
    for (const rest of ["", "/payment-details"]) {
      const answer = await bank.get(`${v31}/${kind}s/${id}${rest}`);
      assert.deepEqual(faultsOf(answer), unknownOn31(v3Kinds[kind]));
    }
  });
}

test("F-004: v4.0 keeps the Reference of v3.1 in its open RemittanceInformation, and refuses members of v3.1 elsewhere", async () => {
  const lodge = (kind: V3Kind, body: Json) => bank.post(`/${kind}-consents`, { body });
  const RemittanceInformation = { Unstructured: ["Thanks"], Reference: "REF-1" };
  const kept = await lodge("domestic-payment", domesticConsent(init({ RemittanceInformation })));
  assert.equal(kept.status, 201, JSON.stringify(kept.body));
  assert.deepEqual(kept.body.Data.Initiation.RemittanceInformation, RemittanceInformation);
  const spread = await lodge(
    "domestic-standing-order",
    standingOrderConsent(init({ Reference: "R" })),
  );
  assert.deepEqual(faultsOf(spread), [400, ["U005", `${at}.Reference`]]);
});

/** Lodges a consent on v3.1, and reads it on v4.0. */
async function shown(kind: V3Kind, change: Change): Promise<Json> {
  const lodged = await bank.lodge(kind, change);
  assert.equal(lodged.status, 201, JSON.stringify(lodged.body));
  const { newer } = await bank.inBoth(`/${kind}-consents/${lodged.body.Data.ConsentId}`);
  return newer;
}

test("F-018, F-020: on v4.0, the free text is a list, and the Reference is a structured reference", async () => {
  const RemittanceInformation = { Unstructured: "abc", Reference: "r".repeat(35) };
  const Structured = [{ CreditorReferenceInformation: { Reference: "r".repeat(35) } }];
  for (const kind of ["domestic-payment", "international-payment"] as const) {
    const { Data } = await shown(kind, init({ RemittanceInformation }));
    assert.deepEqual(Data.Initiation.RemittanceInformation, { Unstructured: ["abc"], Structured });
  }
  const { Data } = await shown("domestic-standing-order", init({ Reference: "r".repeat(35) }));
  assert.deepEqual(Data.Initiation.RemittanceInformation, { Structured });
  assert.equal("Reference" in Data.Initiation, false);
});

test("F-018, F-020: the payee's bank gets the Reference of v3.1, otherwise its free text", async () => {
  const referenceOf = async (RemittanceInformation: object) => {
    const { id } = await bank.ordered("domestic-payment", init({ RemittanceInformation }));
    const [row] = await bank.database.query(
      sql`select reference from payment where order_id = ${id}`,
    );
    return row;
  };
  const both = { Unstructured: "Thanks", Reference: "REF-1" };
  assert.deepEqual(await referenceOf(both), { reference: "REF-1" });
  assert.deepEqual(await referenceOf({ Unstructured: "Thanks" }), { reference: "Thanks" });
});

test("F-021, F-022: on v4.0, types of addresses are codes, and ContractPresentInidicator is spelt right", async () => {
  const { Data, Risk } = await shown("domestic-payment", (body) => {
    body.Data.Initiation.CreditorPostalAddress = { AddressType: "Business", TownName: "Leeds" };
    body.Risk = { ContractPresentInidicator: true };
  });
  const address = { AddressType: "BIZZ", TownName: "Leeds" };
  assert.deepEqual(Data.Initiation.CreditorPostalAddress, address);
  assert.deepEqual(Risk, { ContractPresentIndicator: true });
  const abroad = await shown(
    "international-payment",
    init({ Creditor: { Name: "C", PostalAddress: { AddressType: "Residential" } } }),
  );
  assert.equal(abroad.Data.Initiation.Creditor.PostalAddress.AddressType, "HOME");
});

test("F-024, F-026, F-027: v4.0 shows deprecated values of v3.1, and takes none in a new consent", async () => {
  const Risk = { PaymentPurposeCode: "ABC", PaymentContextCode: "PartyToParty" };
  const older = await shown("domestic-payment", (body) => {
    body.Risk = Risk;
  });
  assert.deepEqual(older.Risk, Risk);
  const body = domesticConsent((sent) => {
    sent.Risk = { PaymentContextCode: "PartyToParty" };
  });
  const fresh = await bank.post("/domestic-payment-consents", { body });
  assert.deepEqual(faultsOf(fresh), [400, ["U002", "Risk.PaymentContextCode"]]);
});

test("F-025: v4.0 shows the Purpose of v3.1 in the risk, if it is a published code and the risk has none", async () => {
  const purposes = async (Purpose: string, Risk: object) => {
    const { Data, Risk: risk } = await shown("international-payment", (body) => {
      body.Data.Initiation.Purpose = Purpose;
      body.Risk = Risk;
    });
    assert.equal("Purpose" in Data.Initiation, false);
    return risk.PaymentPurposeCode;
  };
  assert.equal(await purposes("CASH", {}), "CASH");
  assert.equal(await purposes("ABC", {}), undefined);
  assert.equal(await purposes("CASH", { PaymentPurposeCode: "DEF" }), "DEF");
});

const dates = {
  FirstPaymentDateTime: "2027-03-10T00:00:00+00:00",
  RecurringPaymentDateTime: "2027-04-12T00:00:00+00:00",
  FinalPaymentDateTime: "2027-12-10T00:00:00+00:00",
};
const frequencies: [frequency: string, shown: object][] = [
  ["EvryDay", { Type: "DAIL" }],
  ["EvryWorkgDay", { Type: "WODL" }],
  ["IntrvlDay:15", { Type: "DAIL", PointInTime: "15" }],
  ["IntrvlWkDay:01:03", { Type: "WEEK", PointInTime: "03" }],
  ["IntrvlWkDay:02:03", { Type: "FRTN", PointInTime: "03" }],
  ["IntrvlWkDay:03:03", { Type: "IntrvlWkDay:03:03" }],
  ["WkInMnthDay:02:03", { Type: "WkInMnthDay:02:03" }],
  ["IntrvlMnthDay:01:03", { Type: "MNTH", PointInTime: "03" }],
  ["IntrvlMnthDay:01:-01", { Type: "MNTH", PointInTime: "-1" }],
  ["IntrvlMnthDay:12:15", { Type: "YEAR", PointInTime: "15" }],
];
for (const [Frequency, expected] of frequencies) {
  test(`F-029: v4.0 shows a v3.1 standing order with its mandate (${Frequency})`, async () => {
    const { Data } = await shown("domestic-standing-order", init({ ...dates, Frequency }));
    const { MandateRelatedInformation, ...rest } = Data.Initiation;
    assert.deepEqual(MandateRelatedInformation, { ...dates, Frequency: expected });
    assert.deepEqual(Object.keys(rest).sort(), ["CreditorAccount", "FirstPaymentAmount"]);
  });
}

test("F-029: v4.0 shows an international standing order of v3.1 with its mandate", async () => {
  const { Data } = await shown("international-standing-order", () => undefined);
  assert.deepEqual(Data.Initiation.MandateRelatedInformation, {
    FirstPaymentDateTime: dates.FirstPaymentDateTime,
    Frequency: { Type: "MNTH", PointInTime: "10" },
  });
});

test("F-030, F-031: v4.0 shows a quarter day as v3.1 wrote it, and takes none in a new standing order", async () => {
  const { Data } = await shown("domestic-standing-order", init({ Frequency: "QtrDay:ENGLISH" }));
  const frequency = { Type: "QtrDay:ENGLISH" };
  assert.deepEqual(Data.Initiation.MandateRelatedInformation.Frequency, frequency);
  const body = standingOrderConsent(({ Data: sent }) => {
    sent.Initiation.MandateRelatedInformation.Frequency = frequency;
  });
  const strict = await bank.configured({ STANDING_ORDER_V3_FREQUENCIES: false });
  const fresh = await strict.post("/domestic-standing-order-consents", { body });
  const path = `${at}.MandateRelatedInformation.Frequency.Type`;
  assert.deepEqual(faultsOf(fresh), [400, ["U025", path]]);
});

test("F-033: v4.0 takes a standing order without a first date", async () => {
  const body = standingOrderConsent(({ Data }) => {
    delete Data.Initiation.MandateRelatedInformation.FirstPaymentDateTime;
  });
  assert.equal((await bank.post("/domestic-standing-order-consents", { body })).status, 201);
});

test("F-035: the refund of an international payment has the account alone, in both versions", async () => {
  const { id } = await bank.ordered("international-payment", ({ Data }) => {
    Data.ReadRefundAccount = "Yes";
  });
  const { older, newer } = await bank.inBoth(`/international-payments/${id}`);
  assert.deepEqual(older.Data.Refund, newer.Data.Refund);
  assert.deepEqual(Object.keys(older.Data.Refund), ["Account"]);
});

test("F-013: v4.0 reports on a file of v3.1 in its own words, and returns its bytes unchanged", async () => {
  const { consentId, token, order } = await bank.granted("file-payment");
  const made = await bank.post(`${v31}/file-payments`, { token, body: order });
  const path = `/file-payments/${made.body.Data.FilePaymentId}`;
  await bank.runTo("2027-03-10T06:00:00Z");
  const reportOn = async (base: string) => {
    const { status, body } = await bank.get(`${base}${path}/report-file`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.Data;
  };
  const [older, newer] = [await reportOn(v31), await reportOn("")];
  assert.deepEqual([older.Status, newer.Status], ["InitiationCompleted", "INCO"]);
  const statuses = (report: Json) =>
    [...report.DomesticPayments, ...report.DomesticScheduledPayments].map(({ Status }) => Status);
  const word = "AcceptedCreditSettlementCompleted";
  assert.deepEqual(
    [statuses(older), statuses(newer)],
    [
      [word, word],
      ["ACCC", "ACCC"],
    ],
  );
  for (const base of [v31, ""]) {
    const { body } = await bank.get(`${base}/file-payment-consents/${consentId}/file`);
    assert.deepEqual(body, JSON.parse(sampleFile));
  }
});

test("a file is uploaded on the version of its consent", async () => {
  const lodged = await bank.lodge("file-payment");
  const path = `/file-payment-consents/${lodged.body.Data.ConsentId}/file`;
  const answer = await bank.post(path, { body: sampleFile });
  assert.deepEqual(faultsOf(answer), unknownOn40("ConsentId"));
  assert.equal((await bank.post(v31 + path, { body: sampleFile })).status, 200);
});

test("F-071: a bank without v3.1 still shows its consents, orders and reports on v4.0", async () => {
  const paths: string[] = [];
  for (const kind of kinds) {
    const { consentId, token, order } = await bank.granted(kind);
    const made = await bank.post(`${v31}/${kind}s`, { token, body: order });
    const path = `/${kind}s/${made.body.Data[v3Kinds[kind]]}`;
    paths.push(`/${kind}-consents/${consentId}`, path, `${path}/payment-details`);
    if (kind === "file-payment") paths.push(`${path}/report-file`);
  }
  const alone = await bank.configured({}, {}, offerKinds(paymentKinds, [paymentsV40]));
  for (const path of paths) {
    const [both, single] = [await bank.get(path), await alone.get(path)];
    assert.deepEqual([single.status, single.body], [200, both.body], path);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { judgedBy } from "#src/standard/pisp-v4.0/judgement.ts";
import {
  domesticPayment,
  domesticScheduledPayment,
} from "#src/standard/pisp-v4.0/payment-bodies.ts";

// Minimal bodies, with the members that the PISP OpenAPI file requires.
const initiation = {
  InstructionIdentification: "i1",
  EndToEndIdentification: "e1",
  InstructedAmount: { Amount: "1.00", Currency: "GBP" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "20202010981789",
    Name: "Dr Foo",
  },
};
const scheduled = { ...initiation, RequestedExecutionDateTime: "2030-01-02T00:00:00+00:00" };

const consent = { Data: { Initiation: initiation }, Risk: {} };
const order = { Data: { ConsentId: "c1", Initiation: initiation }, Risk: {} };

const valid: [string, TSchema, object][] = [
  ["consent request of a domestic payment", domesticPayment.consentRequest, consent],
  ["order request of a domestic payment", domesticPayment.orderRequest, order],
  [
    "consent request of a domestic scheduled payment",
    domesticScheduledPayment.consentRequest,
    { Data: { Permission: "Create", Initiation: scheduled }, Risk: {} },
  ],
  [
    "order request of a domestic scheduled payment",
    domesticScheduledPayment.orderRequest,
    { Data: { ConsentId: "c1", Initiation: scheduled }, Risk: {} },
  ],
];

for (const [what, schema, body] of valid) {
  test(`P-095: each minimal body is valid against its schema, with and without STRICT_OAS (${what})`, () => {
    for (const judgedSchema of [
      schema,
      judgedBy(schema, { strictOas: true }),
      judgedBy(schema, { strictOas: false }),
    ]) {
      assert.deepEqual(judge(compileSchema(judgedSchema), body), []);
    }
  });
}

type Change = Record<string, unknown>;
const consentWith = (change: Change) => ({
  Data: { Initiation: { ...initiation, ...change } },
  Risk: {},
});
const remittance = (structured: object) =>
  consentWith({ RemittanceInformation: { Structured: [structured] } });
const withRisk = (risk: object) => ({ ...consent, Risk: risk });
const without = (member: keyof typeof initiation) => {
  const { [member]: _, ...rest } = initiation;
  return { Data: { Initiation: rest }, Risk: {} };
};

const creditor = (change: Change) =>
  consentWith({ CreditorAccount: { ...initiation.CreditorAccount, ...change } });
const amount = (change: Change) =>
  consentWith({ InstructedAmount: { ...initiation.InstructedAmount, ...change } });
const ultimate = (change: Change) => consentWith({ UltimateDebtor: change });
const at = "Data.Initiation";

// the expected error for a consent request of a domestic payment; null if it is valid
const judgements: [fact: string, body: object, code: string | null, path?: string][] = [
  [
    "P-060: a missing InstructionIdentification",
    without("InstructionIdentification"),
    "U004",
    `${at}.InstructionIdentification`,
  ],
  ["P-061: a missing Risk", { Data: consent.Data }, "U004", "Risk"],
  ["P-064: an unknown member", consentWith({ Frequency: "MNTH" }), "U005", `${at}.Frequency`],
  ["P-064: an unknown member of Risk", withRisk({ x: 1 }), "U005", "Risk.x"],
  ["P-065: an additional member of an open object", ultimate({ Rank: 1 }), null],
  ["P-066: an empty string", creditor({ Name: "" }), "U002", `${at}.CreditorAccount.Name`],
  [
    "P-067: an InstructionIdentification of 36 characters",
    consentWith({ InstructionIdentification: "x".repeat(36) }),
    "U002",
    `${at}.InstructionIdentification`,
  ],
  [
    "P-067: an InstructionIdentification of 35 characters",
    consentWith({ InstructionIdentification: "x".repeat(35) }),
    null,
  ],
  [
    "P-068: an amount that is a number",
    amount({ Amount: 1 }),
    "U002",
    `${at}.InstructedAmount.Amount`,
  ],
  [
    "P-069: an unknown context",
    withRisk({ PaymentContextCode: "Gift" }),
    "U002",
    "Risk.PaymentContextCode",
  ],
  [
    "D-401-33: a deprecated context",
    withRisk({ PaymentContextCode: "PartyToParty" }),
    "U002",
    "Risk.PaymentContextCode",
  ],
  ["D-401-34: the purpose CRYP", withRisk({ PaymentPurposeCode: "CRYP" }), null],
  [
    "P-070: null for an optional member",
    consentWith({ DebtorAccount: null }),
    "U002",
    `${at}.DebtorAccount`,
  ],
  ["P-073: an amount without decimals", amount({ Amount: "10" }), null],
  ...["10.", "-1", "1,00", "1e3", "12345678901234", "1.123456", "1.00\n", ""].map(
    (text): [string, object, string, string] => [
      `P-074: the amount ${JSON.stringify(text)}`,
      amount({ Amount: text }),
      "U002",
      `${at}.InstructedAmount.Amount`,
    ],
  ),
  [
    "P-078: a currency in lower case",
    amount({ Currency: "gbp" }),
    "U002",
    `${at}.InstructedAmount.Currency`,
  ],
  [
    "P-081: an unknown identification scheme in a valid format",
    creditor({ SchemeName: "My.Own" }),
    null,
  ],
  [
    "P-085: a proxy without its code",
    creditor({ Proxy: { Identification: "x" } }),
    "U004",
    `${at}.CreditorAccount.Proxy.Code`,
  ],
  [
    "P-086: a list of eleven regulatory reports",
    consentWith({ RegulatoryReporting: Array(11).fill({}) }),
    "U002",
    `${at}.RegulatoryReporting`,
  ],
  [
    "P-087: free text as a string",
    consentWith({ RemittanceInformation: { Unstructured: "x" } }),
    "U002",
    `${at}.RemittanceInformation.Unstructured`,
  ],
  [
    "P-088: remittance information with four additional lines",
    remittance({ AdditionalRemittanceInformation: Array(4).fill("x") }),
    "U002",
    `${at}.RemittanceInformation.Structured[0].AdditionalRemittanceInformation`,
  ],
  [
    "P-088: an address of eight lines",
    consentWith({ CreditorPostalAddress: { AddressLine: Array(8).fill("x") } }),
    "U002",
    `${at}.CreditorPostalAddress.AddressLine`,
  ],
  [
    "P-112: a Permission",
    { ...consent, Data: { ...consent.Data, Permission: "Create" } },
    "U005",
    "Data.Permission",
  ],
  [
    "P-093: ReadRefundAccount in lower case",
    { ...consent, Data: { ...consent.Data, ReadRefundAccount: "yes" } },
    "U002",
    "Data.ReadRefundAccount",
  ],
  [
    "D-401-25: the authorisation type Multiple",
    { ...consent, Data: { ...consent.Data, Authorisation: { AuthorisationType: "Multiple" } } },
    null,
  ],
  [
    "D-401-30: a document's amount as a string",
    remittance({ ReferredDocumentAmount: "1.00" }),
    null,
  ],
  [
    "D-401-30: a document's amount in the format of v4.0",
    remittance({ ReferredDocumentAmount: 1 }),
    null,
  ],
  [
    "D-401-30: a document's amount with a comma",
    remittance({ ReferredDocumentAmount: "1,00" }),
    "U002",
    `${at}.RemittanceInformation.Structured[0].ReferredDocumentAmount`,
  ],
  [
    "D-401-30: a negative document amount",
    remittance({ ReferredDocumentAmount: -1 }),
    "U002",
    `${at}.RemittanceInformation.Structured[0].ReferredDocumentAmount`,
  ],
  [
    "D-401-31: a document's line of 2048 characters",
    remittance({ ReferredDocumentInformation: [{ LineDetails: ["x".repeat(2048)] }] }),
    null,
  ],
  [
    "D-401-31: a document's line of 2049 characters",
    remittance({ ReferredDocumentInformation: [{ LineDetails: ["x".repeat(2049)] }] }),
    "U002",
    `${at}.RemittanceInformation.Structured[0].ReferredDocumentInformation[0].LineDetails[0]`,
  ],
  [
    "D-401-71: a document type that is only in the published code set",
    remittance({ ReferredDocumentInformation: [{ Code: "VCHR" }] }),
    null,
  ],
  ["D-401-32: a valid LEI", ultimate({ LEI: "8200007YHFDMEODY1965" }), null],
  ["D-401-32: the LEI in the standard's example", ultimate({ LEI: "IZ9Q00LZEVUKWCQY6X15" }), null],
  [
    "D-401-32: an LEI of 19 characters",
    ultimate({ LEI: "IZ9Q00LZEVUKWCQY6X1" }),
    "U002",
    `${at}.UltimateDebtor.LEI`,
  ],
  [
    "D-401-32: an LEI in lower case",
    ultimate({ LEI: "iz9q00lzevukwcqy6x15" }),
    "U002",
    `${at}.UltimateDebtor.LEI`,
  ],
  [
    "D-401-29: a debtor without a name",
    consentWith({ DebtorAccount: { SchemeName: "UK.OBIE.IBAN", Identification: "x" } }),
    null,
  ],
];

const judged = compileSchema(judgedBy(domesticPayment.consentRequest, { strictOas: false }));

for (const [fact, body, code, path] of judgements) {
  test(`${fact} is ${code === null ? "accepted" : "refused"} by the schema`, () => {
    const faults = judge(judged, body).map((fault) => ({ code: fault.code, path: fault.path }));
    assert.deepEqual(faults, code === null ? [] : [{ code, path }]);
  });
}

test("P-116: a scheduled payment has no CreditorAgent", () => {
  const body = {
    Data: { Permission: "Create", Initiation: { ...scheduled, CreditorAgent: {} } },
    Risk: {},
  };
  const [fault] = judge(compileSchema(domesticScheduledPayment.consentRequest), body);
  assert.equal(fault?.code, "U005");
  assert.equal(fault?.path, "Data.Initiation.CreditorAgent");
});

test("P-110, P-111: a scheduled payment needs the permission Create", () => {
  const compiled = compileSchema(domesticScheduledPayment.consentRequest);
  const [missing] = judge(compiled, { Data: { Initiation: scheduled }, Risk: {} });
  assert.deepEqual([missing?.code, missing?.path], ["U004", "Data.Permission"]);
  const [wrong] = judge(compiled, {
    Data: { Permission: "Update", Initiation: scheduled },
    Risk: {},
  });
  assert.deepEqual([wrong?.code, wrong?.path], ["U002", "Data.Permission"]);
});

test("in strict mode, values that only v4.0 clients send are refused", () => {
  const strict = compileSchema(judgedBy(domesticPayment.consentRequest, { strictOas: true }));
  assert.equal(judge(strict, remittance({ ReferredDocumentAmount: 1 })).length, 1);
  assert.equal(judge(strict, withRisk({ PaymentContextCode: "PartyToParty" })).length, 1);
});

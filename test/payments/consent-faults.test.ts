import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Json } from "./answer-check.ts";
import {
  domesticConsent,
  firstFault,
  numbers,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
} from "./fixture.ts";

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank.close());

type Case = [title: string, change: (data: Json, body: Json) => void, fault: string | null];

const initiation = "Data.Initiation";
const amount = `${initiation}.InstructedAmount.Amount`;
const currency = `${initiation}.InstructedAmount.Currency`;
const creditor = `${initiation}.CreditorAccount`;

const setAmount =
  (value: unknown) =>
  ({ Initiation }: Json) => {
    Initiation.InstructedAmount.Amount = value;
  };
const setCurrency =
  (value: string) =>
  ({ Initiation }: Json) => {
    Initiation.InstructedAmount.Currency = value;
  };
const setCreditor =
  (member: string, value: unknown) =>
  ({ Initiation }: Json) => {
    Initiation.CreditorAccount[member] = value;
  };
const setIban =
  (identification: string) =>
  ({ Initiation }: Json) => {
    Initiation.CreditorAccount = {
      SchemeName: "UK.OBIE.IBAN",
      Identification: identification,
      Name: "Dr Foo",
    };
  };
const setInitiation =
  (member: string, value: unknown) =>
  ({ Initiation }: Json) => {
    Initiation[member] = value;
  };
const setData = (member: string, value: unknown) => (data: Json) => {
  data[member] = value;
};
const setRisk = (risk: unknown) => (_: Json, body: Json) => {
  body.Risk = risk;
};
const setDebtor =
  (identification: string, type: string) =>
  (data: Json): void => {
    data.Initiation.DebtorAccount = {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: identification,
    };
    data.Authorisation = { AuthorisationType: type };
  };

const type = "Data.Authorisation.AuthorisationType";
const remittance = `${initiation}.RemittanceInformation`;

const line = `${remittance}.Structured[0].ReferredDocumentInformation[0].LineDetails[0]`;
const setLine = (text: string) =>
  setInitiation("RemittanceInformation", {
    Structured: [{ ReferredDocumentInformation: [{ LineDetails: [text] }] }],
  });
const lei = `${initiation}.UltimateCreditor.LEI`;
const setLei = (value: string) => setInitiation("UltimateCreditor", { LEI: value });
const retiredContexts = [
  "BillPayment",
  "EcommerceGoods",
  "EcommerceServices",
  "PartyToParty",
  "PispPayee",
  "Other",
];
const retired = (context: string): Case => [
  `D-401-33: the retired context ${context}`,
  setRisk({ PaymentContextCode: context }),
  "U002 Risk.PaymentContextCode",
];

// a fault of null means that the consent is accepted
const domestic: Case[] = [
  [
    "P-060: a missing member",
    ({ Initiation }) => delete Initiation.EndToEndIdentification,
    `U004 ${initiation}.EndToEndIdentification`,
  ],
  ["P-061, D-401-37: a missing Risk", (_, body) => delete body.Risk, "U004 Risk"],
  ["P-062: an empty Risk", () => undefined, null],
  ["P-064: an unknown member", setInitiation("Colour", "red"), `U005 ${initiation}.Colour`],
  [
    "P-065: an additional member of an open object",
    setInitiation("RemittanceInformation", { Colour: "red" }),
    null,
  ],
  ["P-066: an empty string", setCreditor("Name", ""), `U002 ${creditor}.Name`],
  ["P-066: a name of 350 characters", setCreditor("Name", "n".repeat(350)), null],
  [
    "P-066: a name of 351 characters",
    setCreditor("Name", "n".repeat(351)),
    `U002 ${creditor}.Name`,
  ],
  [
    "P-067: an InstructionIdentification of 36 characters",
    setInitiation("InstructionIdentification", "i".repeat(36)),
    `U002 ${initiation}.InstructionIdentification`,
  ],
  [
    "P-067: an InstructionIdentification of 35 characters",
    setInitiation("InstructionIdentification", "i".repeat(35)),
    null,
  ],
  ["P-068: an amount that is a number", setAmount(10), `U002 ${amount}`],
  [
    "P-069: a context that is not in the code set",
    setRisk({ PaymentContextCode: "Fun" }),
    "U002 Risk.PaymentContextCode",
  ],
  ["D-401-34: the purpose CRYP", setRisk({ PaymentPurposeCode: "CRYP" }), null],
  [
    "P-070: null for an optional member",
    setInitiation("LocalInstrument", null),
    `U002 ${initiation}.LocalInstrument`,
  ],
  ["P-072: an emoji in a name", setCreditor("Name", "Dr 🦊"), `U002 ${creditor}.Name`],
  [
    "P-072: a mark that reverses the writing direction",
    setCreditor("Name", "Dr \u202eooF"),
    `U002 ${creditor}.Name`,
  ],
  [
    "P-072: a name with letters of other alphabets",
    setCreditor("Name", "Dr Škoda Ødegård 李"),
    null,
  ],
  ["P-073: an amount without decimals", setAmount("10"), null],
  ["P-075: an amount of zero", setAmount("0.00"), `U002 ${amount}`],
  ["P-076: an amount of 1.001 pounds", setAmount("1.001"), `U002 ${amount}`],
  ["P-076: an amount of 1.000 pounds", setAmount("1.000"), null],
  ["P-077: an amount at the limit", setAmount("250000.00"), null],
  ["P-077: an amount above the limit", setAmount("250000.01"), `U002 ${amount}`],
  ["P-078: a currency in lower case", setCurrency("gbp"), `U002 ${currency}`],
  ["P-078: an unknown currency", setCurrency("ZZZ"), `U002 ${currency}`],
  ["P-079: a currency that the kind does not offer", setCurrency("USD"), `U023 ${currency}`],
  [
    "P-080, D-401-03: a local instrument that is not offered",
    setInitiation("LocalInstrument", "UK.OBIE.SWIFT"),
    `U026 ${initiation}.LocalInstrument`,
  ],
  ["P-080: an offered local instrument", setInitiation("LocalInstrument", "UK.OBIE.FPS"), null],
  [
    "P-081, D-401-03: an unknown identification scheme",
    setCreditor("SchemeName", "MyImaginaryScheme"),
    `U027 ${creditor}.SchemeName`,
  ],
  [
    "P-082: an account number of 13 digits",
    setCreditor("Identification", "2020101098178"),
    `U021 ${creditor}.Identification`,
  ],
  [
    "P-082: an account number with dashes",
    setCreditor("Identification", "20-20-1010981789"),
    `U021 ${creditor}.Identification`,
  ],
  ["P-083: a valid IBAN", setIban("GB29NWBK60161331926819"), null],
  [
    "P-083: an IBAN with wrong check digits",
    setIban("GB30NWBK60161331926819"),
    `U021 ${creditor}.Identification`,
  ],
  [
    "P-083: an IBAN of another country",
    setIban("DE89370400440532013000"),
    `U021 ${creditor}.Identification`,
  ],
  ["P-084: a roll number with a sort code", setCreditor("SecondaryIdentification", "A/123"), null],
  [
    "P-084, D-401-03: a roll number with an IBAN",
    (data) => {
      setIban("GB29NWBK60161331926819")(data);
      setCreditor("SecondaryIdentification", "A/123")(data);
    },
    `U022 ${creditor}.SecondaryIdentification`,
  ],
  [
    "P-085: a proxy without its code",
    setCreditor("Proxy", { Identification: "x" }),
    `U004 ${creditor}.Proxy.Code`,
  ],
  [
    "P-086: a list of eleven regulatory reports",
    setInitiation("RegulatoryReporting", new Array(11).fill({})),
    `U002 ${initiation}.RegulatoryReporting`,
  ],
  [
    "P-087: free text as a string",
    setInitiation("RemittanceInformation", { Unstructured: "x" }),
    `U002 ${remittance}.Unstructured`,
  ],
  [
    "P-088: an address of eight lines",
    setInitiation("CreditorPostalAddress", { AddressLine: new Array(8).fill("x") }),
    `U002 ${initiation}.CreditorPostalAddress.AddressLine`,
  ],
  [
    "D-401-40: an address of seven lines",
    setInitiation("CreditorPostalAddress", { AddressLine: new Array(7).fill("x") }),
    null,
  ],
  [
    "D-401-30: a document's amount as a string",
    setInitiation("RemittanceInformation", { Structured: [{ ReferredDocumentAmount: "1.00" }] }),
    null,
  ],
  [
    "D-401-30: a document's amount as a number",
    setInitiation("RemittanceInformation", { Structured: [{ ReferredDocumentAmount: 1 }] }),
    null,
  ],
  [
    "D-401-30: a document's amount with a comma",
    setInitiation("RemittanceInformation", { Structured: [{ ReferredDocumentAmount: "1,00" }] }),
    `U002 ${remittance}.Structured[0].ReferredDocumentAmount`,
  ],
  [
    "D-401-30: a negative document amount",
    setInitiation("RemittanceInformation", { Structured: [{ ReferredDocumentAmount: -1 }] }),
    `U002 ${remittance}.Structured[0].ReferredDocumentAmount`,
  ],
  ["D-401-31: a document's line of 2048 characters", setLine("l".repeat(2048)), null],
  ["D-401-31: a document's line of 2049 characters", setLine("l".repeat(2049)), `U002 ${line}`],
  ["D-401-31: a document's empty line", setLine(""), `U002 ${line}`],
  ["D-401-32: a valid LEI", setLei("IZ9Q00LZEVUKWCQY6X15"), null],
  ["D-401-32: another valid LEI", setLei("8200007YHFDMEODY1965"), null],
  ["D-401-32: an LEI of 19 characters", setLei("IZ9Q00LZEVUKWCQY6X1"), `U002 ${lei}`],
  ["D-401-32: an LEI in lower case", setLei("iz9q00lzevukwcqy6x15"), `U002 ${lei}`],
  [
    "P-089: a completion time that is not a date-time",
    setData("Authorisation", { AuthorisationType: "Any", CompletionDateTime: "soon" }),
    "U003 Data.Authorisation.CompletionDateTime",
  ],
  [
    "P-090: a completion time without seconds",
    setData("Authorisation", { AuthorisationType: "Any", CompletionDateTime: "2027-04-01T10:00Z" }),
    null,
  ],
  [
    "P-091: a completion time in the past",
    setData("Authorisation", {
      AuthorisationType: "Any",
      CompletionDateTime: "2027-03-02T09:59:59Z",
    }),
    "U003 Data.Authorisation.CompletionDateTime",
  ],
  [
    "P-092: AuthorisationType Single for an account with two signatories",
    setDebtor(numbers.joint, "Single"),
    `U002 ${type}`,
  ],
  [
    "P-092: AuthorisationType Single for an account with one signatory",
    setDebtor(numbers.current, "Single"),
    null,
  ],
  [
    "D-401-25: AuthorisationType Multiple for an account with one signatory",
    setDebtor(numbers.current, "Multiple"),
    `U002 ${type}`,
  ],
  [
    "D-401-25: AuthorisationType Multiple for an account with two signatories",
    setDebtor(numbers.joint, "Multiple"),
    null,
  ],
  ["P-098: an unknown debtor account", setDebtor("99999999999999", "Single"), null],
  [
    "P-093: ReadRefundAccount in lower case",
    setData("ReadRefundAccount", "yes"),
    "U002 Data.ReadRefundAccount",
  ],
  ["P-112: a Permission", setData("Permission", "Create"), "U005 Data.Permission"],
];
for (const context of retiredContexts) domestic.push(retired(context));
for (const wrong of ["10.", "-1", "1,00", "1e3", "12345678901234", "1.000001"]) {
  domestic.push([`P-074: the amount ${wrong}`, setAmount(wrong), `U002 ${amount}`]);
}

const day = `${initiation}.RequestedExecutionDateTime`;
const setDay = (value: string) => setInitiation("RequestedExecutionDateTime", value);
const scheduled: Case[] = [
  ["P-110: a missing Permission", (data) => delete data.Permission, "U004 Data.Permission"],
  ["P-111: a wrong Permission", setData("Permission", "Update"), "U002 Data.Permission"],
  [
    "P-116: a CreditorAgent",
    setInitiation("CreditorAgent", { Name: "x" }),
    `U005 ${initiation}.CreditorAgent`,
  ],
  ["P-089: a payment date that is not a date", setDay("tomorrow"), `U003 ${day}`],
  ["P-089: the date 30 February", setDay("2028-02-30T00:00:00Z"), `U003 ${day}`],
  ["P-131: an execution date in the past", setDay("2027-03-01T12:00:00Z"), `U003 ${day}`],
  ["P-131: an execution at this moment", setDay("2027-03-02T10:00:00Z"), `U003 ${day}`],
  ["P-131: an execution later today", setDay("2027-03-02T23:00:00Z"), `U003 ${day}`],
  ["P-132: tomorrow's date with +00:00", setDay("2027-03-03T00:00:00+00:00"), null],
  ["P-132: tomorrow's date with Z", setDay("2027-03-03T00:00:00Z"), null],
  ["P-131: a time that is tomorrow at its UTC offset", setDay("2027-03-03T00:30:00+09:00"), null],
  [
    "P-131: a time that is today at its UTC offset",
    setDay("2027-03-02T23:30:00-09:00"),
    `U003 ${day}`,
  ],
  ["P-090: an execution time with milliseconds", setDay("2027-03-03T00:00:00.123+01:00"), null],
  ["P-133: the last possible execution date", setDay("2028-03-02T00:00:00Z"), null],
  ["P-133: an execution date that is too late", setDay("2028-03-03T00:00:00Z"), `U003 ${day}`],
  ["no EndToEndIdentification", ({ Initiation }) => delete Initiation.EndToEndIdentification, null],
];

const kinds = {
  "domestic-payment-consents": { cases: domestic, make: domesticConsent },
  "domestic-scheduled-payment-consents": { cases: scheduled, make: scheduledConsent },
};

for (const [path, { cases, make }] of Object.entries(kinds)) {
  for (const [title, change, fault] of cases) {
    test(`${title} is ${fault === null ? "accepted" : "refused"} (${path})`, async () => {
      const body = make((whole) => change(whole.Data, whole));
      const answer = await bank.post(`/${path}`, { body });
      assert.equal(answer.status, fault === null ? 201 : 400, JSON.stringify(answer.body));
      if (fault !== null) {
        assert.equal(firstFault(answer).join(" "), fault);
        assert.equal(answer.body.Errors.length, 1, "one fault per field");
      }
    });
  }
}

test("P-071, D-401-15: the response lists the errors of the schema and of the bank's rules, each with a message", async () => {
  const body = domesticConsent(({ Data }) => {
    delete Data.Initiation.EndToEndIdentification;
    Data.Initiation.InstructedAmount.Currency = "USD";
    Data.Initiation.CreditorAccount.SchemeName = "MyImaginaryScheme";
  });
  const { status, body: answer } = await bank.post("/domestic-payment-consents", { body });
  assert.equal(status, 400);
  const found = answer.Errors.map(({ ErrorCode, Path }: Json) => `${ErrorCode} ${Path}`);
  assert.deepEqual(found, [
    `U004 ${initiation}.EndToEndIdentification`,
    `U023 ${currency}`,
    `U027 ${creditor}.SchemeName`,
  ]);
});

test("a refused consent is not stored", async () => {
  const { database } = bank;
  const count = async () => (await database.query(countConsents))[0];
  const earlier = await count();
  const body = domesticConsent(({ Data }) => setAmount("0")(Data));
  await bank.post("/domestic-payment-consents", { body });
  assert.deepEqual(await count(), earlier);
});

const countConsents = {
  text: `select (select count(*) from consent) as consents,
    (select count(*) from idempotency_key) as keys`,
  values: [],
};

test("D-401-30: by the published schema, a document's amount is a string", async () => {
  const strict = await bank.configured({ STRICT_OAS: true });
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.RemittanceInformation = { Structured: [{ ReferredDocumentAmount: 1 }] };
  });
  const answer = await strict.post("/domestic-payment-consents", { body });
  assert.deepEqual(firstFault(answer), [
    "U002",
    `${remittance}.Structured[0].ReferredDocumentAmount`,
  ]);
});

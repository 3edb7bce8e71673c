import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { hashOf, json40, pain } from "#test/payments/files/fixture.ts";
import { domesticConsent, numbers, orderOf } from "#test/payments/fixture.ts";
import {
  at,
  type Change,
  faultsOf,
  kinds,
  openV3,
  start,
  type V3Bed,
  type V3Kind,
  v3Consent,
  v31,
} from "./bed.ts";

let bank: V3Bed;
before(async () => {
  bank = await openV3();
});
after(() => bank?.close());
beforeEach(() => bank.clock.set(start));

const refused = async (kind: V3Kind, change: Change) => faultsOf(await bank.lodge(kind, change));

for (const kind of kinds) {
  test(`F-002: a new consent waits for its customer, and then for its order (${kind})`, async () => {
    const { status, body } = await bank.lodge(kind);
    assert.equal(status, 201, JSON.stringify(body));
    const isFile = kind === "file-payment";
    assert.equal(body.Data.Status, isFile ? "AwaitingUpload" : "AwaitingAuthorisation");
    assert.equal("StatusReason" in body.Data, false);
    const { consentId, token, body: sent, order } = await bank.granted(kind);
    const path = `${v31}/${kind}-consents/${consentId}`;
    const authorised = (await bank.get(path)).body;
    assert.equal(authorised.Data.Status, "Authorised");
    assert.deepEqual(
      [authorised.Data.Initiation, authorised.Risk],
      [sent.Data.Initiation, sent.Risk],
    );
    assert.equal((await bank.post(`${v31}/${kind}s`, { token, body: order })).status, 201);
    assert.equal((await bank.get(path)).body.Data.Status, "Consumed");
  });
}

test("F-003: members that only v4.0 has are refused", async () => {
  const structured = await refused("domestic-payment", ({ Data }) => {
    Data.Initiation.RemittanceInformation = { Unstructured: "Thanks", Structured: [] };
  });
  const inside = `${at}.RemittanceInformation.Structured`;
  assert.deepEqual(structured, [400, ["UK.OBIE.Field.Unexpected", inside]]);
  const mandate = await refused("domestic-standing-order", ({ Data }) => {
    Data.Initiation.MandateRelatedInformation = { Frequency: { Type: "MNTH" } };
  });
  const path = `${at}.MandateRelatedInformation`;
  assert.deepEqual(mandate, [400, ["UK.OBIE.Field.Unexpected", path]]);
  for (const member of ["UltimateCreditor", "UltimateDebtor", "RegulatoryReporting"]) {
    const answer = await refused("international-payment", ({ Data }) => {
      Data.Initiation[member] = {};
    });
    assert.deepEqual(answer, [400, ["UK.OBIE.Field.Unexpected", `${at}.${member}`]]);
  }
});

test("F-023: only the misspelt ContractPresentInidicator is a member of Risk", async () => {
  const risk = (Risk: object) =>
    refused("domestic-payment", (body) => Object.assign(body, { Risk }));
  assert.deepEqual(await risk({ ContractPresentInidicator: true }), [201]);
  const path = "Risk.ContractPresentIndicator";
  assert.deepEqual(await risk({ ContractPresentIndicator: true }), [
    400,
    ["UK.OBIE.Field.Unexpected", path],
  ]);
});

test("F-028: a new consent may have each published payment context", async () => {
  for (const PaymentContextCode of ["PartyToParty", "BillPayment", "Other", "PispPayee"]) {
    const answer = await refused("domestic-payment", (body) => {
      body.Risk = { PaymentContextCode };
    });
    assert.deepEqual(answer, [201], PaymentContextCode);
  }
});

// each row: the kind, the change, the code after UK.OBIE., and the path
type Row = [title: string, kind: V3Kind, change: Change, code: string, path: string];
const init =
  (members: object): Change =>
  ({ Data }) =>
    void Object.assign(Data.Initiation, members);
const without =
  (member: string): Change =>
  ({ Data }) =>
    void delete Data.Initiation[member];

const rows: Row[] = [
  [
    "F-032: a standing order without Frequency",
    "domestic-standing-order",
    without("Frequency"),
    "Field.Missing",
    `${at}.Frequency`,
  ],
  [
    "F-032: an international standing order without Frequency",
    "international-standing-order",
    without("Frequency"),
    "Field.Missing",
    `${at}.Frequency`,
  ],
  [
    "F-032: a standing order without FirstPaymentDateTime",
    "domestic-standing-order",
    without("FirstPaymentDateTime"),
    "Field.Missing",
    `${at}.FirstPaymentDateTime`,
  ],
  [
    "F-032: a standing order with the frequency NotKnown",
    "domestic-standing-order",
    init({ Frequency: "NotKnown" }),
    "Field.Invalid",
    `${at}.Frequency`,
  ],
  [
    "F-032: a standing order with a code of v4.0 as its frequency",
    "domestic-standing-order",
    init({ Frequency: "MNTH" }),
    "Field.Invalid",
    `${at}.Frequency`,
  ],
  [
    "F-034: a standing order with NumberOfPayments and FinalPaymentDateTime",
    "domestic-standing-order",
    init({ NumberOfPayments: "3", FinalPaymentDateTime: "2027-06-10T00:00:00+00:00" }),
    "Field.Unexpected",
    `${at}.NumberOfPayments`,
  ],
  [
    "F-036: an international payment with a creditor's name of 141 characters",
    "international-payment",
    init({ Creditor: { Name: "n".repeat(141) } }),
    "Field.Invalid",
    `${at}.Creditor.Name`,
  ],
  [
    "F-038: a delivery address without its country",
    "domestic-payment",
    (body) => {
      body.Risk = { DeliveryAddress: { TownName: "Leeds" } };
    },
    "Field.Missing",
    "Risk.DeliveryAddress.Country",
  ],
  [
    "F-039: the authorisation type Multiple",
    "domestic-payment",
    ({ Data }) => {
      Data.Authorisation = { AuthorisationType: "Multiple" };
    },
    "Field.Invalid",
    "Data.Authorisation.AuthorisationType",
  ],
  [
    "F-040: the file type of v4.0",
    "file-payment",
    init({ FileType: json40 }),
    "Field.Invalid",
    `${at}.FileType`,
  ],
  [
    "P-193: a number of transactions with letters",
    "file-payment",
    init({ NumberOfTransactions: "abc1" }),
    "Field.Invalid",
    `${at}.NumberOfTransactions`,
  ],
  [
    "a country that is not two letters",
    "international-payment",
    init({ DestinationCountryCode: "DEU" }),
    "Field.Invalid",
    `${at}.DestinationCountryCode`,
  ],
  [
    "P-080: a local instrument that the bank does not offer",
    "domestic-payment",
    init({ LocalInstrument: "UK.OBIE.Link" }),
    "Unsupported.LocalInstrument",
    `${at}.LocalInstrument`,
  ],
  [
    "P-143: a final payment before the first one",
    "domestic-standing-order",
    init({ FinalPaymentDateTime: "2027-03-09T00:00:00+00:00" }),
    "Field.InvalidDate",
    `${at}.FinalPaymentDateTime`,
  ],
];

for (const [title, kind, change, code, path] of rows) {
  test(`${title} is refused on v3.1`, async () => {
    assert.deepEqual(await refused(kind, change), [400, [`UK.OBIE.${code}`, path]]);
  });
}

test("F-038: v4.0 takes a delivery address without its country", async () => {
  const body = domesticConsent((sent) => {
    sent.Risk = { DeliveryAddress: { TownName: "Leeds" } };
  });
  assert.equal((await bank.post("/domestic-payment-consents", { body })).status, 201);
});

test("F-036: v4.0 takes a creditor's name of 350 characters, and v3.1 one of 140", async () => {
  assert.deepEqual(
    await refused("international-payment", init({ Creditor: { Name: "n".repeat(140) } })),
    [201],
  );
  const body = v3Consent("international-payment", init({ Creditor: { Name: "n".repeat(350) } }));
  assert.equal((await bank.post("/international-payment-consents", { body })).status, 201);
});

test("F-040: v3.1 takes its own files and pain.001, and v4.0 still takes files of v3.1", async () => {
  const body = v3Consent("file-payment", ({ Data }) => {
    Data.Initiation.FileHash = hashOf("");
  });
  assert.equal((await bank.post("/file-payment-consents", { body })).status, 201);
  assert.deepEqual(await refused("file-payment", init({ FileType: pain })), [201]);
});

const SupplementaryData = { Anything: [1] };
const DebtorAccount = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: numbers.current,
  Name: "Ann Example",
};
const home = {
  LocalInstrument: "UK.OBIE.FPS",
  DebtorAccount,
  CreditorPostalAddress: { AddressType: "Business", TownName: "Leeds", Country: "GB" },
  RemittanceInformation: { Unstructured: "Thanks", Reference: "REF-1" },
  SupplementaryData,
};
const abroad = {
  Purpose: "CASH",
  ExtendedPurpose: "Beans",
  ChargeBearer: "Shared",
  DestinationCountryCode: "DE",
  DebtorAccount,
  Creditor: { Name: "Kaffeerösterei", PostalAddress: { AddressType: "Business" } },
  CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEDEFF" },
  SupplementaryData,
};
const exchanged = {
  ...abroad,
  LocalInstrument: "UK.OBIE.SWIFT",
  InstructionPriority: "Normal",
  ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
  RemittanceInformation: { Unstructured: "Beans", Reference: "REF-1" },
};
const monthly = { Frequency: "IntrvlMnthDay:01:03", Reference: "REF-1", NumberOfPayments: "4" };

// every optional member of an initiation, apart from those that exclude others
const everything: Record<V3Kind, object> = {
  "domestic-payment": home,
  "domestic-scheduled-payment": home,
  "domestic-standing-order": {
    ...monthly,
    RecurringPaymentDateTime: "2027-04-03T00:00:00+00:00",
    RecurringPaymentAmount: { Amount: "6.00", Currency: "GBP" },
    FinalPaymentAmount: { Amount: "7.00", Currency: "GBP" },
    DebtorAccount,
    SupplementaryData,
  },
  "international-payment": exchanged,
  "international-scheduled-payment": exchanged,
  "international-standing-order": { ...abroad, ...monthly },
  "file-payment": {
    FileReference: "F-1",
    NumberOfTransactions: "2",
    ControlSum: 10,
    RequestedExecutionDateTime: "2027-03-10T00:00:00+00:00",
    LocalInstrument: "UK.OBIE.FPS",
    DebtorAccount,
    RemittanceInformation: { Unstructured: "Wages" },
    SupplementaryData,
  },
};
const wholeRisk = {
  PaymentContextCode: "EcommerceGoods",
  MerchantCategoryCode: "5967",
  MerchantCustomerIdentification: "053598653254",
  ContractPresentInidicator: true,
  BeneficiaryPrepopulatedIndicator: false,
  PaymentPurposeCode: "CASH",
  BeneficiaryAccountType: "Business",
  DeliveryAddress: {
    AddressLine: ["Flat 7", "Acacia Lodge"],
    StreetName: "Acacia Avenue",
    BuildingNumber: "27",
    PostCode: "GU31 2ZZ",
    TownName: "Sparsholt",
    CountrySubDivision: "Wessex",
    Country: "GB",
  },
};

for (const kind of kinds) {
  test(`F-001, F-002: every optional member is kept as it was sent, and v4.0 can show it (${kind})`, async () => {
    const { data, id } = await bank.ordered(kind, (body) => {
      Object.assign(body.Data.Initiation, everything[kind]);
      body.Data.Authorisation = { AuthorisationType: "Any" };
      if (kind === "file-payment") return;
      body.Data.ReadRefundAccount = "Yes";
      body.Risk = wholeRisk;
    });
    const sent = v3Consent(kind, init(everything[kind]));
    assert.deepEqual(data.Initiation, sent.Data.Initiation);
    await bank.inBoth(`/${kind}s/${id}`);
    const { older } = await bank.inBoth(`/${kind}-consents/${data.ConsentId}`);
    if (kind !== "file-payment") assert.deepEqual(older.Risk, wholeRisk);
  });
}

test("F-063: payload-version is ignored", async () => {
  const { token, order } = await bank.granted("domestic-payment");
  const headers = { "payload-version": "4.0.1" };
  const answer = await bank.post(`${v31}/domestic-payments`, { token, body: order, headers });
  assert.equal(answer.status, 201);
});

test("F-068, F-069: cut-off, dates, charges and SCASupportData are the same in both versions", async () => {
  const front = await bank.configured({ CUT_OFF_TIME: "16:30" });
  const SCASupportData = {
    RequestedSCAExemptionType: "PartyToParty",
    AppliedAuthenticationApproach: "SCA",
  };
  const body = v3Consent("domestic-payment", ({ Data }) => {
    Data.Initiation.LocalInstrument = "UK.OBIE.CHAPS";
    Data.SCASupportData = SCASupportData;
  });
  const lodged = await front.post(`${v31}/domestic-payment-consents`, { body });
  assert.equal(lodged.status, 201, JSON.stringify(lodged.body));
  const newer = await front.get(`/domestic-payment-consents/${lodged.body.Data.ConsentId}`);
  for (const member of [
    "CutOffDateTime",
    "ExpectedExecutionDateTime",
    "ExpectedSettlementDateTime",
    "Charges",
    "SCASupportData",
  ]) {
    assert.ok(lodged.body.Data[member] !== undefined, member);
    assert.deepEqual(lodged.body.Data[member], newer.body.Data[member], member);
  }
  assert.deepEqual(lodged.body.Data.SCASupportData, SCASupportData);
});

test("P-152: an order that differs from its consent is refused", async () => {
  const { consentId, token, body } = await bank.granted("domestic-payment");
  const order = orderOf(consentId, body);
  order.Data.Initiation.InstructedAmount.Amount = "6.00";
  const answer = await bank.post(`${v31}/domestic-payments`, { token, body: order });
  assert.deepEqual(faultsOf(answer), [
    400,
    ["UK.OBIE.Resource.ConsentMismatch", `${at}.InstructedAmount.Amount`],
  ]);
});

test("P-184: funds are confirmed for the kinds that have the operation", async () => {
  for (const kind of ["domestic-payment", "international-payment"] as const) {
    const { consentId, token } = await bank.granted(kind);
    const path = `${v31}/${kind}-consents/${consentId}/funds-confirmation`;
    const { status, body } = await bank.get(path, token);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.Data.FundsAvailableResult.FundsAvailable, true);
  }
});

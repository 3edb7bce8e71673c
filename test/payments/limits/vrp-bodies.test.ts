import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Consent } from "#src/consents/consent.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import type { OrderWithConsent } from "#src/payments/order/payment-order.ts";
import { domesticVrpV40 as format } from "#src/payments/versions/pisp-v4.0/vrp.ts";
import { domesticVrp } from "#src/standard/pisp-v4.0/domestic-vrp.ts";

// The bodies of variable recurring payments, read and rendered without a bank.

const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "20201010981789",
  Name: "Dr Foo",
};
const limits = [
  { PeriodType: "Half-year", PeriodAlignment: "Calendar", Amount: "100.5", Currency: "GBP" },
];
const consent = {
  Data: {
    ReadRefundAccount: "Yes",
    ControlParameters: {
      ValidToDateTime: "2027-12-31T00:00:00Z",
      MaximumIndividualAmount: { Amount: "50.00", Currency: "GBP" },
      PeriodicLimits: limits,
      VRPType: ["UK.OBIE.VRPType.Sweeping"],
      PSUAuthenticationMethods: ["UK.OBIE.SCANotRequired"],
    },
    Initiation: { CreditorAccount: payee, RemittanceInformation: { Unstructured: ["Savings"] } },
  },
  Risk: { PaymentContextCode: "TransferToSelf" },
};
const Instruction = {
  InstructionIdentification: "i1",
  EndToEndIdentification: "e1",
  InstructedAmount: { Amount: "12.34", Currency: "GBP" },
  CreditorAccount: { ...payee, Name: "Another" },
  RemittanceInformation: { Unstructured: ["July"] },
};
const { Initiation } = consent.Data;
const order = {
  Data: {
    ConsentId: "c1",
    PSUAuthenticationMethod: "UK.OBIE.SCANotRequired",
    VRPType: "UK.OBIE.VRPType.Sweeping",
    Initiation,
    Instruction,
  },
  Risk: consent.Risk,
};

test("the bodies of these tests are as published", () => {
  assert.deepEqual(judge(compileSchema(domesticVrp.consentRequest), consent), []);
  assert.deepEqual(judge(compileSchema(domesticVrp.orderRequest), order), []);
});

test("a consent is read with its limits and its payee, and an order with its own payee and amount", () => {
  const asked = format.read(consent);
  assert.equal(asked.readsRefundAccount, true);
  assert.equal(asked.creditor?.name, "Dr Foo");
  assert.equal(asked.reference, "Savings");
  assert.equal(asked.amount, null);
  assert.equal(asked.limits?.validTo?.local.toPlainDate().toString(), "2027-12-31");
  assert.equal(asked.limits?.single?.money?.amountMinor, 5000n);
  assert.deepEqual(
    asked.limits?.periods.map(({ type, alignment, amount }) => [type, alignment, amount.money]),
    [["Half-year", "Calendar", { amountMinor: 10050n, currency: "GBP" }]],
  );
  const paid = format.read(order);
  assert.equal(paid.creditor?.name, "Another");
  assert.equal(paid.reference, "July");
  assert.equal(paid.amount?.money?.amountMinor, 1234n);
  assert.equal(paid.limits, null);
});

test("a consent without a payee is read without one", () => {
  const { CreditorAccount: _, ...rest } = Initiation;
  const body = { ...consent, Data: { ...consent.Data, Initiation: rest } };
  assert.equal(format.read(body).creditor, null);
});

test("reading never throws, whatever the body contains", () => {
  const anything = fc.jsonValue();
  const control = fc.record(
    { PeriodicLimits: anything, MaximumIndividualAmount: anything, ValidToDateTime: anything },
    { requiredKeys: [] },
  );
  const bodies = fc.record({
    Data: fc.oneof(
      anything,
      fc.record(
        {
          ControlParameters: fc.oneof(anything, control),
          Initiation: anything,
          Instruction: anything,
        },
        { requiredKeys: [] },
      ),
    ),
  });
  fc.assert(
    fc.property(fc.oneof(anything, bodies), (body) => {
      format.read(body);
    }),
    { numRuns: 1000 },
  );
});

const moment = Temporal.Instant.from("2027-03-01T10:00:00Z");

test("V-053, V-070, V-129: responses have the published form, with the debited account and the risk", () => {
  const debtor = {
    schemeName: "UK.OBIE.SortCodeAccountNumber",
    identification: "00990000000001",
    name: "Ann Example",
    secondaryIdentification: null,
  };
  const shownDebtor = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "00990000000001",
    Name: "Ann Example",
  };
  const stored = {
    consentId: "vrpc1",
    status: "CANC",
    statusReason: [],
    createdAt: moment,
    statusUpdatedAt: moment,
    body: consent,
  } as unknown as Consent; // the members that are rendered
  const shown = format.renderConsent(stored, { debtor, expected: null }, "https://bank.example/c");
  assert.deepEqual(judge(compileSchema(domesticVrp.consentResponse), shown), []);
  const { Data, Risk } = shown as { Data: Record<string, unknown>; Risk: unknown };
  assert.deepEqual(
    [Data.DebtorAccount, Data.Initiation, Risk],
    [shownDebtor, Initiation, consent.Risk],
  );

  const made = {
    orderId: "vrp1",
    consentId: "vrpc1",
    createdAt: moment,
    statusUpdatedAt: moment,
    statusReason: [],
    terms: { debtor, refund: debtor },
    consentTerms: {},
    consentBody: consent,
  } as unknown as OrderWithConsent; // the members that are rendered
  const own = { Data: { Instruction } };
  const idField = "DomesticVRPId";
  const answer = format.renderOrder(
    made,
    { idField, status: "RCVD", own },
    "https://bank.example/o",
  );
  assert.deepEqual(judge(compileSchema(domesticVrp.orderResponse), answer), []);
  const given = answer as { Data: Record<string, unknown>; Risk: unknown };
  assert.deepEqual(
    [given.Data.DebtorAccount, given.Data.Instruction, given.Data.Initiation, given.Risk],
    [shownDebtor, Instruction, Initiation, consent.Risk],
  );
});

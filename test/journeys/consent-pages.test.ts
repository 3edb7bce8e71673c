import assert from "node:assert/strict";
import { test } from "node:test";
import { expectStatus } from "#test/harness.ts";
import { type JourneyBed, openBefore } from "./journey-bed.ts";
import { dayText, lodge, openMarket, type Page, review, testPages, tuesday } from "./page-bed.ts";
import type { Resource } from "./payments.ts";

// What a customer sees of each kind before approving. Source: customer experience guidelines,
// Payment Initiation Services.

let opened: JourneyBed;
openBefore(async (bed) => {
  opened = bed;
  await openMarket(bed);
});

const payee = {
  SchemeName: "UK.OBIE.SortCodeAccountNumber",
  Identification: "00990000000001",
  Name: "Hawthorne & Sons Joinery Ltd",
};
const domestic = {
  InstructionIdentification: "I-1",
  EndToEndIdentification: "E-1",
  InstructedAmount: { Amount: "1249.50", Currency: "GBP" },
  CreditorAccount: payee,
  RemittanceInformation: { Unstructured: ["Invoice 20418"] },
};
const abroad = {
  CurrencyOfTransfer: "USD",
  CreditorAccount: {
    SchemeName: "UK.OBIE.BBAN",
    Identification: "000099000001",
    Name: "Bright Harbor Inc",
  },
  CreditorAgent: {
    SchemeName: "UK.OBIE.BICFI",
    Identification: "NONEUS33",
    Name: "Harbor National Bank",
  },
  ExtendedPurpose: "Consulting",
};
const international = {
  ...domestic,
  ...abroad,
  InstructedAmount: { Amount: "250.00", Currency: "USD" },
  ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
};

const everyKind = ["£1,249.50", payee.Name, "00-99-00 00000001", "Invoice 20418"];
const rate = /1 GBP = \d\.\d+ USD/;
const usual = ["Bright Harbor Inc", "000099000001", "Harbor National Bank, BIC NONEUS33"];
const usualAbroad = [...usual, "United States", "Consulting", "By SWIFT"];
const create = { Permission: "Create" };
const schedule = {
  MandateRelatedInformation: {
    FirstPaymentDateTime: `${tuesday}T00:00:00+01:00`,
    Frequency: { Type: "WEEK", CountPerPeriod: 1 },
  },
  NumberOfPayments: "12",
};
const ownAmounts = {
  FirstPaymentAmount: { Amount: "11.00", Currency: "GBP" },
  RecurringPaymentAmount: { Amount: "12.00", Currency: "GBP" },
  FinalPaymentAmount: { Amount: "13.00", Currency: "GBP" },
};

const later = dayText(tuesday);

const lodgeScheduled = () =>
  lodge(
    opened,
    "domestic-scheduled-payment",
    { ...domestic, RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00` },
    create,
  );

const pages: Record<string, Page> = {
  "a domestic payment: amount, payee, reference, today": {
    kind: "domestic-payment",
    lodge: () => lodge(opened, "domestic-payment", domestic),
    shows: [...everyKind, /Payment date ?Now/],
  },
  "a CHAPS payment with a refund account: the charge and the shared data": {
    kind: "domestic-payment-chaps",
    lodge: () =>
      lodge(
        opened,
        "domestic-payment",
        { ...domestic, LocalInstrument: "UK.OBIE.CHAPS" },
        { ReadRefundAccount: "Yes" },
      ),
    shows: [...everyKind, "£20.00", /shared with the company that you are paying through/],
  },
  "a Bacs payment: today's date and the date of arrival": {
    kind: "domestic-payment-bacs",
    lodge: () =>
      lodge(opened, "domestic-payment", { ...domestic, LocalInstrument: "UK.OBIE.BACS" }),
    shows: [...everyKind, /Payment date ?Now/, "Arrives by"],
  },
  "a payment that needs several approvals: this fact": {
    kind: "domestic-payment-several",
    lodge: () => lodge(opened, "domestic-payment", domestic),
    login: "dev",
    several: true,
    shows: [...everyKind, /must be approved by 2 people/, /until Elin Nystrom has approved it too/],
  },
  "a scheduled payment: its date": {
    kind: "domestic-scheduled-payment",
    lodge: lodgeScheduled,
    shows: [...everyKind, later, /You can cancel in online banking until then/],
  },
  "a scheduled payment that others must approve too: it cannot be cancelled before": {
    kind: "domestic-scheduled-payment-several",
    lodge: lodgeScheduled,
    login: "dev",
    several: true,
    shows: [later, /Once all have approved it, you can cancel in online banking until then/],
  },
  "a standing order: amounts, dates, frequency in words and end": {
    kind: "domestic-standing-order",
    lodge: () =>
      lodge(
        opened,
        "domestic-standing-order",
        { ...schedule, ...ownAmounts, CreditorAccount: payee },
        create,
      ),
    shows: ["£11.00", later, "£12.00", "every Tuesday", "£13.00", "12 payments"],
  },
  "a standing order that others must approve too: it cannot be cancelled before": {
    kind: "domestic-standing-order-several",
    lodge: () =>
      lodge(
        opened,
        "domestic-standing-order",
        { ...schedule, ...ownAmounts, CreditorAccount: payee },
        create,
      ),
    login: "dev",
    several: true,
    shows: [/Once all have approved it, you can cancel the standing order in online banking/],
  },
  "an international payment: rate, debit, charges, bank, country, purpose": {
    kind: "international-payment",
    lodge: () => lodge(opened, "international-payment", international),
    login: "iris",
    shows: [...usualAbroad, "US$250.00", rate, /fixed until/, /£10\.00: you pay ours/],
  },
  "an international scheduled payment: its date and the rate": {
    kind: "international-scheduled-payment",
    lodge: () =>
      lodge(
        opened,
        "international-scheduled-payment",
        {
          ...international,
          ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
          RequestedExecutionDateTime: `${tuesday}T00:00:00+01:00`,
        },
        create,
      ),
    login: "iris",
    shows: [...usualAbroad, "US$250.00", rate, /may change until the payment is made/, later],
  },
  "an international standing order: schedule, current rate, charges": {
    kind: "international-standing-order",
    lodge: () =>
      lodge(
        opened,
        "international-standing-order",
        { ...abroad, ...schedule, InstructedAmount: { Amount: "250.00", Currency: "USD" } },
        create,
      ),
    login: "iris",
    shows: [...usualAbroad, "US$250.00", rate, "every Tuesday", later, "12 payments"],
  },
};

testPages(() => opened, pages);

test("F-067: the page to approve is the same for consents of both versions", async () => {
  const first = `${tuesday}T00:00:00+01:00`;
  const shared = { ...ownAmounts, CreditorAccount: payee, NumberOfPayments: "12" };
  const bodies = {
    "v3.1": { Frequency: "IntrvlWkDay:01:02", FirstPaymentDateTime: first, Reference: "Rent" },
    "v4.0": {
      MandateRelatedInformation: { ...schedule.MandateRelatedInformation },
      RemittanceInformation: { Unstructured: ["Rent"] },
    },
  };
  const kind = "domestic-standing-order";
  const texts: string[] = [];
  for (const [version, members] of Object.entries(bodies)) {
    const answer = await opened.client.call<Resource>({
      path: `/${version}/pisp/${kind}-consents`,
      token: await opened.client.clientToken("payments"),
      body: { Data: { ...create, Initiation: { ...shared, ...members } }, Risk: {} },
    });
    expectStatus(answer, 201);
    const consentId = String(answer.body.Data.ConsentId);
    texts.push(await review(opened, consentId, { login: "amara", name: `${kind}-${version}` }));
  }
  assert.equal(texts[0], texts[1]);
  assert.match(texts[0] ?? "", /every Tuesday/);
});

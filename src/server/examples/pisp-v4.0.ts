import { createHash } from "node:crypto";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { DemoCreditor, Example, KindExamples } from "./example.ts";
import { sweeping } from "./sweeping.ts";

/**
 * Returns the bodies of a payment. `members` are the members of the consent's `Data` besides the
 * initiation.
 */
const examplePayment = (
  Initiation: Record<string, unknown>,
  members: Record<string, unknown> = {},
): Example<never> => {
  const Risk = { PaymentContextCode: "TransferToThirdParty" };
  return {
    consent: { Data: { ...members, Initiation }, Risk },
    order: { Data: { ConsentId: "", Initiation }, Risk },
  };
};

const permission = { Permission: "Create" };

/** Formats a day as a date-time of the standard. */
const dateTimeOf = (day: Temporal.PlainDate, time: string): string => `${day}T${time}+00:00`;

const invoice = { Unstructured: ["Invoice 20418"] };

/** The initiation of a domestic payment. */
export const domesticSample = {
  InstructionIdentification: "ALDGATE-1",
  EndToEndIdentification: "INVOICE-20418",
  InstructedAmount: { Amount: "10.00", Currency: "GBP" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "08080021325698",
    Name: "Hawthorne Joinery Ltd",
  },
  RemittanceInformation: invoice,
};

/** The schedule members of a standing order. */
const scheduleSample = {
  MandateRelatedInformation: { Frequency: { Type: "MNTH", PointInTime: "-1" } },
  NumberOfPayments: "12",
};

/** A payee abroad. The account does not exist: its bank code is not assigned. */
export const inGermany: DemoCreditor = {
  SchemeName: "UK.OBIE.IBAN",
  Identification: "DE75512108001245126199",
  Name: "Kaffeerösterei Lindenau",
};

/** The additional members of an international payment. */
const abroadSample = {
  CurrencyOfTransfer: "EUR",
  InstructedAmount: { Amount: "100.00", Currency: "EUR" },
  CreditorAccount: inGermany,
};

/** The initiation of an international payment. */
const internationalSample = {
  ...domesticSample,
  ...abroadSample,
  ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
};

/** The member with the date of a scheduled payment: thirty days after the given day. */
const laterSample = (day: Temporal.PlainDate) => ({
  RequestedExecutionDateTime: dateTimeOf(day.add({ days: 30 }), "10:00:00"),
});

const inThreeDays = (now: Temporal.Instant): string =>
  dateTimeOf(now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: 3 }), "00:00:00");

const demoParts = {
  amount: { InstructedAmount: { Amount: "12.50", Currency: "GBP" } },
  remittance: { RemittanceInformation: { Unstructured: ["Aldgate demo"] } },
  identified: (now: Temporal.Instant) => ({
    InstructionIdentification: `demo-${now.epochMilliseconds}`,
    EndToEndIdentification: "aldgate-demo",
  }),
  later: (now: Temporal.Instant) => ({ RequestedExecutionDateTime: inThreeDays(now) }),
  monthly: (now: Temporal.Instant) => ({
    MandateRelatedInformation: {
      FirstPaymentDateTime: inThreeDays(now),
      Frequency: { Type: "MNTH" },
    },
    NumberOfPayments: "12",
  }),
  euros: {
    CurrencyOfTransfer: "EUR",
    InstructedAmount: { Amount: "12.50", Currency: "EUR" },
  },
};

/** Returns the bodies of a payment whose consent announces a file. They have no Risk. */
const announcing = (file: string, members: Record<string, unknown>): Example<never> => {
  const Initiation = {
    FileType: "UK.OBIE.PaymentInitiation.4.0",
    FileHash: createHash("sha256").update(file).digest("base64"),
    ...members,
  };
  return {
    consent: { Data: { Initiation } },
    order: { Data: { ConsentId: "", Initiation } },
  };
};

const filePayment: KindExamples = {
  sample() {
    const second = {
      InstructionIdentification: "ALDGATE-2",
      EndToEndIdentification: "INVOICE-20419",
    };
    const payments = [domesticSample, { ...domesticSample, ...second }];
    const file = { Data: { DomesticPayments: payments } };
    const announced = { NumberOfTransactions: "2", ControlSum: 20 };
    // the hash of the sample file exactly as it is sent if nobody edits it
    return { ...announcing(JSON.stringify(file), announced), file };
  },
  demo(creditor, now) {
    const payments = ["4.00", "4.25", "4.25"].map((amount, index) => ({
      InstructionIdentification: `demo-${now.epochMilliseconds}-${index + 1}`,
      EndToEndIdentification: `aldgate-demo-${index + 1}`,
      InstructedAmount: { Amount: amount, Currency: "GBP" },
      CreditorAccount: creditor,
      ...demoParts.remittance,
    }));
    const file = JSON.stringify({ Data: { DomesticPayments: payments } });
    const announced = { NumberOfTransactions: "3", ControlSum: 12.5 };
    return { ...announcing(file, { FileReference: "aldgate-demo", ...announced }), file };
  },
};

const remittance = { Unstructured: ["Sweeping"] };

/** The example bodies in v4.0. */
export const examplesV40: Readonly<Partial<Record<PaymentKindId, KindExamples>>> = {
  "domestic-payment": {
    sample: () => examplePayment(domesticSample),
    demo: (creditor, now) =>
      examplePayment(
        {
          ...demoParts.identified(now),
          ...demoParts.amount,
          CreditorAccount: creditor,
          ...demoParts.remittance,
        },
        { ReadRefundAccount: "Yes" },
      ),
  },
  "domestic-scheduled-payment": {
    sample: (day) => examplePayment({ ...domesticSample, ...laterSample(day) }, permission),
    demo: (creditor, now) =>
      examplePayment(
        {
          ...demoParts.identified(now),
          ...demoParts.later(now),
          ...demoParts.amount,
          CreditorAccount: creditor,
          ...demoParts.remittance,
        },
        permission,
      ),
  },
  "domestic-standing-order": {
    sample: () => {
      const { CreditorAccount, InstructedAmount, RemittanceInformation } = domesticSample;
      const initiation = {
        ...scheduleSample,
        FirstPaymentAmount: InstructedAmount,
        CreditorAccount,
        RemittanceInformation,
      };
      return examplePayment(initiation, permission);
    },
    demo: (creditor, now) =>
      examplePayment(
        {
          ...demoParts.monthly(now),
          FirstPaymentAmount: demoParts.amount.InstructedAmount,
          CreditorAccount: creditor,
          ...demoParts.remittance,
        },
        permission,
      ),
  },
  "international-payment": {
    sample: () => examplePayment(internationalSample),
    demo: (creditor, now) =>
      examplePayment({
        ...demoParts.identified(now),
        ...demoParts.euros,
        // Indicative, because a bank may quote guaranteed rates only at certain times
        ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
        CreditorAccount: creditor,
        ...demoParts.remittance,
      }),
  },
  "international-scheduled-payment": {
    sample: (day) => examplePayment({ ...internationalSample, ...laterSample(day) }, permission),
    demo: (creditor, now) =>
      examplePayment(
        {
          ...demoParts.identified(now),
          ...demoParts.later(now),
          ...demoParts.euros,
          CreditorAccount: creditor,
          ...demoParts.remittance,
        },
        permission,
      ),
  },
  "international-standing-order": {
    sample: () => examplePayment({ ...scheduleSample, ...abroadSample }, permission),
    demo: (creditor, now) =>
      examplePayment(
        {
          ...demoParts.monthly(now),
          ...demoParts.euros,
          CreditorAccount: creditor,
          ...demoParts.remittance,
        },
        permission,
      ),
  },
  "file-payment": filePayment,
  "domestic-vrp": {
    sample: () => sweeping(domesticSample.CreditorAccount, remittance, ["ALDGATE-1", "SWEEP-1"]),
    demo: (creditor, now) =>
      sweeping(creditor, remittance, [`demo-${now.epochMilliseconds}`, "aldgate-demo"]),
  },
};

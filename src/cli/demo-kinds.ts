import { createHash } from "node:crypto";

/** A payment kind as the demo plays it. */
export type DemoKind = {
  /** Path of the order resource: `domestic-payments`. */
  path: string;
  consentPath: string;
  orderIdField: string;
  /** What the TPP lodges to pay this creditor. */
  consent(creditor: DemoCreditor, now: Temporal.Instant): DemoConsent;
  /** Who is paid when it is nobody of this bank. */
  creditor?: DemoCreditor;
  /** How far the clock must go for the payment to settle; null when it settles by itself. */
  advance: string | null;
};

/** Who is paid, as an initiation names the account. */
export type DemoCreditor = { SchemeName: string; Identification: string; Name: string };

/** A consent as the TPP lodges it; the order repeats `Initiation` and `Risk`. */
export type DemoConsent = {
  body: {
    Data: { Initiation: Record<string, unknown>; [member: string]: unknown };
    Risk?: Record<string, unknown>;
  };
  /** The file that is uploaded before the customer is asked. */
  file?: string;
};

const amount = { Amount: "12.50", Currency: "GBP" };
const euros = { Amount: "12.50", Currency: "EUR" };
const remittance = { Unstructured: ["Aldgate demo"] };
const permission = { Permission: "Create" };

// An account that no bank has: the bank code is nobody's.
const inGermany: DemoCreditor = {
  SchemeName: "UK.OBIE.IBAN",
  Identification: "DE75512108001245126199",
  Name: "Kaffeerösterei Lindenau",
};

// three days, and as many again for a weekend with its bank holidays
const someDays = "P8D";

const consent = (
  initiation: Record<string, unknown>,
  members: Record<string, unknown> = {},
): DemoConsent => ({
  body: {
    Data: { ...members, Initiation: initiation },
    Risk: { PaymentContextCode: "TransferToThirdParty" },
  },
});

const identified = (now: Temporal.Instant): Record<string, string> => ({
  InstructionIdentification: `demo-${now.epochMilliseconds}`,
  EndToEndIdentification: "aldgate-demo",
});

const inThreeDays = (now: Temporal.Instant): string =>
  `${now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: 3 })}T00:00:00+00:00`;

const monthly = (now: Temporal.Instant): Record<string, unknown> => ({
  FirstPaymentDateTime: inThreeDays(now),
  Frequency: { Type: "MNTH" },
});

const resource = (stem: string, orderIdField: string) => ({
  path: `${stem}s`,
  consentPath: `${stem}-consents`,
  orderIdField,
});

/** The kinds that the demo takes, by the word after `--kind`. */
export const demoKinds: Record<string, DemoKind> = {
  "domestic-payment": {
    ...resource("domestic-payment", "DomesticPaymentId"),
    consent: (creditor, now) =>
      consent(
        {
          ...identified(now),
          InstructedAmount: amount,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
        { ReadRefundAccount: "Yes" },
      ),
    advance: null,
  },
  "domestic-scheduled-payment": {
    ...resource("domestic-scheduled-payment", "DomesticScheduledPaymentId"),
    consent: (creditor, now) =>
      consent(
        {
          ...identified(now),
          RequestedExecutionDateTime: inThreeDays(now),
          InstructedAmount: amount,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
        permission,
      ),
    advance: someDays,
  },
  "domestic-standing-order": {
    ...resource("domestic-standing-order", "DomesticStandingOrderId"),
    consent: (creditor, now) =>
      consent(
        {
          MandateRelatedInformation: monthly(now),
          NumberOfPayments: "12",
          FirstPaymentAmount: amount,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
        permission,
      ),
    advance: someDays,
  },
  "international-payment": {
    ...resource("international-payment", "InternationalPaymentId"),
    creditor: inGermany,
    consent: (creditor, now) =>
      consent({
        ...identified(now),
        CurrencyOfTransfer: "EUR",
        InstructedAmount: euros,
        // a firm rate there is on weekdays only
        ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
        CreditorAccount: creditor,
        RemittanceInformation: remittance,
      }),
    advance: "P2D",
  },
  "international-scheduled-payment": {
    ...resource("international-scheduled-payment", "InternationalScheduledPaymentId"),
    creditor: inGermany,
    consent: (creditor, now) =>
      consent(
        {
          ...identified(now),
          RequestedExecutionDateTime: inThreeDays(now),
          CurrencyOfTransfer: "EUR",
          InstructedAmount: euros,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
        permission,
      ),
    advance: "P10D",
  },
  "international-standing-order": {
    ...resource("international-standing-order", "InternationalStandingOrderId"),
    creditor: inGermany,
    consent: (creditor, now) =>
      consent(
        {
          MandateRelatedInformation: monthly(now),
          NumberOfPayments: "12",
          CurrencyOfTransfer: "EUR",
          InstructedAmount: euros,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
        permission,
      ),
    advance: "P10D",
  },
  "file-payment": {
    ...resource("file-payment", "FilePaymentId"),
    consent: fileOfThree,
    advance: null,
  },
};

/** A file of three payments to one creditor. */
function fileOfThree(creditor: DemoCreditor, now: Temporal.Instant): DemoConsent {
  const payments = ["4.00", "4.25", "4.25"].map((each, index) => ({
    InstructionIdentification: `demo-${now.epochMilliseconds}-${index + 1}`,
    EndToEndIdentification: `aldgate-demo-${index + 1}`,
    InstructedAmount: { Amount: each, Currency: "GBP" },
    CreditorAccount: creditor,
    RemittanceInformation: remittance,
  }));
  const file = JSON.stringify({ Data: { DomesticPayments: payments } });
  const initiation = {
    FileType: "UK.OBIE.PaymentInitiation.4.0",
    FileHash: createHash("sha256").update(file).digest("base64"),
    FileReference: "aldgate-demo",
    NumberOfTransactions: "3",
    ControlSum: 12.5,
  };
  return { body: { Data: { Initiation: initiation } }, file };
}

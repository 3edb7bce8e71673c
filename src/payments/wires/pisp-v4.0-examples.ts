import type { DemoCreditor, Example } from "./example.ts";

// Parts of the example bodies of the API reference and the demo, in the format of v4.0.

/**
 * Returns the bodies of a payment. `members` are the members of the consent's `Data` besides the
 * initiation.
 */
export const examplePayment = (
  Initiation: Record<string, unknown>,
  members: Record<string, unknown> = {},
): Example<never> => {
  const Risk = { PaymentContextCode: "TransferToThirdParty" };
  return {
    consent: { Data: { ...members, Initiation }, Risk },
    order: { Data: { ConsentId: "", Initiation }, Risk },
  };
};

/** The additional member of scheduled kinds. */
export const permission = { Permission: "Create" };

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
export const scheduleSample = {
  MandateRelatedInformation: { Frequency: { Type: "MNTH", PointInTime: "-1" } },
  NumberOfPayments: "12",
};

// The account does not exist: its bank code is not assigned.
const inGermany: DemoCreditor = {
  SchemeName: "UK.OBIE.IBAN",
  Identification: "DE75512108001245126199",
  Name: "Kaffeerösterei Lindenau",
};

/** The additional members of an international payment. */
export const abroadSample = {
  CurrencyOfTransfer: "EUR",
  InstructedAmount: { Amount: "100.00", Currency: "EUR" },
  CreditorAccount: inGermany,
};

/** The initiation of an international payment. */
export const internationalSample = {
  ...domesticSample,
  ...abroadSample,
  ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
};

/** The member with the date of a scheduled payment: thirty days after the given day. */
export const laterSample = (day: Temporal.PlainDate) => ({
  RequestedExecutionDateTime: dateTimeOf(day.add({ days: 30 }), "10:00:00"),
});

const inThreeDays = (now: Temporal.Instant): string =>
  dateTimeOf(now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: 3 }), "00:00:00");

/** Parts of the demo's initiations. */
export const demoParts = {
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
  inGermany,
};

import { pascalCase } from "#src/payments/pisp-operation.ts";

// The bodies of the API reference and of the demo are on the rows of the kinds. This file has the
// parts that several rows share, and makes the reference's samples of all rows.

/** A consent as a TPP lodges it; its order repeats `Initiation` and `Risk`. */
export type ExampleConsent = {
  Data: { Initiation: Record<string, unknown>; [member: string]: unknown };
  Risk?: Record<string, unknown>;
};

/** The bodies that the API reference starts from: valid as they are, apart from ids. */
export type Sample = {
  consent: ExampleConsent;
  /** The file of a consent that waits for one. */
  file?: object;
};

/** Who is paid, as an initiation names the account. */
export type DemoCreditor = { SchemeName: string; Identification: string; Name: string };

/** A kind as the demo plays it. */
export type Demo = {
  /** The consent with which the TPP pays this creditor, and the file that it then uploads. */
  consent(creditor: DemoCreditor, now: Temporal.Instant): { body: ExampleConsent; file?: string };
  /** Who is paid if it is not a customer of this bank. */
  creditor?: DemoCreditor;
  /** How far to set the clock forward for the payment to settle; null if it settles by itself. */
  advance: string | null;
};

/** The sample bodies of the operations on these kinds, by operation id. */
export function paymentSamples(
  kinds: readonly { id: string; sample(today: Temporal.PlainDate): Sample }[],
  day: Temporal.PlainDate,
): Record<string, object> {
  const samples = kinds.map(({ id, sample }) => {
    const { consent, file } = sample(day);
    const name = pascalCase(id);
    const { Data, ...rest } = consent;
    return {
      [`Create${name}Consents`]: consent,
      ...(file ? { [`Create${name}ConsentsConsentIdFile`]: file } : {}),
      [`Create${name}s`]: { Data: { ConsentId: "", Initiation: Data.Initiation }, ...rest },
    };
  });
  return Object.assign({}, ...samples) as Record<string, object>;
}

/** The body of a consent; `members` are those of `Data` besides the initiation. */
export const exampleConsent = (
  Initiation: Record<string, unknown>,
  members: Record<string, unknown> = {},
): ExampleConsent => ({
  Data: { ...members, Initiation },
  Risk: { PaymentContextCode: "TransferToThirdParty" },
});

/** What the kinds for a later day send besides. */
export const permission = { Permission: "Create" };

/** A day as a date-time of the standard. */
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

/** The schedule of a standing order. */
export const scheduleSample = {
  MandateRelatedInformation: { Frequency: { Type: "MNTH", PointInTime: "-1" } },
  NumberOfPayments: "12",
};

// An account that no bank has: the bank code is nobody's.
const inGermany: DemoCreditor = {
  SchemeName: "UK.OBIE.IBAN",
  Identification: "DE75512108001245126199",
  Name: "Kaffeerösterei Lindenau",
};

/** What an international payment sends besides. */
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

/** The member that names the day of a scheduled payment: thirty days after the given day. */
export const laterSample = (day: Temporal.PlainDate) => ({
  RequestedExecutionDateTime: dateTimeOf(day.add({ days: 30 }), "10:00:00"),
});

const inThreeDays = (now: Temporal.Instant): string =>
  dateTimeOf(now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: 3 }), "00:00:00");

/** Parts of the initiations that the demo sends. */
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

import { createHash } from "node:crypto";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { DemoCreditor, Example, KindExamples } from "./example.ts";
import { sweeping } from "./sweeping.ts";

/** How a version writes what its bodies have in a form of their own. */
type ExampleNotation = {
  /** The remittance information with this text. */
  remittance(text: string): object;
  /** The member of a standing order with this text for the payee. */
  reference(text: string): object;
  /** The schedule of a standing order from a day, which pays at the end of each month. */
  monthEnds(first: string): object;
  /** The same, but on that day of each month. */
  monthly(first: string): object;
  fileType: string;
};

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

/** The initiation of a domestic payment, without its remittance information. */
export const domesticSample = {
  InstructionIdentification: "ALDGATE-1",
  EndToEndIdentification: "INVOICE-20418",
  InstructedAmount: { Amount: "10.00", Currency: "GBP" },
  CreditorAccount: {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "08080021325698",
    Name: "Hawthorne Joinery Ltd",
  },
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

/** The member with the date of a scheduled payment: thirty days after the given day. */
const laterSample = (day: Temporal.PlainDate) => ({
  RequestedExecutionDateTime: dateTimeOf(day.add({ days: 30 }), "10:00:00"),
});

const inThreeDays = (now: Temporal.Instant): string =>
  dateTimeOf(now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: 3 }), "00:00:00");

const demoAmount = { InstructedAmount: { Amount: "12.50", Currency: "GBP" } };
const demoEuros = {
  CurrencyOfTransfer: "EUR",
  InstructedAmount: { Amount: "12.50", Currency: "EUR" },
};
const identified = (now: Temporal.Instant) => ({
  InstructionIdentification: `demo-${now.epochMilliseconds}`,
  EndToEndIdentification: "aldgate-demo",
});
const laterDemo = (now: Temporal.Instant) => ({ RequestedExecutionDateTime: inThreeDays(now) });
const exchanged = { ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" } };
const atActualRate = { ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" } };
const twelve = { NumberOfPayments: "12" };

/** Makes the example bodies of a version. */
export function paymentExamples(
  notation: ExampleNotation,
): Readonly<Partial<Record<PaymentKindId, KindExamples>>> {
  const invoice = { RemittanceInformation: notation.remittance("Invoice 20418") };
  const paid = { RemittanceInformation: notation.remittance("Aldgate demo") };
  const international = { ...domesticSample, ...abroadSample, ...exchanged, ...invoice };
  const sweep = notation.remittance("Sweeping");
  const monthEnds = (day: Temporal.PlainDate) => ({
    ...notation.monthEnds(dateTimeOf(day.add({ days: 30 }), "00:00:00")),
    ...twelve,
  });
  const monthly = (now: Temporal.Instant) => ({
    ...notation.monthly(inThreeDays(now)),
    ...twelve,
    ...notation.reference("Aldgate demo"),
  });
  return {
    "domestic-payment": {
      sample: () => examplePayment({ ...domesticSample, ...invoice }),
      demo: (CreditorAccount, now) =>
        examplePayment(
          { ...identified(now), ...demoAmount, CreditorAccount, ...paid },
          { ReadRefundAccount: "Yes" },
        ),
    },
    "domestic-scheduled-payment": {
      sample: (day) =>
        examplePayment({ ...domesticSample, ...invoice, ...laterSample(day) }, permission),
      demo: (CreditorAccount, now) =>
        examplePayment(
          { ...identified(now), ...laterDemo(now), ...demoAmount, CreditorAccount, ...paid },
          permission,
        ),
    },
    "domestic-standing-order": {
      sample: (day) => {
        const { CreditorAccount, InstructedAmount: FirstPaymentAmount } = domesticSample;
        const shown = notation.reference("Invoice 20418");
        return examplePayment(
          { ...monthEnds(day), FirstPaymentAmount, CreditorAccount, ...shown },
          permission,
        );
      },
      demo: (CreditorAccount, now) => {
        const { InstructedAmount: FirstPaymentAmount } = demoAmount;
        return examplePayment({ ...monthly(now), FirstPaymentAmount, CreditorAccount }, permission);
      },
    },
    "international-payment": {
      sample: () => examplePayment(international),
      demo: (CreditorAccount, now) =>
        // Indicative, because a bank may quote guaranteed rates only at certain times
        examplePayment({
          ...identified(now),
          ...demoEuros,
          ...exchanged,
          CreditorAccount,
          ...paid,
        }),
    },
    "international-scheduled-payment": {
      // the bank can confirm funds for a later day only at a rate that the consent has fixed
      sample: (day) =>
        examplePayment({ ...international, ...atActualRate, ...laterSample(day) }, permission),
      demo: (CreditorAccount, now) =>
        examplePayment(
          { ...identified(now), ...laterDemo(now), ...demoEuros, CreditorAccount, ...paid },
          permission,
        ),
    },
    "international-standing-order": {
      sample: (day) => examplePayment({ ...monthEnds(day), ...abroadSample }, permission),
      demo: (CreditorAccount, now) =>
        examplePayment({ ...monthly(now), ...demoEuros, CreditorAccount }, permission),
    },
    "file-payment": filePayment(notation),
    "domestic-vrp": {
      sample: () => sweeping(domesticSample.CreditorAccount, sweep, ["ALDGATE-1", "SWEEP-1"]),
      demo: (creditor, now) =>
        sweeping(creditor, sweep, [`demo-${now.epochMilliseconds}`, "aldgate-demo"]),
    },
  };
}

/** Returns the bodies of a payment whose consent announces a file. They have no Risk. */
const announcing = (
  FileType: string,
  file: string,
  members: Record<string, unknown>,
): Example<never> => {
  const FileHash = createHash("sha256").update(file).digest("base64");
  const Initiation = { FileType, FileHash, ...members };
  return {
    consent: { Data: { Initiation } },
    order: { Data: { ConsentId: "", Initiation } },
  };
};

const filePayment = ({ fileType, remittance }: ExampleNotation): KindExamples => ({
  sample() {
    const first = { ...domesticSample, RemittanceInformation: remittance("Invoice 20418") };
    const second = {
      InstructionIdentification: "ALDGATE-2",
      EndToEndIdentification: "INVOICE-20419",
    };
    const file = { Data: { DomesticPayments: [first, { ...first, ...second }] } };
    const announced = { NumberOfTransactions: "2", ControlSum: 20 };
    // the hash of the sample file exactly as it is sent if nobody edits it
    return { ...announcing(fileType, JSON.stringify(file), announced), file };
  },
  demo(creditor, now) {
    const payments = ["4.00", "4.25", "4.25"].map((amount, index) => ({
      InstructionIdentification: `demo-${now.epochMilliseconds}-${index + 1}`,
      EndToEndIdentification: `aldgate-demo-${index + 1}`,
      InstructedAmount: { Amount: amount, Currency: "GBP" },
      CreditorAccount: creditor,
      RemittanceInformation: remittance("Aldgate demo"),
    }));
    const file = JSON.stringify({ Data: { DomesticPayments: payments } });
    const announced = { NumberOfTransactions: "3", ControlSum: 12.5 };
    return {
      ...announcing(fileType, file, { FileReference: "aldgate-demo", ...announced }),
      file,
    };
  },
});

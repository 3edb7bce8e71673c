/** A payment kind as the demo plays it. */
export type DemoKind = {
  /** Path of the order resource; consents are at `<path without s>-consents`. */
  path: string;
  consentPath: string;
  orderIdField: string;
  /** `Data` and `Risk` of the consent for this creditor. */
  consent(creditor: DemoCreditor, now: Temporal.Instant): DemoConsent;
  /** How far the clock must go for the payment to settle; null when it settles by itself. */
  advance: string | null;
};

/** Who is paid, as an initiation names the account. */
/** Who is paid, in the standard's words. */
export type DemoCreditor = { SchemeName: string; Identification: string; Name: string };

/** A consent as the TPP lodges it; the order repeats `Initiation` and `Risk`. */
/** The body of a consent: what an order repeats. */
export type DemoConsent = {
  Data: { Initiation: Record<string, unknown>; [member: string]: unknown };
  Risk: Record<string, unknown>;
};

const amount = { Amount: "12.50", Currency: "GBP" };
const risk = { PaymentContextCode: "TransferToThirdParty" };
const remittance = { Unstructured: ["Aldgate demo"] };

/** The kinds that the demo takes, by the word after `--kind`. */
export const demoKinds: Record<string, DemoKind> = {
  "domestic-payment": {
    path: "domestic-payments",
    consentPath: "domestic-payment-consents",
    orderIdField: "DomesticPaymentId",
    consent: (creditor, now) => ({
      Data: {
        ReadRefundAccount: "Yes",
        Initiation: {
          InstructionIdentification: `demo-${now.epochMilliseconds}`,
          EndToEndIdentification: "aldgate-demo",
          InstructedAmount: amount,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
      },
      Risk: risk,
    }),
    advance: null,
  },
  "domestic-scheduled-payment": {
    path: "domestic-scheduled-payments",
    consentPath: "domestic-scheduled-payment-consents",
    orderIdField: "DomesticScheduledPaymentId",
    consent: (creditor, now) => ({
      Data: {
        Permission: "Create",
        Initiation: {
          InstructionIdentification: `demo-${now.epochMilliseconds}`,
          RequestedExecutionDateTime: `${dayAfter(now, 3)}T00:00:00+00:00`,
          InstructedAmount: amount,
          CreditorAccount: creditor,
          RemittanceInformation: remittance,
        },
      },
      Risk: risk,
    }),
    // three days, and as many again for a weekend with its bank holidays
    advance: "P8D",
  },
};

const dayAfter = (now: Temporal.Instant, days: number): string =>
  now.toZonedDateTimeISO("UTC").toPlainDate().add({ days }).toString();

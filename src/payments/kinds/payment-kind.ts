import type { TSchema } from "typebox";
import type { AccountReference, InternationalTerms } from "#src/bank/port.ts";
import type { Consent, ConsentTerms } from "#src/consents/consent.ts";
import type { ConsentCourse } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { type Money, parseAmount } from "#src/lib/money.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import type { Timing } from "#src/payments/calendar/timing.ts";
import type { PaymentConfig } from "#src/payments/deps.ts";
import type { Check } from "#src/payments/request/checks.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";
import type { Occurrence, Schedule } from "#src/payments/schedule/schedule.ts";

/** The published schemas of a kind's four bodies. */
export type KindSchemas = {
  initiation: TSchema;
  consentRequest: TSchema;
  consentResponse: TSchema;
  orderRequest: TSchema;
  orderResponse: TSchema;
};

type Amount = { Amount: string; Currency: string };

/** An account as the initiation names it. */
export type Account = {
  SchemeName: string;
  Identification: string;
  Name?: string;
  SecondaryIdentification?: string;
};

/** What several kinds' initiations share; a kind's own members are read by its row. */
export type Initiation = {
  InstructionIdentification?: string;
  EndToEndIdentification?: string;
  LocalInstrument?: string;
  InstructedAmount?: Amount;
  DebtorAccount?: Account;
  CreditorAccount?: Account;
  RemittanceInformation?: {
    Structured?: { CreditorReferenceInformation?: { Reference?: string } }[];
    Unstructured?: string[];
    /** Where v3 had it; the object is open, so that it may still be there. */
    Reference?: string;
  };
};

/** A charge as the standard words it. */
export type Charge = NonNullable<ConsentTerms["charges"]>[number];

/** One payment that an order consists of, before it has an id. */
export type PaymentDraft = {
  /** What the debtor is debited, without the charge. */
  amount: Money;
  /** What the debtor pays the bank on top, in the same currency. */
  chargeMinor: bigint;
  /** When it is to be executed; null is at once. */
  executeAt: Temporal.Instant | null;
  creditor: AccountReference;
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  /** Of a schedule's payment: its date by the calendar, and whether no other follows. */
  occurrence?: Pick<Occurrence, "date" | "isLast">;
  /** Of payments abroad; then the amount may be in another currency, and is charged for in here. */
  international?: InternationalTerms;
};

/** What is known when an order's payments are worked out. */
export type OrderPlan = {
  kind: PaymentKind;
  /** Has passed every check. */
  initiation: Initiation & Record<string, unknown>;
  /** What the bank added to the consent. */
  terms: ConsentTerms;
  /** The moment that the order is, or would be, submitted at. */
  now: Temporal.Instant;
  config: PaymentConfig;
};

/** A payment kind: one row, from which its operations, checks and screens are compiled. */
export type PaymentKind = {
  /** `domestic-payment`: also `consent.kind`, `payment_order.kind` and the stem of its paths. */
  id: string;
  /** OpenAPI tag: `Domestic Payments`. */
  tag: string;
  /** `DomesticPaymentId`: member of the response and path parameter. */
  orderIdField: string;
  /** The path parameter, of the one kind that publishes another name for it. Source: digest 1.3. */
  orderIdParameter?: string;
  /** Of the identifiers of its consents and orders, up to 13 characters. */
  consentIdPrefix: string;
  orderIdPrefix: string;
  schemas: KindSchemas;
  /** The statuses of its consents, and how an order uses one up. */
  consent: ConsentCourse;
  timing: Timing;
  /** Whether consents and orders say when they will be executed and settled. Source: 1.6. */
  givesExpectedDates: boolean;
  /** Whether `funds-confirmation` is offered for its consents. */
  fundsConfirmation: boolean;
  /** Members of the initiation that hold an amount; the first is what the customer is shown. */
  amounts: readonly string[];
  /** Currencies that may be ordered; `exchanged`: those that the bank exchanges. */
  currencies: readonly string[] | "exchanged";
  /** Account schemes that debtors and creditors may be named by. */
  accountSchemes: readonly string[];
  localInstruments: readonly string[];
  /** What is wrong with a consent beyond what holds for every kind. */
  checks: readonly Check[];
  /** What is looked at again when the order comes, beside the day of execution. */
  orderChecks?: readonly Check[];
  /** When its orders pay again, of the kinds that do; the engine plans each payment by it. */
  schedule?(plan: OrderPlan): Schedule;
  /**
   * The payments that an order starts with, in their order; one at least. Null for a kind whose
   * payments are those of a file that is uploaded to its consent.
   */
  payments: ((plan: OrderPlan) => PaymentDraft[]) | null;
};

/** What a consent's order is planned with. */
export const planOf = (
  kind: PaymentKind,
  { body, terms }: Pick<Consent, "body" | "terms">,
  now: Temporal.Instant,
  config: PaymentConfig,
): OrderPlan => ({ kind, initiation: initiationOf(body), terms, now, config });

/** The initiation of a consent: its schema and the checks have found no fault in it. */
export const initiationOf = ({ Data }: Consent["body"]): Initiation & Record<string, unknown> =>
  Data.Initiation as Initiation & Record<string, unknown>;

/** Declares a payment kind. */
export const definePaymentKind = (kind: PaymentKind): PaymentKind => Object.freeze(kind);

/** The one payment of a kind that orders one: its instructed amount to its creditor account. */
export function onePayment(plan: OrderPlan): PaymentDraft[] {
  const { kind, initiation, terms, now, config } = plan;
  const ordered = present(initiation.InstructedAmount, "the instructed amount");
  const account = present(initiation.CreditorAccount, "the creditor account");
  return [
    {
      amount: {
        amountMinor: present(parseAmount(ordered.Amount, ordered.Currency), "a checked amount"),
        currency: ordered.Currency,
      },
      chargeMinor: debtorCharges(terms, ordered.Currency),
      executeAt: executionInstant(kind, initiation, now, config),
      creditor: accountReference(account),
      endToEndId: initiation.EndToEndIdentification ?? null,
      reference: referenceOf(initiation),
      localInstrument: initiation.LocalInstrument ?? null,
    },
  ];
}

/** The standard's account in the words of the bank's port. */
export const accountReference = (account: Account): AccountReference => ({
  schemeName: account.SchemeName,
  identification: account.Identification,
  name: account.Name ?? null,
  secondaryIdentification: account.SecondaryIdentification ?? null,
});

/**
 * What the creditor sees: the secondary identification, else the structured reference, else where
 * v3 had it, else the first line of free text. Source: digest 2.14.
 */
export function referenceOf({ CreditorAccount, RemittanceInformation }: Initiation): string | null {
  const structured = RemittanceInformation?.Structured?.map(
    (item) => item.CreditorReferenceInformation?.Reference,
  ).find((reference) => reference !== undefined);
  return (
    CreditorAccount?.SecondaryIdentification ??
    structured ??
    RemittanceInformation?.Reference ??
    RemittanceInformation?.Unstructured?.[0] ??
    null
  );
}

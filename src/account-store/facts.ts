import type { Money } from "#src/lib/money.ts";
import type {
  AccountKind,
  BalanceKind,
  CollectionFrequency,
  MandateState,
  PostalAddress,
} from "#src/standard/shared/accounts/facts.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";

/** An account as a bank's customers see it; its balances and transactions are facts beside it. */
export type AccountFact = {
  accountId: string;
  accountType: "Personal" | "Business";
  accountSubType: AccountKind;
  currency: string;
  nickname: string | null;
  description: string | null;
  holderName: string;
  openedOn: Temporal.PlainDate;
  /** A closed account stays, as `Deleted`: payments and transactions name it. */
  status: "Enabled" | "Disabled" | "Deleted";
  statusUpdatedAt: Temporal.Instant;
  /** Whether it is closed because it was switched to another bank. */
  isSwitched: boolean;
  /** Six digits and eight digits together; null for a card account. */
  sortCodeAccountNumber: string | null;
  iban: string | null;
  /** The full number of a card is not stored. */
  maskedPan: string | null;
  /** How many holders must sign a payment. */
  signatoriesRequired: number;
  /** Ids of a product and of the party that is the company; null if the bank states none. */
  productId: string | null;
  companyId: string | null;
};

/** A customer who holds an account or may sign for it. */
export type HolderFact = {
  accountId: string;
  customerId: string;
  role: "owner" | "joint" | "signatory";
};

/**
 * The balances of an account in one currency. They are one fact, so that they always fit each
 * other: a bank that states one of them anew sends the others again.
 */
export type BalancesFact = {
  accountId: string;
  currency: string;
  /** When they were the balances. */
  statedAt: Temporal.Instant;
  /** Each type at most once. */
  balances: readonly Balance[];
};

/** A balance: negative when overdrawn. */
export type Balance = {
  type: BalanceKind;
  amountMinor: bigint;
  /** In the same currency; absent if the account has no credit line. */
  creditLines?: readonly CreditLine[];
};

/** A credit line, with whether the balance's amount includes it. */
export type CreditLine = {
  type: "Available" | "Credit" | "Emergency" | "PreAgreed" | "Temporary";
  isIncluded: boolean;
  amountMinor: bigint;
};

/** The terms of accounts; `details` follows the model of a product that every version has. */
export type ProductFact = {
  productId: string;
  name: string;
  details: object;
  /** A card's rate for purchases, percent per year; null when it lends nothing. */
  purchaseRate: string | null;
};

/**
 * A person or a company. A person's id is the `customerId` of the holder; a company's is the
 * `companyId` of its accounts.
 */
export type PartyFact = {
  partyId: string;
  name: string;
  /** Of a company, in the standard's or the bank's namespace; null for a person. */
  legalStructure: string | null;
  /** Null if the bank states none. */
  contact: PartyContact | null;
};

/** What the bank knows of a party beside the name. Numbers: `+44-7700900123`. */
export type PartyContact = {
  partyNumber?: string;
  fullLegalName?: string;
  email?: string;
  phone?: string | null;
  mobile?: string | null;
  address?: PostalAddress;
};

/** An offer to the customer of an account. */
export type OfferFact = {
  offerId: string;
  accountId: string;
  endsAt: Temporal.Instant;
  details: object;
};

/** A customer's payee, whichever account pays. */
export type BeneficiaryFact = {
  beneficiaryId: string;
  customerId: string;
  isTrusted: boolean;
  schemeName: string;
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
  creditorBic: string | null;
  /** Sent to the payee with each payment. */
  reference: string | null;
  createdAt: Temporal.Instant;
};

/** A mandate: an originator may collect from the account. */
export type DirectDebitFact = {
  directDebitId: string;
  accountId: string;
  mandateReference: string;
  originatorName: string;
  frequency: CollectionFrequency;
  state: MandateState;
  stateUpdatedAt: Temporal.Instant;
  /** The newest collection that was paid; null if there was none. */
  previous: { at: Temporal.Instant; amount: Money } | null;
};

/** A creditor's account; the scheme is namespaced (`UK.OBIE.IBAN`). */
export type CreditorFact = {
  schemeName: string;
  identification: string;
  name?: string | null;
  secondaryIdentification?: string | null;
};

/** A creditor's bank: its BIC, and its name if the bank states one. */
export type AgentFact = { bic: string | null; name?: string | null };

/**
 * A standing order that a customer has set up in the bank's own channels. Those that were ordered
 * through Aldgate are not sent: Aldgate executes them and shows its own orders.
 */
export type StandingOrderFact = {
  standingOrderId: string;
  accountId: string;
  rhythm: Rhythm;
  /** Sent to the creditor with each payment. */
  reference: string | null;
  currency: string;
  /** Null if no number of payments ends it. */
  numberOfPayments: number | null;
  state: MandateState;
  first: { on: Temporal.PlainDate | null; amountMinor: bigint };
  /** The date of the second payment, if the customer chose it. */
  recurringOn: Temporal.PlainDate | null;
  /** Null when none follows. */
  next: { at: Temporal.Instant; amountMinor: bigint } | null;
  /** Null when none has been made. */
  last: { at: Temporal.Instant; amountMinor: bigint } | null;
  /** Null when nothing ends it. */
  final: { on: Temporal.PlainDate | null; amountMinor: bigint } | null;
  creditor: CreditorFact;
  /** Null if the creditor's number identifies the bank. */
  creditorAgent: AgentFact | null;
};

/**
 * A scheduled payment that a customer has ordered in the bank's own channels. When it is made, the
 * bank removes it.
 */
export type ScheduledPaymentFact = {
  scheduledPaymentId: string;
  accountId: string;
  executeAt: Temporal.Instant;
  reference: string | null;
  amount: Money;
  creditor: CreditorFact;
  /** Null if the creditor's number identifies the bank. */
  creditorAgent: AgentFact | null;
};

/**
 * A statement of a period: the sums of the booked transactions from `startsAt` until before
 * `endsAt`. A term that is null is not shown.
 */
export type StatementFact = {
  accountId: string;
  statementId: string;
  /** Counts the account's statements. */
  number: number;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  createdAt: Temporal.Instant;
  /** The days that it covers, as the customer reads them: `1 to 31 October 2026`. */
  periodName: string | null;
  currency: string;
  openingMinor: bigint;
  closingMinor: bigint;
  creditsMinor: bigint;
  debitsMinor: bigint;
  creditCount: number;
  debitCount: number;
  /** How far below zero the account could go when the statement was made. */
  limitMinor: bigint;
  costs: readonly StatementCost[];
  /** What the holder of a card must pay; 0 when nothing is owed. */
  minimumPaymentMinor: bigint | null;
  paymentDueAt: Temporal.Instant | null;
  /** Rates in percent, each with its code in the standard's or the bank's namespace. */
  rates: readonly { type: string; rate: string }[];
};

/** A fee or interest among the lines of a statement; `amount` in minor units as text. */
export type StatementCost = {
  type: "CHG" | "INT" | "IND";
  indicator: "Credit" | "Debit";
  text: string | null;
  amount: string;
  /** Its kind, in the standard's or the bank's namespace; a cost without one is only in totals. */
  code?: string | null;
  /** How often it is charged, in the standard's or the bank's namespace. */
  frequency?: string | null;
};

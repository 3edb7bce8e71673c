import type { Money } from "#src/lib/money.ts";
import type { AccountKind } from "#src/standard/shared/accounts/account-kinds.ts";
import type {
  AccountProxy,
  BalanceKind,
  CollectionFrequency,
  CurrencyKind,
  MandateState,
  PostalAddress,
  StatementDelivery,
  SupplementaryFacts,
} from "#src/standard/shared/accounts/facts.ts";
import type { CollectionMandate, Mandate, Remittance } from "#src/standard/shared/mandate.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";

/** A fact with its version: a number from the bank that grows when the fact changes. */
export type Versioned<Fact> = Fact & { version: bigint };

/** An account as the bank's customers see it. Its balances and transactions are separate facts. */
export type AccountFact = {
  accountId: string;
  accountType: "Personal" | "Business";
  accountSubType: AccountKind;
  currency: string;
  nickname: string | null;
  description: string | null;
  holderName: string;
  openedOn: Temporal.PlainDate;
  /** The maturity date of a fixed-term account; null or absent for any other account. */
  maturesOn?: Temporal.PlainDate | null;
  /** A closed account is kept as `Deleted`, because payments and transactions refer to it. */
  status: "Enabled" | "Disabled" | "Deleted";
  statusUpdatedAt: Temporal.Instant;
  /** Whether the account was closed by a switch to another bank. */
  isSwitched: boolean;
  /** The six digits of the sort code and the eight of the number; null for a card account. */
  sortCodeAccountNumber: string | null;
  /** A further number of the account, such as the roll number of a building society. */
  secondaryIdentification?: string | null;
  iban: string | null;
  /** Masked: the full number of a card is never stored. */
  maskedPan: string | null;
  /** How many holders must sign a payment. */
  signatoriesRequired: number;
  /** The ids of the account's product and of the company that owns it; null if there is none. */
  productId: string | null;
  companyId: string | null;
  /** The bank that keeps the account; null if the bank does not state it. */
  servicer: AgentFact | null;
  /** The ways in which the customer gets statements; empty if the bank gives none. */
  statementDeliveries: readonly StatementDelivery[];
};

/** A customer who holds an account or may sign for it. */
export type HolderFact = {
  accountId: string;
  customerId: string;
  role: "owner" | "joint" | "signatory";
  /** Whether the customer owns the account in the end; null or absent if the bank does not say. */
  isBeneficialOwner?: boolean | null;
};

/**
 * The balances of an account in one currency. They are one fact, so they are always consistent: a
 * bank that sends a new value of one balance sends the others again.
 */
export type BalancesFact = {
  accountId: string;
  currency: string;
  /** Null if the bank does not say; it is then the bank's own currency. */
  currencyKind: CurrencyKind | null;
  /** The time at which the account had these balances. */
  statedAt: Temporal.Instant;
  /** Each type at most once. */
  balances: readonly Balance[];
};

/** A balance. It is negative if the account is overdrawn. */
export type Balance = {
  type: BalanceKind;
  amountMinor: bigint;
  /** The credit lines, in the same currency; absent if the account has none. */
  creditLines?: readonly CreditLine[];
  /** The same balance in another currency, if the bank states it. */
  localAmount?: LocalAmount;
};

/** An amount in another currency, without a sign. */
export type LocalAmount = Money & { currencyKind?: CurrencyKind };

/** A credit line, and whether the balance's amount includes it. */
export type CreditLine = {
  type: "Available" | "Credit" | "Emergency" | "PreAgreed" | "Temporary";
  isIncluded: boolean;
  amountMinor: bigint;
};

/** The terms of accounts. `details` follows the product model that all API versions share. */
export type ProductFact = {
  productId: string;
  name: string;
  details: object;
  /**
   * A card's yearly interest rate for purchases, in percent; null for a product that does not lend.
   */
  purchaseRate: string | null;
};

/**
 * A person or a company. The id of a person is the `customerId` of the holder; that of a company is
 * the `companyId` of its accounts.
 */
export type PartyFact = {
  partyId: string;
  name: string;
  /**
   * The legal structure, in the standard's or the bank's namespace, such as `UK.OBIE.Individual`;
   * null if the bank does not say.
   */
  legalStructure: string | null;
  /** The legal entity identifier; null if the party has none. Source: E-060. */
  lei: string | null;
  /** Null if the bank gives no contact details. */
  contact: PartyContact | null;
};

/** A party's contact details. Phone numbers have the format `+44-7700900123`. */
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

/** A customer's payee, for payments from any of the customer's accounts. */
export type BeneficiaryFact = {
  beneficiaryId: string;
  customerId: string;
  isTrusted: boolean;
  schemeName: string;
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
  /** An alias under which the customer knows the account; null if there is none. */
  proxy: AccountProxy | null;
  creditorBic: string | null;
  /** Further facts of the payee's bank. */
  creditorAgent?: Omit<AgentFact, "bic"> | null;
  /** The reference that the payee receives with each payment. */
  reference: string | null;
  createdAt: Temporal.Instant;
  supplementary?: SupplementaryFacts | null;
};

/** A direct debit mandate: the originator may collect from the account. */
export type DirectDebitFact = {
  directDebitId: string;
  accountId: string;
  mandateReference: string;
  originatorName: string;
  frequency: CollectionFrequency;
  state: MandateState;
  stateUpdatedAt: Temporal.Instant;
  /** Null if the bank knows no more about the mandate. */
  mandate: CollectionMandate | null;
  /** The newest collection that was paid; null if none was. */
  previous: { at: Temporal.Instant; amount: Money } | null;
};

/** A creditor's account. The scheme has a namespace, such as `UK.OBIE.IBAN`. */
export type CreditorFact = {
  schemeName: string;
  identification: string;
  name?: string | null;
  secondaryIdentification?: string | null;
  /** An alias under which the customer knows the account. */
  proxy?: AccountProxy | null;
};

/** A bank: its BIC and, if known, its name, legal entity identifier and address. */
export type AgentFact = {
  bic: string | null;
  name?: string | null;
  lei?: string;
  address?: PostalAddress;
};

/**
 * A standing order that a customer set up in the bank's own channels. The bank does not send orders
 * that came through Aldgate: Aldgate executes those and shows them itself.
 */
export type StandingOrderFact = {
  standingOrderId: string;
  accountId: string;
  rhythm: Rhythm;
  /** The reference that the creditor receives with each payment. */
  reference: string | null;
  currency: string;
  /** Null if the number of payments is not limited. */
  numberOfPayments: number | null;
  state: MandateState;
  first: { on: Temporal.PlainDate | null; amountMinor: bigint };
  /** The date of the second payment, if the customer chose it. */
  recurringOn: Temporal.PlainDate | null;
  /** The next payment; null if there is none. */
  next: { at: Temporal.Instant; amountMinor: bigint } | null;
  /** The last payment made; null if none was. */
  last: { at: Temporal.Instant; amountMinor: bigint } | null;
  /** The final payment; null if the order does not end. */
  final: { on: Temporal.PlainDate | null; amountMinor: bigint } | null;
  /** Null if the bank knows no more about the mandate. */
  mandate: Mandate | null;
  /** What the payments are for, besides the reference; null if the bank does not know. */
  remittance: Remittance | null;
  creditor: CreditorFact;
  /** Null if the account number identifies the bank. */
  creditorAgent: AgentFact | null;
  supplementary?: SupplementaryFacts | null;
};

/**
 * A scheduled payment that a customer ordered in the bank's own channels. The bank removes it once
 * it has been made.
 */
export type ScheduledPaymentFact = {
  scheduledPaymentId: string;
  accountId: string;
  executeAt: Temporal.Instant;
  /** The reference that the creditor receives. */
  reference: string | null;
  /** The customer's own reference. */
  debtorReference?: string | null;
  amount: Money;
  creditor: CreditorFact;
  /** Null if the account number identifies the bank. */
  creditorAgent: AgentFact | null;
};

/**
 * A statement: the sums of the transactions that were booked from `startsAt` until before `endsAt`.
 * A term that is null is not shown.
 */
export type StatementFact = {
  accountId: string;
  statementId: string;
  /** The number of the statement in the account's series. */
  number: number;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  createdAt: Temporal.Instant;
  /** The days that the statement covers, as shown to the customer: `1 to 31 October 2026`. */
  periodName: string | null;
  currency: string;
  /** Null if the bank does not say; it is then the bank's own currency. */
  currencyKind: CurrencyKind | null;
  openingMinor: bigint;
  closingMinor: bigint;
  creditsMinor: bigint;
  debitsMinor: bigint;
  creditCount: number;
  debitCount: number;
  /** The overdraft or credit limit when the statement was made. */
  limitMinor: bigint;
  costs: readonly StatementCost[];
  /** A card's minimum payment: 0 if nothing is owed, null if the bank asks for none. */
  minimumPaymentMinor: bigint | null;
  paymentDueAt: Temporal.Instant | null;
  /**
   * Interest rates in percent, each with its code in the standard's or the bank's namespace. A rate
   * has at most three digits before the point and four after it. Source: E-063.
   */
  rates: readonly { type: string; rate: string }[];
  particulars?: StatementParticulars | null;
};

/** Why the bank made a statement, if not because a period has ended. */
export type StatementOccasion = "account-opening" | "account-closure" | "year-end" | "interim";

/** Facts that few statements have. Types are in the standard's or the bank's namespace. */
type StatementParticulars = {
  occasion?: StatementOccasion;
  /**
   * Further amounts, negative for a debit. An amount replaces the one of the same type that follows
   * from the statement's sums.
   */
  amounts?: readonly { type: string; amountMinor: bigint; localAmount?: LocalAmount }[];
  benefits?: readonly { type: string; amount: Money }[];
  dates?: readonly { type: string; at: Temporal.Instant }[];
  /** Values that are not money, such as points. */
  values?: readonly { type: string; value: string }[];
  /** The sum of the balances in all currencies of a wallet, in its base currency. */
  totalValue?: Money;
};

/** A fee or interest that the statement lists. `amount` is in minor units, as text. */
export type StatementCost = {
  type: "CHG" | "INT" | "IND";
  indicator: "Credit" | "Debit";
  text: string | null;
  amount: string;
  /**
   * The type of the cost, in the standard's or the bank's namespace. A cost without a code is
   * included only in totals.
   */
  code?: string | null;
  /** How often it is charged, in the standard's or the bank's namespace. */
  frequency?: string | null;
  /** The rate, in percent, at which the fee or interest is charged. */
  rate?: number;
  /** The type of the rate, in the standard's or the bank's namespace. */
  rateType?: string;
};

import type { AccountKind, BalanceKind } from "#src/standard/shared/accounts/facts.ts";

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
  /** Ids of a product and a company in the store; null if the bank states none. */
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

/** An account's owner that is not a person. */
export type CompanyFact = {
  companyId: string;
  name: string;
  legalStructure: string;
  contact: object;
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

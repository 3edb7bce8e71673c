import type { Money } from "#src/lib/money.ts";
import type { BalanceKind } from "#src/standard/shared/accounts/facts.ts";

/**
 * A transaction of an account, as facts that do not depend on an API version. The bank gives each
 * transaction a version: a number that grows when the transaction changes.
 */
export type TransactionFact = {
  accountId: string;
  /** Unique within the bank, not only within the account. */
  transactionId: string;
  version: bigint;
  indicator: "Credit" | "Debit";
  status: TransactionStatus;
  /** When it was booked or rejected; while it is pending, when it is expected to be booked. */
  bookedAt: Temporal.Instant;
  /** The value date; null if it is the booking date. */
  valueAt: Temporal.Instant | null;
  /** Without a sign: `indicator` gives the direction. */
  amount: Money;
  /** ISO 20022 bank transaction code, domain, family and sub-family: `PMNT-ICDT-DMCT`. */
  isoCode: string | null;
  /** The bank's own code, and who issues it. */
  bankCode: { code: string; issuer: string | null } | null;
  /** The parties' name for it, such as an end-to-end id. */
  reference: string | null;
  /** The text on the customer's statement. */
  information: string | null;
  card: CardUse | null;
  merchant: { name: string; categoryCode: string | null } | null;
  counterparty: Counterparty | null;
  /** The account's balance after it. */
  balance: RunningBalance | null;
  /** Facts that few transactions have. */
  particulars: TransactionParticulars | null;
  /** The bank's id of the booking in its ledger; it is never shown. */
  bookingId: string | null;
};

/**
 * `Rejected` should have been booked but was not, such as an unpaid direct debit. `Future` is known
 * in advance, and `Information` moves no money.
 */
export type TransactionStatus = "Booked" | "Future" | "Information" | "Pending" | "Rejected";

/** The card that a transaction was made with. */
export type CardUse = {
  scheme: "AmericanExpress" | "Diners" | "Discover" | "MasterCard" | "VISA";
  authorisation: "ConsumerDevice" | "Contactless" | "None" | "PIN" | null;
  /** Only the last four digits are stored, even if the bank sends more. */
  maskedPan: string;
};

/** An account of the other party; the scheme is namespaced (`UK.OBIE.IBAN`). */
export type Counterparty = {
  schemeName: string;
  /** Of a card (`UK.OBIE.PAN`), only the last four digits are stored. */
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
};

/** A balance with its sign. */
export type RunningBalance = { amountMinor: bigint; type: BalanceKind };

/** An exchange of currencies; one of the unit currency is worth `rate` of the other currency. */
export type Exchange = {
  sourceCurrency: string;
  targetCurrency: string;
  unitCurrency: string;
  rate: string;
  contractId: string | null;
  /** The amount that was ordered, in the currency that is not the transaction's. */
  instructed: Money;
};

/** A bank in the payment chain. */
export type Agent = { schemeName: string; identification: string; name?: string; lei?: string };

/** The party on whose behalf another one pays or is paid. */
export type UltimateParty = {
  name?: string;
  schemeName?: string;
  identification?: string;
  lei?: string;
};

/** Facts that few transactions have: stored together, so that they cost the others nothing. */
export type TransactionParticulars = {
  exchange?: Exchange;
  charge?: Money;
  /** The statements that show it. */
  statementReferences?: string[];
  /** The place of the transaction. */
  addressLine?: string;
  /** The name on the card. */
  cardName?: string;
  counterpartyAgent?: Agent;
  ultimateCreditor?: UltimateParty;
  ultimateDebtor?: UltimateParty;
  /** Up to three, in the order of the chain. */
  intermediaryAgents?: Agent[];
  /** Codes of the bank's beside the default one. */
  furtherBankCodes?: { code: string; issuer?: string; description?: string }[];
  /** Codes of ISO 20022. */
  paymentPurpose?: string;
  categoryPurpose?: string;
};

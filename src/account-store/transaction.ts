import type { Money } from "#src/lib/money.ts";
import type {
  AccountProxy,
  BalanceKind,
  PostalAddress,
  SupplementaryFacts,
} from "#src/standard/shared/accounts/facts.ts";

/**
 * A transaction of an account, as facts that do not depend on an API version. The bank gives each
 * transaction a version, a number that grows when the transaction changes.
 */
export type TransactionFact = {
  accountId: string;
  /** Unique within the bank, not only within the account. */
  transactionId: string;
  version: bigint;
  indicator: "Credit" | "Debit";
  status: TransactionStatus;
  /**
   * When it was booked or rejected; for a pending transaction, when it is expected to be booked.
   */
  bookedAt: Temporal.Instant;
  /** The value date; null if it is the booking date. */
  valueAt: Temporal.Instant | null;
  /** The amount without a sign; `indicator` gives the direction. */
  amount: Money;
  /** ISO 20022 bank transaction code (domain, family and sub-family), such as `PMNT-ICDT-DMCT`. */
  isoCode: string | null;
  /** The bank's own code and its issuer. */
  bankCode: { code: string; issuer: string | null } | null;
  /** The parties' reference, such as an end-to-end id. */
  reference: string | null;
  /** The text on the customer's statement. */
  information: string | null;
  card: CardUse | null;
  merchant: { name: string; categoryCode: string | null } | null;
  counterparty: Counterparty | null;
  /** The account's balance after the transaction. */
  balance: RunningBalance | null;
  /** Facts that few transactions have. */
  particulars: TransactionParticulars | null;
  /** The bank's id of the booking in its ledger; it is never shown. */
  bookingId: string | null;
};

/**
 * `Rejected`: should have been booked but was not, such as an unpaid direct debit. `Future`: known
 * in advance. `Information`: moves no money.
 */
export type TransactionStatus = "Booked" | "Future" | "Information" | "Pending" | "Rejected";

/** A newer version of a transaction of which only the status has changed. */
export type TransactionStatusChange = Pick<
  TransactionFact,
  "accountId" | "transactionId" | "version" | "status" | "bookingId"
>;

/** The card that a transaction was made with. */
export type CardUse = {
  scheme: "AmericanExpress" | "Diners" | "Discover" | "MasterCard" | "VISA";
  authorisation: "ConsumerDevice" | "Contactless" | "None" | "PIN" | null;
  /** Only the last four digits are stored, even if the bank sends more. */
  maskedPan: string;
};

/** The other party's account. The scheme has a namespace, such as `UK.OBIE.IBAN`. */
export type Counterparty = {
  schemeName: string;
  /** For a card (`UK.OBIE.PAN`), only the last four digits are stored. */
  identification: string;
  name: string | null;
  secondaryIdentification: string | null;
};

/** A balance; negative if the account is overdrawn. */
type RunningBalance = { amountMinor: bigint; type: BalanceKind };

/** A currency exchange: one unit of `unitCurrency` is worth `rate` of the other currency. */
export type CurrencyExchange = {
  sourceCurrency: string;
  targetCurrency: string;
  unitCurrency: string;
  rate: string;
  contractId: string | null;
  /** When the rate was quoted; absent if the bank does not know. */
  quotedAt?: Temporal.Instant;
  /** The ordered amount, in the currency that is not the transaction's. */
  instructed: Money;
};

/** A bank in the payment chain. */
export type Agent = {
  schemeName: string;
  identification: string;
  name?: string;
  lei?: string;
  address?: PostalAddress;
};

/** A bank between the payer's bank and the payee's, with its processing status if known. */
export type IntermediaryAgent = Agent & { processing?: ProcessingStatus };

/**
 * A bank's processing status for a payment, as an ISO 20022 code. Source: OBIntermediaryAgent,
 * E-040.
 */
type ProcessingStatus = "ACSC" | "ACSP" | "CANC" | "PDNG" | "RCVD" | "RJCT" | "UNKN";

/** The party on whose behalf another party pays or is paid. */
export type UltimateParty = {
  name?: string;
  schemeName?: string;
  identification?: string;
  lei?: string;
  address?: PostalAddress;
};

/**
 * Facts that few transactions have. They share a column, so they cost other transactions nothing.
 */
export type TransactionParticulars = {
  exchange?: CurrencyExchange;
  charge?: Money;
  /** The statements that show the transaction. */
  statementReferences?: string[];
  /** The place of the transaction. */
  addressLine?: string;
  /** The name on the card. */
  cardName?: string;
  counterpartyAgent?: Agent;
  /** An alias of the other party's account. */
  counterpartyProxy?: AccountProxy;
  ultimateCreditor?: UltimateParty;
  ultimateDebtor?: UltimateParty;
  /** Up to three, in the order of the chain. */
  intermediaryAgents?: IntermediaryAgent[];
  /** The bank's other codes for the transaction. */
  furtherBankCodes?: { code: string; issuer?: string; description?: string }[];
  /** ISO 20022 codes. */
  paymentPurpose?: string;
  categoryPurpose?: string;
  supplementary?: SupplementaryFacts;
};

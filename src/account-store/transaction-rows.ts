import type { MoneyRecord } from "#src/lib/money.ts";
import type { BalanceKind } from "#src/standard/shared/accounts/facts.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { TransactionParticulars, TransactionStatus } from "./transaction.ts";

/** The facts that share one JSON column because they are rare or too long for separate columns. */
export type StoredParticulars = TransactionParticulars & {
  partySecondaryIdentification?: string;
  reference?: string;
  information?: string;
  merchantName?: string;
  partyIdentification?: string;
  partyName?: string;
};

type Text = string | null | undefined;

/**
 * The short facts of a transaction, in the order of the column `facts`: `null` or absent if the
 * transaction does not have the fact. A card's identification is its last four digits. The value
 * date is in microseconds since 1970.
 */
export type StoredFacts = [
  ...[indicator: "Credit" | "Debit", status: TransactionStatus, amountMinor: number],
  ...[currency: string, isoCode?: Text, information?: Text, balanceMinor?: number | null],
  ...[balanceType?: BalanceKind | null, bankCode?: Text, bankCodeIssuer?: Text, reference?: Text],
  ...[merchantName?: Text, merchantCategoryCode?: Text, partyScheme?: Text],
  ...[partyIdentification?: Text, partyName?: Text, cardScheme?: Text, cardAuthorisation?: Text],
  ...[cardEnding?: Text, valueAt?: number],
];

/** A transaction as a page reads it: its facts, preceded by its particulars if it has any. */
export type StoredTransaction = StoredFacts | [ReadParticulars, StoredFacts];

/** The particulars as they are stored, with amounts as text. */
export type ReadParticulars = Omit<StoredParticulars, "exchange" | "charge"> & {
  charge?: MoneyRecord;
  exchange?: Omit<NonNullable<TransactionParticulars["exchange"]>, "instructed" | "quotedAt"> & {
    instructed: MoneyRecord;
    /** RFC 3339. */
    quotedAt?: string;
  };
};

/**
 * SQL: the facts of the transaction `t` as JSON text, a `StoredTransaction`. Everything except the
 * particulars is in the page index, so a page is read from neighbouring index entries even if the
 * rows are far apart.
 */
export const transactionFacts: Sql = sql`case when t.has_particulars then '[' || (
    select p.particulars from account_transaction p where p.account_id = t.account_id
      and p.booked_at = t.booked_at and p.transaction_id = t.transaction_id)
    || ',' || t.facts || ']' else t.facts end`;

/** The table of the transactions, as `t`. */
export const transactionTable: Sql = sql`account_transaction t`;

/** The text of the transaction `t` on the customer's statement, or otherwise its reference. */
export const transactionText: Sql = sql`coalesce(t.information, t.particulars->>'information',
  t.reference, t.particulars->>'reference')`;

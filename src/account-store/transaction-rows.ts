import type { BalanceKind } from "#src/standard/shared/accounts/facts.ts";
import type { Sql } from "#src/storage/sql.ts";
import { sql } from "#src/storage/sql.ts";
import type { TransactionFact, TransactionParticulars, TransactionStatus } from "./transaction.ts";

/** A row of `account_transaction` as JSON, which `store_transactions` takes. */
export type TransactionRow = {
  account_id: string;
  transaction_id: string;
  version: string;
  indicator: string;
  status: string;
  booked_at: string;
  value_at: string | null;
  amount_minor: string;
  currency: string;
  iso_code: string | null;
  bank_code: string | null;
  bank_code_issuer: string | null;
  reference: string | null;
  information: string | null;
  merchant_name: string | null;
  merchant_category_code: string | null;
  card_scheme: string | null;
  card_authorisation: string | null;
  card_ending: string | null;
  party_scheme: string | null;
  party_identification: string | null;
  party_name: string | null;
  balance_minor: string | null;
  balance_type: string | null;
  particulars: StoredParticulars | null;
  posting_id: string | null;
};

// What is stored with the particulars because it is rare or too long for the row.
type StoredParticulars = TransactionParticulars & {
  partySecondaryIdentification?: string;
  reference?: string;
  information?: string;
  merchantName?: string;
  partyName?: string;
};

// An entry of an index has 2,704 bytes at most, and the index of the pages has all short facts.
const longest = { reference: 300, information: 700, name: 300 };

/** The row of a fact. Only the last four digits of a card number are kept. */
export function toTransactionRow(fact: TransactionFact): TransactionRow {
  const { amount, card, merchant, counterparty, balance } = fact;
  const reference = split(fact.reference, longest.reference);
  const information = split(fact.information, longest.information);
  const merchantName = split(merchant?.name ?? null, longest.name);
  const partyName = split(counterparty?.name ?? null, longest.name);
  const particulars: StoredParticulars = {
    ...fact.particulars,
    ...(reference.long === null ? {} : { reference: reference.long }),
    ...(information.long === null ? {} : { information: information.long }),
    ...(merchantName.long === null ? {} : { merchantName: merchantName.long }),
    ...(partyName.long === null ? {} : { partyName: partyName.long }),
    ...(counterparty?.secondaryIdentification
      ? { partySecondaryIdentification: counterparty.secondaryIdentification }
      : {}),
  };
  return {
    account_id: fact.accountId,
    transaction_id: fact.transactionId,
    version: fact.version.toString(),
    indicator: fact.indicator,
    status: fact.status,
    booked_at: fact.bookedAt.toString(),
    value_at: fact.valueAt?.toString() ?? null,
    amount_minor: amount.amountMinor.toString(),
    currency: amount.currency,
    iso_code: fact.isoCode,
    bank_code: fact.bankCode?.code ?? null,
    bank_code_issuer: fact.bankCode?.issuer ?? null,
    reference: reference.short,
    information: information.short,
    merchant_name: merchantName.short,
    merchant_category_code: merchant?.categoryCode ?? null,
    card_scheme: card?.scheme ?? null,
    card_authorisation: card?.authorisation ?? null,
    card_ending: card === null ? null : card.maskedPan.slice(-4),
    party_scheme: counterparty?.schemeName ?? null,
    party_identification: counterparty === null ? null : storedIdentification(counterparty),
    party_name: partyName.short,
    balance_minor: balance?.amountMinor.toString() ?? null,
    balance_type: balance?.type ?? null,
    particulars: Object.keys(particulars).length > 0 ? withoutBigints(particulars) : null,
    posting_id: fact.bookingId,
  };
}

const storedIdentification = (party: { schemeName: string; identification: string }): string =>
  party.schemeName === "UK.OBIE.PAN" ? party.identification.slice(-4) : party.identification;

function split(text: string | null, bytes: number): { short: string | null; long: string | null } {
  if (!text) return { short: null, long: null };
  // four bytes are the most that a character takes: most texts need no counting
  const fits = text.length * 4 <= bytes || Buffer.byteLength(text) <= bytes;
  return fits ? { short: text, long: null } : { short: null, long: text };
}

// safe: only amounts are bigints, which JSON has as text
const withoutBigints = (particulars: StoredParticulars): StoredParticulars =>
  JSON.parse(
    JSON.stringify(particulars, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
  );

/** A transaction as a page reads it. */
export type StoredTransaction = {
  accountId: string;
  transactionId: string;
  /** Milliseconds since 1970. */
  bookedAt: number;
  /** The same; null when it is `bookedAt`. */
  valueAt: number | null;
  indicator: "Credit" | "Debit";
  status: TransactionStatus;
  amountMinor: number;
  currency: string;
  isoCode: string | null;
  bankCode: string | null;
  bankCodeIssuer: string | null;
  reference: string | null;
  information: string | null;
  merchantName: string | null;
  merchantCategoryCode: string | null;
  cardScheme: string | null;
  cardAuthorisation: string | null;
  /** The last four digits. */
  cardEnding: string | null;
  partyScheme: string | null;
  /** The last four digits of a card. */
  partyIdentification: string | null;
  partyName: string | null;
  balanceMinor: number | null;
  balanceType: BalanceKind | null;
  particulars: ReadParticulars | null;
};

type TextMoney = { amountMinor: string; currency: string };

/** The particulars as they are stored: amounts are text. */
export type ReadParticulars = Omit<StoredParticulars, "exchange" | "charge"> & {
  charge?: TextMoney;
  exchange?: Omit<NonNullable<TransactionParticulars["exchange"]>, "instructed"> & {
    instructed: TextMoney;
  };
};

/**
 * The facts of the transaction `t` as JSON text, a short array for `toStoredTransaction`.
 * Everything but the particulars is in the index that pages follow, so that an account's page is
 * read from neighbouring entries of the index, wherever its rows are.
 */
export const transactionFacts: Sql = sql`json_build_array(t.account_id, t.transaction_id,
  (extract(epoch from t.booked_at) * 1000)::bigint, (extract(epoch from t.value_at) * 1000)::bigint,
  t.indicator, t.status, t.amount_minor, t.currency, t.iso_code, t.bank_code, t.bank_code_issuer,
  t.reference, t.information, t.merchant_name, t.merchant_category_code, t.card_scheme,
  t.card_authorisation, t.card_ending, t.party_scheme, t.party_identification, t.party_name,
  t.balance_minor, t.balance_type, case when t.has_particulars then (
    select p.particulars from account_transaction p where p.account_id = t.account_id
      and p.booked_at = t.booked_at and p.transaction_id = t.transaction_id) end)::text`;

/** Reads a transaction out of the array that `transactionFacts` makes. */
export function toStoredTransaction(row: TransactionArray): StoredTransaction {
  const particulars = row[23];
  return {
    accountId: row[0],
    transactionId: row[1],
    bookedAt: row[2],
    valueAt: row[3],
    indicator: row[4],
    status: row[5],
    amountMinor: row[6],
    currency: row[7],
    isoCode: row[8],
    bankCode: row[9],
    bankCodeIssuer: row[10],
    reference: row[11] ?? particulars?.reference ?? null,
    information: row[12] ?? particulars?.information ?? null,
    merchantName: row[13] ?? particulars?.merchantName ?? null,
    merchantCategoryCode: row[14],
    cardScheme: row[15],
    cardAuthorisation: row[16],
    cardEnding: row[17],
    partyScheme: row[18],
    partyIdentification: row[19],
    partyName: row[20] ?? particulars?.partyName ?? null,
    balanceMinor: row[21],
    balanceType: row[22],
    particulars,
  };
}

type Text = string | null;

/** The array that `transactionFacts` makes: the members of `StoredTransaction` in their order. */
export type TransactionArray = [
  ...[accountId: string, transactionId: string, bookedAt: number, valueAt: number | null],
  ...[indicator: "Credit" | "Debit", status: TransactionStatus, amountMinor: number],
  ...[currency: string, isoCode: Text, bankCode: Text, bankCodeIssuer: Text, reference: Text],
  ...[information: Text, merchantName: Text, merchantCategoryCode: Text, cardScheme: Text],
  ...[cardAuthorisation: Text, cardEnding: Text, partyScheme: Text, partyIdentification: Text],
  ...[partyName: Text, balanceMinor: number | null, balanceType: BalanceKind | null],
  particulars: ReadParticulars | null,
];

/** The table of the transactions, as `t`. */
export const transactionTable: Sql = sql`account_transaction t`;

/** The text on the customer's statement of the transaction `t`, or else its reference. */
export const transactionText: Sql = sql`coalesce(t.information, t.particulars->>'information',
  t.reference, t.particulars->>'reference')`;

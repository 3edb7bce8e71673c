import type { TransactionFact, TransactionStatusChange } from "#src/account-store/transaction.ts";
import type { StoredParticulars } from "#src/account-store/transaction-rows.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { newestOf, toJson } from "./entity.ts";

/** Returns one row per transaction, for the newest of its given versions. */
export const toNewestRows = (facts: readonly TransactionFact[]): TransactionRow[] =>
  newestOf(facts, ({ transactionId }) => transactionId).map(toTransactionRow);

/** Stores transactions, each only if its version is newer than the stored one. */
export async function storeTransactions(
  on: Queryable,
  facts: readonly TransactionFact[] = [],
): Promise<void> {
  if (facts.length === 0) return;
  await on.query(sql`select feed_transactions(${JSON.stringify(toNewestRows(facts))}::json)`);
}

/**
 * Changes the status of transactions, each only if its version is newer than the stored one. A
 * change that is not newer than the removal of its transaction is ignored. Otherwise, throws if a
 * transaction is not in the store: an older version of it, stored later, would keep the old status.
 */
export async function storeStatuses(
  on: Queryable,
  changes: readonly TransactionStatusChange[] = [],
): Promise<void> {
  if (changes.length === 0) return;
  const newest = newestOf(changes, ({ transactionId }) => transactionId);
  const rows = newest.map(({ transactionId, version, status, bookingId }) => ({
    transaction_id: transactionId,
    version: version.toString(),
    status,
    posting_id: bookingId,
  }));
  const given = JSON.stringify(rows);
  const unknown = await on.query<{ transactionId: string }>(sql`
    with given as (
      select g.transaction_id, g.version, g.status, g.posting_id
      from json_populate_recordset(null::account_transaction, ${given}::json) g
    ), changed as (
      update account_transaction t set status = g.status, posting_id = g.posting_id,
        version = g.version
      from given g
      where t.transaction_id = g.transaction_id and t.version < g.version
    )
    select g.transaction_id as "transactionId" from given g
    where not exists (
        select from account_transaction t where t.transaction_id = g.transaction_id)
      and not exists (select from removed_fact r where r.entity = 'transaction'
        and r.key = g.transaction_id and r.version >= g.version)
    limit 1`);
  const id = unknown[0]?.transactionId;
  if (id === undefined) return;
  const message = `transaction ${id} is not in the store: send it before a change of its status`;
  // as the database says of a change that names an unknown account
  throw Object.assign(new Error(message), { code: "23503" });
}

/**
 * A row of `account_transaction` as JSON, for `feed_transactions`. Facts that the transaction does
 * not have are undefined, so the JSON leaves them out. PostgreSQL would have to parse every null.
 */
type TransactionRow = {
  account_id: string;
  transaction_id: string;
  version: string;
  indicator: string;
  status: string;
  booked_at: string;
  value_at: string | undefined;
  amount_minor: string;
  currency: string;
  iso_code: string | undefined;
  bank_code: string | undefined;
  bank_code_issuer: string | undefined;
  reference: string | undefined;
  information: string | undefined;
  merchant_name: string | undefined;
  merchant_category_code: string | undefined;
  card_scheme: string | undefined;
  card_authorisation: string | undefined;
  card_ending: string | undefined;
  party_scheme: string | undefined;
  party_identification: string | undefined;
  party_name: string | undefined;
  balance_minor: string | undefined;
  balance_type: string | undefined;
  particulars: StoredParticulars | undefined;
  posting_id: string | undefined;
};

// An index entry may have at most 2,704 bytes, and an entry of the page index contains all short
// facts as JSON.
const longest = { reference: 300, information: 700, name: 300, identification: 300 };

/** Converts a fact to a row. Of a card number, only the last four digits are stored. */
function toTransactionRow(fact: TransactionFact): TransactionRow {
  const { amount, card, merchant, counterparty, balance } = fact;
  const reference = split(fact.reference, longest.reference);
  const information = split(fact.information, longest.information);
  const merchantName = split(merchant?.name ?? null, longest.name);
  const partyName = split(counterparty?.name ?? null, longest.name);
  const identification = split(storedIdentification(counterparty), longest.identification);
  const particulars: StoredParticulars = {
    ...fact.particulars,
    ...(reference.long === undefined ? {} : { reference: reference.long }),
    ...(information.long === undefined ? {} : { information: information.long }),
    ...(merchantName.long === undefined ? {} : { merchantName: merchantName.long }),
    ...(partyName.long === undefined ? {} : { partyName: partyName.long }),
    ...(identification.long === undefined ? {} : { partyIdentification: identification.long }),
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
    value_at: fact.valueAt?.toString(),
    amount_minor: amount.amountMinor.toString(),
    currency: amount.currency,
    iso_code: fact.isoCode ?? undefined,
    bank_code: fact.bankCode?.code,
    bank_code_issuer: fact.bankCode?.issuer ?? undefined,
    reference: reference.short,
    information: information.short,
    merchant_name: merchantName.short,
    merchant_category_code: merchant?.categoryCode ?? undefined,
    card_scheme: card?.scheme,
    card_authorisation: card?.authorisation ?? undefined,
    card_ending: card?.maskedPan.slice(-4),
    party_scheme: counterparty?.schemeName,
    party_identification: identification.short,
    party_name: partyName.short,
    balance_minor: balance?.amountMinor.toString(),
    balance_type: balance?.type,
    particulars: Object.keys(particulars).length > 0 ? withoutBigints(particulars) : undefined,
    posting_id: fact.bookingId ?? undefined,
  };
}

function storedIdentification(party: TransactionFact["counterparty"]): string | null {
  if (party === null) return null;
  return party.schemeName === "UK.OBIE.PAN" ? party.identification.slice(-4) : party.identification;
}

function split(
  text: string | null,
  bytes: number,
): { short: string | undefined; long: string | undefined } {
  if (!text) return { short: undefined, long: undefined };
  // JSON needs at most six bytes per UTF-16 unit, so most texts need no exact count
  const fits = text.length * 6 <= bytes || Buffer.byteLength(JSON.stringify(text)) <= bytes;
  return fits ? { short: text, long: undefined } : { short: undefined, long: text };
}

// safe: all bigints are amounts, which become text in JSON
const withoutBigints = (particulars: StoredParticulars): StoredParticulars =>
  JSON.parse(toJson(particulars));

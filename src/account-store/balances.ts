import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { newestOf, type RemovableEntity, type Versioned } from "./entity.ts";
import type { Balance, BalancesFact, CreditLine } from "./facts.ts";

/** Identifies an account's balances; `store_balances` stores them. */
export const balancesEntity: RemovableEntity<Pick<BalancesFact, "accountId" | "currency">> = {
  name: "balances",
  table: "account_balance",
  key: ["account_id", "currency"],
  toKey: ({ accountId, currency }) => ({ account_id: accountId, currency }),
};

/** Stores balances, each only if its version is newer than the stored one. */
export async function storeBalances(
  on: Queryable,
  facts: readonly Versioned<BalancesFact>[],
): Promise<void> {
  const rows = newestOf(facts, ({ accountId, currency }) => `${accountId} ${currency}`).map(toRow);
  if (rows.length === 0) return;
  await on.query(sql`
    select store_balances(${rows.map(({ accountId }) => accountId)}::text[],
      ${rows.map(({ currency }) => currency)}::text[],
      ${rows.map(({ version }) => version)}::bigint[],
      ${rows.map(({ statedAt }) => statedAt)}::timestamptz[],
      ${rows.map(({ booked }) => booked)}::bigint[],
      ${rows.map(({ available }) => available)}::bigint[],
      ${rows.map(({ lines }) => lines)}::text[]::json[],
      ${rows.map(({ further }) => further)}::text[]::json[])`);
}

// The two balances that most banks state have columns; the others are in a JSON column.
function toRow(fact: Versioned<BalancesFact>) {
  const booked = fact.balances.find((each) => each.type === "InterimBooked" && !each.creditLines);
  const available = fact.balances.find(({ type }) => type === "InterimAvailable");
  const further = fact.balances.filter((each) => each !== booked && each !== available);
  return {
    ...fact,
    booked: booked?.amountMinor ?? null,
    available: available?.amountMinor ?? null,
    lines: available?.creditLines ? toText(available.creditLines) : null,
    further: further.length > 0 ? toText(further) : null,
  };
}

const toText = (value: object): string =>
  JSON.stringify(value, (_, one) => (typeof one === "bigint" ? one.toString() : one));

/** A balance as it is read. Amounts are minor units as text. */
export type StoredBalance = Omit<Balance, "amountMinor" | "creditLines"> & {
  amountMinor: string;
  creditLines?: (Omit<CreditLine, "amountMinor"> & { amountMinor: string })[] | null;
};

/** The balances of an account in one currency, as they are read. `at` is RFC 3339 in UTC. */
export type StoredBalances = {
  currency: string;
  at: string;
  booked: string | null;
  available: string | null;
  lines: StoredBalance["creditLines"];
  further: StoredBalance[] | null;
};

/**
 * SQL: the balances of an account as a JSON array of `StoredBalances`, one item per currency; null
 * if the store has none. The time of a balance is when the bank stated it, or the time up to which
 * the bank has delivered the account's balances, whichever is later.
 */
export const balancesOf = (accountId: Sql, now: Sql): Sql => sql`(
  select json_agg(json_build_object('currency', b.currency, 'at', to_char(greatest(b.stated_at,
      case when f.as_of is not null then least(f.as_of, ${now}) end) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'booked', b.booked_minor::text, 'available', b.available_minor::text,
    'lines', b.credit_lines, 'further', b.further) order by b.currency)
  from account_balance b
  left join account_freshness f on f.account_id = b.account_id and f.cluster = 'balances'
  where b.account_id = ${accountId})`;

/** Lists every balance, booked ones first. */
export function listBalances({ booked, available, lines, further }: StoredBalances) {
  const all: StoredBalance[] = [];
  if (booked !== null) all.push({ type: "InterimBooked", amountMinor: booked });
  if (available !== null) {
    all.push({ type: "InterimAvailable", amountMinor: available, creditLines: lines ?? null });
  }
  return [...all, ...(further ?? [])];
}

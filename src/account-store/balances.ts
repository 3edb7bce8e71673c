import { type Sql, sql } from "#src/storage/sql.ts";
import type { Balance, BalancesFact, CreditLine, LocalAmount } from "./facts.ts";
import { deliveredUntil } from "./freshness.ts";

/** A balance as it is read. Amounts are minor units as text. */
export type StoredBalance = Omit<Balance, "amountMinor" | "creditLines" | "localAmount"> & {
  amountMinor: string;
  localAmount?: StoredLocalAmount;
  creditLines?: (Omit<CreditLine, "amountMinor"> & { amountMinor: string })[] | null;
};

/** An amount in another currency, as it is read. */
export type StoredLocalAmount = Omit<LocalAmount, "amountMinor"> & { amountMinor: string };

/** The balances of an account in one currency, as they are read. `at` is RFC 3339 in UTC. */
export type StoredBalances = {
  currency: string;
  currencyKind: BalancesFact["currencyKind"];
  at: string;
  booked: string | null;
  available: string | null;
  lines: StoredBalance["creditLines"];
  further: StoredBalance[] | null;
};

/**
 * SQL: the balances of an account as a JSON array of `StoredBalances`, one item per currency; null
 * if the store has none. The time of a balance is when the bank stated it, or the time up to which
 * the bank has delivered the account's balances, whichever is later, but never later than now.
 */
export const balancesOf = (accountId: Sql, now: Sql): Sql => sql`(
  select json_agg(json_build_object('currency', b.currency, 'currencyKind', b.currency_kind,
    'at', to_char(least(greatest(b.stated_at, case when f.as_of is not null
      then ${deliveredUntil} end), ${now}) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'booked', b.booked_minor::text, 'available', b.available_minor::text,
    'lines', b.credit_lines, 'further', b.further) order by b.currency)
  from account_balance b
  left join account_freshness f on f.account_id = b.account_id and f.cluster = 'balances'
  left join feed_source s on s.source = f.source
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

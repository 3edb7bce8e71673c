import type { BalancesFact, Versioned } from "#src/account-store/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { newestOf, type RemovableEntity, toJson } from "./entity.ts";

/** Identifies an account's balances; `feed_balances` stores them. */
export const balancesEntity: RemovableEntity<Pick<BalancesFact, "accountId" | "currency">> = {
  name: "balances",
  table: "account_balance",
  key: ["account_id", "currency"],
  toKey: ({ accountId, currency }) => ({ account_id: accountId, currency }),
};

/** Stores balances, each only if its version is newer than the stored one. */
export async function storeBalances(
  on: Queryable,
  facts: readonly Versioned<BalancesFact>[] = [],
): Promise<void> {
  if (facts.length === 0) return;
  const rows = newestOf(facts, ({ accountId, currency }) => `${accountId} ${currency}`).map(toRow);
  await on.query(sql`
    select feed_balances(array_agg(g)) from json_populate_recordset(null::account_balance,
      ${toJson(rows)}::json) g`);
}

// The two balances that most banks state have columns. The others, and those with an amount in
// another currency, are in a JSON column.
function toRow(fact: Versioned<BalancesFact>) {
  const plain = fact.balances.filter(({ localAmount }) => !localAmount);
  const booked = plain.find(({ type, creditLines }) => type === "InterimBooked" && !creditLines);
  const available = plain.find(({ type }) => type === "InterimAvailable");
  const further = fact.balances.filter((each) => each !== booked && each !== available);
  return {
    account_id: fact.accountId,
    currency: fact.currency,
    version: fact.version,
    stated_at: fact.statedAt.toString(),
    booked_minor: booked?.amountMinor,
    available_minor: available?.amountMinor,
    credit_lines: available?.creditLines,
    further: further.length > 0 ? further : undefined,
    currency_kind: fact.currencyKind,
  };
}

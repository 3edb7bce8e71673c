import type { BalancesFact, Versioned } from "#src/account-store/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { newestOf, type RemovableEntity } from "./entity.ts";

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
    select feed_balances(${rows.map(({ accountId }) => accountId)}::text[],
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

// Changes with everything that the store can have, and what is then stored.
import type { AccountChanges } from "#src/account-store/feed.ts";
import type { Database } from "#src/storage/database.ts";
import { everyFact, productId } from "#test/accounts/every-fact.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";

/** The tables of the store. */
export const tables = [
  "product",
  "party",
  "account",
  "account_holder",
  "account_transaction",
  "account_balance",
  "account_freshness",
  "account_statement",
  "offer",
  "beneficiary",
  "direct_debit",
  "channel_standing_order",
  "channel_scheduled_payment",
  "removed_fact",
  "feed_source",
];

/** The rows of each table, in an order of their own. */
export async function rowsOf(database: Database): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const table of tables) {
    const rows = await database.query<{ row: string }>({
      text: `select (to_jsonb(t) - 'removed_at' - 'heard_at')::text as row from ${table} t order by 1`,
      values: [],
    });
    all[table] = rows.map(({ row }) => row);
  }
  return all;
}

/** Changes with every member of every fact. */
export const every: AccountChanges = {
  ...everyFact("every-customer"),
  products: [
    {
      version: 1n,
      productId,
      name: "Every",
      details: { ProductName: "Every", ProductType: "PersonalCurrentAccount" },
      purchaseRate: null,
    },
  ],
};
/** Further changes, with a removal and deliveries. */
export const more: AccountChanges = {
  ...shownFacts,
  delivered: [
    {
      accountId: "second-current",
      cluster: "balances",
      asOf: Temporal.Instant.from("2026-01-06T00:00:00Z"),
    },
    { accountId: "second-current", cluster: "account", asOf: "live" },
  ],
  removed: { offers: [{ accountId: "second-current", offerId: "gone", version: 7n }] },
};

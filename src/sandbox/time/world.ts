import { bookDuePurchases } from "#src/sandbox/bank/card-purchases.ts";
import {
  collectDueDirectDebits,
  nextCollectionAt,
} from "#src/sandbox/direct-debits/collect-due.ts";
import { nextIncomeAt, payDueIncomes } from "#src/sandbox/incomes/pay-due.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { TimeBound } from "./clock.ts";

/** What happens to accounts from outside as time goes by. */
export type World = Pick<TimeBound, "drain" | "nextDueAt">;

/**
 * The world around the sandbox bank: card purchases are booked, wages come in, originators collect
 * direct debits.
 * Safe on any number of processes at once.
 */
export function createWorld(database: Database, now: () => Temporal.Instant): World {
  return {
    async drain() {
      while ((await bookDuePurchases(database, now())) > 0);
      // what comes in is there for what is collected at the same time
      while ((await payDueIncomes(database, now())) > 0);
      while ((await collectDueDirectDebits(database, now())) > 0);
    },
    async nextDueAt() {
      const all = [
        await nextPurchaseAt(database),
        await nextIncomeAt(database),
        await nextCollectionAt(database),
      ];
      return all.reduce(earliest, null);
    },
  };
}

/** The parts of time as one: what falls due first in any of them comes first. */
export const joinTimeBound = (parts: readonly World[]): World => ({
  async drain() {
    for (const part of parts) await part.drain();
  },
  async nextDueAt() {
    const all = await Promise.all(parts.map((part) => part.nextDueAt()));
    return all.reduce(earliest, null);
  },
});

async function nextPurchaseAt(database: Database): Promise<Temporal.Instant | null> {
  const row = await first<{ at: Temporal.Instant | null }>(
    database,
    sql`select min(booked_at) as at from account_transaction where status = 'Pending'`,
  );
  return row?.at ?? null;
}

const earliest = (
  one: Temporal.Instant | null,
  other: Temporal.Instant | null,
): Temporal.Instant | null => {
  if (one === null || other === null) return one ?? other;
  return Temporal.Instant.compare(one, other) <= 0 ? one : other;
};

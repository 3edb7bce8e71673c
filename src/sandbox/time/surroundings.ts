import { bookDuePurchases, nextPurchaseAt } from "#src/sandbox/bank/card-purchases.ts";
import { nextReturnAt } from "#src/sandbox/bank/planned-returns.ts";
import {
  collectDueDirectDebits,
  nextCollectionAt,
} from "#src/sandbox/direct-debits/collect-due.ts";
import { nextIncomeAt, payDueIncomes } from "#src/sandbox/incomes/pay-due.ts";
import { returnDuePayments } from "#src/sandbox/incomes/return-due.ts";
import type { Database } from "#src/storage/database.ts";
import type { TimeBound } from "./clock.ts";

/** Events outside the bank that change accounts as time passes. */
export type Surroundings = Pick<TimeBound, "drain" | "nextDueAt">;

/**
 * Creates what surrounds the sandbox bank: card purchases are booked, wages arrive, other banks
 * return payments, and originators collect direct debits. Any number of processes may run it at the
 * same time.
 */
export function createSurroundings(database: Database, now: () => Temporal.Instant): Surroundings {
  return {
    async drain() {
      while ((await bookDuePurchases(database, now())) > 0);
      // incomes are booked before collections that are due at the same time
      while ((await payDueIncomes(database, now())) > 0);
      while ((await returnDuePayments(database, now())) > 0);
      while ((await collectDueDirectDebits(database, now())) > 0);
    },
    async nextDueAt() {
      const all = [
        await nextPurchaseAt(database),
        await nextIncomeAt(database),
        await nextReturnAt(database),
        await nextCollectionAt(database),
      ];
      return all.reduce(earliest, null);
    },
  };
}

/** Combines several kinds of work so that whatever falls due first is processed first. */
export const joinTimeBound = (parts: readonly Surroundings[]): Surroundings => ({
  async drain() {
    for (const part of parts) await part.drain();
  },
  async nextDueAt() {
    const all = await Promise.all(parts.map((part) => part.nextDueAt()));
    return all.reduce(earliest, null);
  },
});

const earliest = (
  one: Temporal.Instant | null,
  other: Temporal.Instant | null,
): Temporal.Instant | null => {
  if (one === null || other === null) return one ?? other;
  return Temporal.Instant.compare(one, other) <= 0 ? one : other;
};

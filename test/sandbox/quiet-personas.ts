import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { postponePayments } from "#test/payments/stored-orders.ts";

const never = "2099-01-01T00:00:00Z";

/**
 * Postpones the personas' incomes, direct debits and standing orders. A test that sets the clock
 * months forward, but tests something else, is then faster.
 */
export async function quietPersonas(on: Queryable): Promise<void> {
  await on.query(sql`update sandbox_income set due_at = ${never}::timestamptz`);
  await on.query(sql`update sandbox_mandate set due_at = ${never}::timestamptz
    where due_at is not null`);
  await postponePayments(on, never);
}

import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * Makes payments due now that wait until the core is asked again: those that the scheme has not
 * answered, or that the bank reviews. A payment whose date has not come stays as it is. The core
 * says with it that its outcome has changed; what the outcome is, only its answer to `ask` says.
 * Returns how many are due now.
 */
export async function nudgePayments(
  database: Database,
  paymentIds: readonly string[],
  now: Temporal.Instant,
): Promise<number> {
  const rows = await database.query(sql`
    update payment set due_at = ${now}
    where payment_id = any(${[...paymentIds]}::text[]) and due_at > ${now} and attempt > 0
      and (execute_at is null or execute_at <= ${now})
    returning payment_id`);
  return rows.length;
}

import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A settled payment whose money comes back at that time, with that reason. */
export type PlannedReturn = { paymentId: string; dueAt: Temporal.Instant; code: string };

/** Plans that payments come back. A payment that is planned already stays as it is. */
export async function planReturns(on: Queryable, planned: readonly PlannedReturn[]): Promise<void> {
  if (planned.length === 0) return;
  await on.query(sql`
    insert into sandbox_return (payment_id, due_at, reason_code)
    select payment_id, due_at, reason_code
    from unnest(${planned.map(({ paymentId }) => paymentId)}::text[],
      ${planned.map(({ dueAt }) => dueAt)}::timestamptz[],
      ${planned.map(({ code }) => code)}::text[]) as planned(payment_id, due_at, reason_code)
    on conflict do nothing`);
}

/** The time of the next return, which may be in the past; null if there is none. */
export async function nextReturnAt(on: Queryable): Promise<Temporal.Instant | null> {
  const row = await first<{ dueAt: Temporal.Instant | null }>(
    on,
    sql`select min(due_at) as "dueAt" from sandbox_return`,
  );
  return row?.dueAt ?? null;
}

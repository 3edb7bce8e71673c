import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The subject of a count: reads of one resource through a consent, for one account or for all. */
export type UnattendedAccess = { consentId: string; operationId: string; accountId: string | null };

/**
 * Counts a call that is made without the customer present. Returns false, and does not count the
 * call, once the day's allowance (UTC) is used up. All processes share the count. Source: A-131.
 */
export async function admitUnattended(
  on: Queryable,
  perDay: number,
  { consentId, operationId, accountId }: UnattendedAccess,
  now: Temporal.Instant,
): Promise<boolean> {
  const day = now.toString().slice(0, 10);
  const counted = await on.query(sql`
    with past as (delete from unattended_access where day < ${day}::date)
    insert into unattended_access (day, consent_id, operation_id, account_id, accesses)
    values (${day}, ${consentId}, ${operationId}, ${accountId ?? ""}, 1)
    on conflict (day, consent_id, operation_id, account_id)
      do update set accesses = unattended_access.accesses + 1
      where unattended_access.accesses < ${perDay}
    returning accesses`);
  return counted.length === 1;
}

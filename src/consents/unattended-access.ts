import { type ApiError, bareRefusal } from "#src/http/api-error.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** The subject of a count: calls of one operation through a consent, for one account or for all. */
type UnattendedAccess = { consentId: string; operationId: string; accountId: string | null };

/**
 * The parts of a statement that count a call which is made without the customer present: `counted`
 * has a row, unless the day's allowance (UTC) is used up. All processes share the count.
 */
export function countUnattended(
  perDay: number,
  { consentId, operationId, accountId }: UnattendedAccess,
  now: Temporal.Instant,
): Sql {
  const day = now.toString().slice(0, 10);
  // yesterday's counts are kept, because at midnight another process may still be in that day
  return sql`past as (delete from unattended_access where day < ${day}::date - 1),
    counted as (
      insert into unattended_access (day, consent_id, operation_id, account_id, accesses)
      values (${day}, ${consentId}, ${operationId}, ${accountId ?? ""}, 1)
      on conflict (day, consent_id, operation_id, account_id)
        do update set accesses = unattended_access.accesses + 1
        where unattended_access.accesses < ${perDay}
      returning accesses)`;
}

/**
 * Counts a call that is made without the customer present. Returns false, and does not count the
 * call, once the day's allowance (UTC) is used up. Source: A-131.
 */
export async function admitUnattended(
  on: Queryable,
  perDay: number,
  access: UnattendedAccess,
  now: Temporal.Instant,
): Promise<boolean> {
  const counted = await on.query(
    sql`with ${countUnattended(perDay, access, now)} select accesses from counted`,
  );
  return counted.length === 1;
}

/** The refusal of a call beyond the day's allowance: 429 until the next day (UTC) starts. */
export function allowanceUsed(now: Temporal.Instant): ApiError {
  const here = now.toZonedDateTimeISO("UTC");
  const left = here.until(here.startOfDay().add({ days: 1 })).total("seconds");
  return bareRefusal(429, { "retry-after": String(Math.ceil(left)) });
}

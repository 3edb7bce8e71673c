import { isIP } from "node:net";
import type { OperationRequest } from "#src/http/operation.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * Whether the customer is present, which a TPP says by sending the customer's address. What is no
 * address counts as none. Source.
 */
export function isAttended({ headers }: Pick<OperationRequest, "headers">): boolean {
  const address = headers["x-fapi-customer-ip-address"];
  return typeof address === "string" && isIP(address.trim()) !== 0;
}

/** What is counted for itself: reading one resource through a consent, of one account or of all. */
export type UnattendedAccess = { consentId: string; operationId: string; accountId: string | null };

/**
 * Counts a call made without the customer; false, and not counted, when the day's allowance (UTC)
 * is used up. All processes count together. Source: A-131.
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

/** Seconds until the next day (UTC) starts: at least one. */
export function secondsToNextDay(now: Temporal.Instant): number {
  const here = now.toZonedDateTimeISO("UTC");
  return Math.ceil(here.until(here.startOfDay().add({ days: 1 })).total("seconds"));
}

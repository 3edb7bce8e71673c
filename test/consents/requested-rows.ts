import { present } from "#src/lib/assert.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A value of JSON. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };

/** What is stored of a consent before a customer has decided. */
export type Requested = Record<
  "body" | "terms" | "permissions" | "expires" | "starts" | "stops",
  Json
>;

/** Reads what a customer is asked to approve, as it is stored. */
export async function readRequested(on: Queryable, consentId: string): Promise<Requested> {
  const [row] = await on.query<Requested>(sql`
    select body, terms, permissions, expires_at::text as expires, transactions_from::text as starts,
      transactions_to::text as stops
    from consent where consent_id = ${consentId}`);
  return present(row, "the consent");
}

/** Changes what a customer is asked to approve. */
export const writeRequested = (on: Queryable, consentId: string, stored: Requested) =>
  on.query(sql`
    update consent set body = ${JSON.stringify(stored.body)}::json,
      terms = ${JSON.stringify(stored.terms)}::json, permissions = ${stored.permissions}::text[],
      expires_at = ${stored.expires}::timestamptz,
      transactions_from = ${stored.starts}::timestamptz,
      transactions_to = ${stored.stops}::timestamptz
    where consent_id = ${consentId}`);

import { changed, type Why } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Consent } from "./consent.ts";

/**
 * Pauses the payments of an authorised consent, or resumes them. No order is created under a paused
 * consent (`lock_consents`). Its status and its tokens stay as they are. Returns false if nothing
 * has changed. Source: CV-88.
 */
export async function setPaused(
  on: Queryable,
  { consentId }: Pick<Consent, "consentId">,
  isPaused: boolean,
  why: Why,
): Promise<boolean> {
  const rows = await on.query(sql`
    update consent set paused_at = ${isPaused ? why.at : null}, ${changed(why)}
    where consent_id = ${consentId} and deleted_at is null and status = 'AUTH'
      and (paused_at is not null) <> ${isPaused}
    returning consent_id`);
  return rows.length === 1;
}

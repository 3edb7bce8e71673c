import type { Consent } from "#src/consents/consent.ts";
import { consentCreation } from "#src/consents/create-consent.ts";
import { type KeyUse, keyBinding, keyRow } from "#src/payments/request/idempotency-key.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * Creates a consent and binds its key, or does neither and returns false if the key is bound
 * already.
 */
export async function createConsent(
  on: Queryable,
  consent: Consent,
  use: KeyUse,
  interactionId: string,
): Promise<boolean> {
  const ids = sql`select resource_id as consent_id from bound`;
  const bound = sql`bound as (${keyBinding(keyRow(use, consent.consentId, consent.createdAt))}),`;
  const rows = await on.query(consentCreation(ids, consent, interactionId, bound));
  return rows.length === 1;
}

import type { Consent } from "#src/consents/consent.ts";
import { type KeyUse, keyBinding, keyRow } from "#src/payments/request/idempotency-key.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Creates a consent and binds its key, or does neither: false when the key is bound already. */
export async function createConsent(
  on: Queryable,
  consent: Consent,
  use: KeyUse,
  interactionId: string,
): Promise<boolean> {
  const now = consent.createdAt;
  const rows = await on.query(sql`
    with bound as (${keyBinding(keyRow(use, consent.consentId, now))})
    insert into consent (consent_id, kind, api_version, client_id, status, status_reason,
      created_at, status_updated_at, body, terms, changed_by, interaction_id)
    select resource_id, ${consent.kind}::text, ${consent.apiVersion}::text,
      ${consent.clientId}::text, ${consent.status}::text,
      ${JSON.stringify(consent.statusReason)}::json, ${now}::timestamptz, ${now}::timestamptz,
      ${JSON.stringify(consent.body)}::json, ${JSON.stringify(consent.terms)}::json,
      'tpp', ${interactionId}::text
    from bound
    returning consent_id`);
  return rows.length === 1;
}

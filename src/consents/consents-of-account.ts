import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A consent that covers an account, or has covered it. */
export type AccountConsent = {
  consentId: string;
  clientId: string;
  kind: string;
  apiVersion: ApiVersionId;
  status: string;
  expiresAt: Temporal.Instant | null;
  /** When the account left the consent; null if it is still in it. */
  coveredUntil: Temporal.Instant | null;
};

const mostShown = 20;

/**
 * Lists the newest consents that cover an account or have covered it, at most 20, without those of
 * the bank's own channel.
 */
export const listConsentsOfAccount = (
  on: Queryable,
  accountId: string,
  ownChannelId: string,
): Promise<AccountConsent[]> =>
  on.query<AccountConsent>(sql`
    select k.consent_id as "consentId", k.client_id as "clientId", k.kind,
      k.api_version as "apiVersion", k.status,
      k.expires_at as "expiresAt", ca.covered_until as "coveredUntil"
    from consent_account ca join consent k on k.consent_id = ca.consent_id
    where ca.account_id = ${accountId} and k.client_id <> ${ownChannelId}
    order by ca.covered_from desc, k.consent_id limit ${mostShown}::integer`);

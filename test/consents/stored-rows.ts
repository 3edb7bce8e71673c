import type { Evidence } from "#src/consents/consent.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** One authorisation of a consent by its customer, as it is stored. */
export type PastAuthorisation = Evidence & {
  grantId: string;
  customerId: string;
  authorisedAt: Temporal.Instant;
  /** Null while the consent uses the grant. */
  endedAt: Temporal.Instant | null;
  ending: "replaced" | "revoked" | "deleted" | "expired" | "grant destroyed" | null;
};

/** Reads every authorisation of a consent, oldest first. */
export const readAuthorisations = (
  on: Queryable,
  consentId: string,
): Promise<PastAuthorisation[]> =>
  on.query<PastAuthorisation>(sql`
    select grant_id as "grantId", customer_id as "customerId", authorised_at as "authorisedAt",
      acr, amr, challenge_id as "challengeId", shown_hash as "shownHash", ended_at as "endedAt",
      ending
    from consent_authorisation where consent_id = ${consentId}
    order by authorised_at, ended_at nulls last`);

/** An account that a consent covers, or covered until its customer withdrew it, as it is stored. */
export type CoveredAccount = {
  accountId: string;
  coveredFrom: Temporal.Instant;
  coveredUntil: Temporal.Instant | null;
  reason: "withdrawn" | null;
};

/** Reads every account that a consent ever covered, in the order of their ids. */
export const readCoveredAccounts = (on: Queryable, consentId: string): Promise<CoveredAccount[]> =>
  on.query<CoveredAccount>(sql`
    select account_id as "accountId", covered_from as "coveredFrom",
      covered_until as "coveredUntil", reason
    from consent_account where consent_id = ${consentId} order by account_id`);

import type { Evidence } from "#src/consents/consent.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

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
      acr, amr, challenge_id as "challengeId", shown_hash as "shownHash", shown,
      method, answered_at as "answeredAt", ended_at as "endedAt", ending
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

/** Members of a consent that a test sets, without regard to the rules of its statuses. */
type ConsentMembers = {
  status: string;
  grantId: string | null;
  deletedAt: Temporal.Instant | null;
  /** When the consent ends, also while it waits for its customer. */
  expiresAt: Temporal.Instant;
  authenticatedAt: Temporal.Instant | null;
  pausedAt: Temporal.Instant | null;
  apiVersion: string;
  /** JSON text. */
  body: string;
  /** How many holders of the debtor's account must sign. */
  signatoriesRequired: number;
};

const columns: { [Member in keyof ConsentMembers]: (value: ConsentMembers[Member]) => Sql } = {
  status: (value) => sql`status = ${value}`,
  grantId: (value) => sql`grant_id = ${value}`,
  deletedAt: (value) => sql`deleted_at = ${value}`,
  expiresAt: (value) => sql`expires_at = ${value}, lapses_at = ${value}`,
  authenticatedAt: (value) => sql`authenticated_at = ${value}`,
  pausedAt: (value) => sql`paused_at = ${value}`,
  apiVersion: (value) => sql`api_version = ${value}`,
  body: (value) => sql`body = ${value}::json`,
  signatoriesRequired: (value) =>
    sql`debtor = jsonb_set(debtor::jsonb, '{signatoriesRequired}', to_jsonb(${value}::int))::json`,
};

/** Changes a stored consent. */
export async function setConsent(
  on: Queryable,
  consentId: string,
  members: Partial<ConsentMembers>,
): Promise<void> {
  for (const [member, value] of Object.entries(members)) {
    const set = columns[member as keyof ConsentMembers] as (given: unknown) => Sql;
    await on.query(sql`update consent set ${set(value)} where consent_id = ${consentId}`);
  }
}

/** Returns the status of a stored consent. */
export async function consentStatus(on: Queryable, consentId: string): Promise<string | undefined> {
  const [row] = await on.query<{ status: string }>(sql`
    select status from consent where consent_id = ${consentId}`);
  return row?.status;
}

/** Returns how many consents are stored. */
export const countConsents = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from consent`)).length;

/** Returns how many counts of accesses without the customer are stored. */
export const countUnattendedDays = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select day from unattended_access`)).length;

import { showingsColumn } from "#src/consents/authorisations.ts";
import type { Evidence, StatusReason } from "#src/consents/consent.ts";
import { coveredAccountIds } from "#src/consents/consent-account.ts";
import { setStatus } from "#src/consents/set-status.ts";
import { present } from "#src/lib/assert.ts";
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
      acr, amr, method, answered_at as "answeredAt", ${showingsColumn} as showings,
      ended_at as "endedAt", ending
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
  kind: string;
  status: string;
  statusReason: readonly StatusReason[];
  grantId: string | null;
  createdAt: Temporal.Instant;
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
  kind: (value) => sql`kind = ${value}`,
  status: (value) => sql`status = ${value}`,
  statusReason: (value) => sql`status_reason = ${JSON.stringify(value)}::json`,
  grantId: (value) => sql`grant_id = ${value}`,
  createdAt: (value) => sql`created_at = ${value}`,
  deletedAt: (value) => sql`deleted_at = ${value}`,
  expiresAt: (value) => sql`expires_at = ${value}, lapses_at = ${value}`,
  authenticatedAt: (value) => sql`authenticated_at = ${value}`,
  pausedAt: (value) => sql`paused_at = ${value}`,
  apiVersion: (value) => sql`api_version = ${value}`,
  body: (value) => sql`body = ${value}::json`,
  signatoriesRequired: (value) =>
    sql`debtor = jsonb_set(debtor::jsonb, '{signatoriesRequired}', to_jsonb(${value}::int))::json`,
};

/** Changes a stored consent, several of them, or all. */
export async function setConsent(
  on: Queryable,
  which: string | readonly string[] | "all",
  members: Partial<ConsentMembers>,
): Promise<void> {
  const ids = which === "all" ? null : [which].flat();
  for (const [member, value] of Object.entries(members)) {
    const set = columns[member as keyof ConsentMembers] as (given: unknown) => Sql;
    await on.query(sql`
      update consent set ${set(value)}
      where ${ids}::text[] is null or consent_id = any(${ids}::text[])`);
  }
}

/** A consent as it is stored. */
export type StoredConsent = {
  consentId: string;
  kind: string;
  clientId: string;
  status: string;
  reasons: { code: string }[];
  createdAt: Temporal.Instant;
  deletedAt: Temporal.Instant | null;
  customerId: string | null;
  grantId: string | null;
  /** The accounts that it covers. */
  accountIds: string[];
  /** The customer's device, if the bank has stored it. */
  device: object | null;
  revision: number;
  /** The transaction that wrote the row. */
  writtenIn: string;
};

/** Returns the stored consents in the order of their ids: the given ones, or all. */
export const readConsents = (
  on: Queryable,
  consentIds: readonly string[] | null = null,
): Promise<StoredConsent[]> =>
  on.query<StoredConsent>(sql`
    select consent_id as "consentId", kind, client_id as "clientId", status,
      status_reason as reasons, created_at as "createdAt", deleted_at as "deletedAt",
      customer_id as "customerId", grant_id as "grantId",
      ${coveredAccountIds(sql`consent.consent_id`)} as "accountIds",
      terms->'device' as device, revision,
      xmin::text as "writtenIn"
    from consent
    where ${consentIds}::text[] is null or consent_id = any(${consentIds}::text[])
    order by consent_id`);

/** Returns a stored consent. */
export async function readConsent(on: Queryable, consentId: string): Promise<StoredConsent> {
  const [row] = await readConsents(on, [consentId]);
  return present(row, consentId);
}

/** Returns the status of a stored consent. */
export const consentStatus = async (
  on: Queryable,
  consentId: string,
): Promise<string | undefined> => (await readConsents(on, [consentId]))[0]?.status;

/**
 * SQL: gives a consent a status, without regard to the rules of its statuses. The history records
 * the change.
 */
export const changeStatus = (
  consentId: string,
  status: string,
  { by, at }: { by: string; at: Temporal.Instant },
): Sql => sql`
  update consent set status = ${status}, revision = revision + 1, changed_by = ${by},
    changed_at = ${at}
  where consent_id = ${consentId}`;

/** SQL: consumes an authorised consent, as its order does. */
export const consume = (consentId: string, at: Temporal.Instant): Sql => sql`
  update consent set ${setStatus("COND", "ended")}, status_updated_at = ${at}
  where consent_id = ${consentId}`;

/** Deletes all consents. */
export const clearConsents = (on: Queryable): Promise<unknown> =>
  on.query(sql`delete from consent`);

/** Returns how many consents are stored. */
export const countConsents = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from consent`)).length;

/** Returns how many counts of accesses without the customer are stored. */
export const countUnattendedDays = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select day from unattended_access`)).length;

/** Reads what the core has attached to a consent, as it is stored; undefined if it has nothing. */
export async function readAttachedData(
  on: Queryable,
  consentId: string,
): Promise<{ keyId: string; sealed: string } | undefined> {
  const [row] = await on.query<{ keyId: string; sealed: string }>(sql`
    select key_id as "keyId", sealed from attached_data where consent_id = ${consentId}`);
  return row;
}

/** Stores what is attached to one consent with another consent, as somebody might by hand. */
export const copyAttachedData = (on: Queryable, from: string, to: string): Promise<unknown> =>
  on.query(sql`
    insert into attached_data (consent_id, key_id, sealed, check_at)
    select ${to}, key_id, sealed, check_at from attached_data where consent_id = ${from}`);

/** Deletes what is attached to every consent. */
export const clearAttachedData = (on: Queryable): Promise<unknown> =>
  on.query(sql`delete from attached_data`);

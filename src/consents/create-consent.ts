import { recording } from "#src/history/change.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Consent } from "./consent.ts";
import { termsJson } from "./terms.ts";

/** A consent as a TPP creates it: it waits for its customer or for its file. */
type NewConsent = Pick<
  Consent,
  | "kind"
  | "apiVersion"
  | "clientId"
  | "status"
  | "statusReason"
  | "createdAt"
  | "expiresAt"
  | "body"
  | "terms"
  | "permissions"
  | "transactionsFrom"
  | "transactionsTo"
>;

/**
 * Makes the statement that stores a new consent for each row of `ids`, a query with the column
 * `consent_id`, and its history. The statement returns the ids. `before` is the part of its `with`
 * that `ids` reads.
 */
export const consentCreation = (
  ids: Sql,
  consent: NewConsent,
  interactionId: string,
  before: Sql = sql``,
): Sql => sql`
  with ${before} stored as (
  insert into consent (consent_id, kind, api_version, client_id, status, status_reason, created_at,
    status_updated_at, waits_since, expires_at, lapses_at, body, terms, permissions,
    transactions_from, transactions_to, changed_by, interaction_id)
  select given.consent_id, ${consent.kind}::text, ${consent.apiVersion}::text,
    ${consent.clientId}::text, ${consent.status}::text,
    ${JSON.stringify(consent.statusReason)}::json, t.created_at, t.created_at, t.created_at,
    t.expires_at, t.expires_at,
    ${JSON.stringify(consent.body)}::json, ${termsJson(consent.terms)}::json,
    ${consent.permissions}::text[], ${consent.transactionsFrom}::timestamptz,
    ${consent.transactionsTo}::timestamptz, null, null
  from (${ids}) given,
    (select ${consent.createdAt}::timestamptz as created_at,
      ${consent.expiresAt}::timestamptz as expires_at) t
  returning consent_id, api_version, created_at,
    consent_history(status, status_reason::text, grant_id, deleted_at) as facts),
  history as (${recording(sql`
    select 'consent', consent_id, facts, 'tpp', ${interactionId}::text, api_version, created_at
    from stored`)})
  select consent_id from stored`;

import { type Sql, sql } from "#src/storage/sql.ts";
import type { Consent } from "./consent.ts";

/** A consent as a TPP creates it. */
export type NewConsent = Pick<
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
 * `consent_id`. The statement returns the ids.
 */
export const consentCreation = (ids: Sql, consent: NewConsent, interactionId: string): Sql => sql`
  insert into consent (consent_id, kind, api_version, client_id, status, status_reason, created_at,
    status_updated_at, expires_at, body, terms, permissions, transactions_from, transactions_to,
    changed_by, interaction_id)
  select given.consent_id, ${consent.kind}::text, ${consent.apiVersion}::text,
    ${consent.clientId}::text, ${consent.status}::text,
    ${JSON.stringify(consent.statusReason)}::json, ${consent.createdAt}::timestamptz,
    ${consent.createdAt}::timestamptz, ${consent.expiresAt}::timestamptz,
    ${JSON.stringify(consent.body)}::json, ${JSON.stringify(consent.terms)}::json,
    ${consent.permissions}::text[], ${consent.transactionsFrom}::timestamptz,
    ${consent.transactionsTo}::timestamptz, 'tpp', ${interactionId}::text
  from (${ids}) given
  returning consent_id`;

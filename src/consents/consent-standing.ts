import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Consent } from "./consent.ts";

/**
 * The facts that decide whether a consent can be authorised, and what the tokens of its grant may
 * do.
 */
export type ConsentStanding = Pick<
  Consent,
  | "consentId"
  | "kind"
  | "apiVersion"
  | "clientId"
  | "status"
  | "statusReason"
  | "createdAt"
  | "expiresAt"
  | "customerId"
  | "grantId"
> & {
  /** When its customer was authenticated for the current grant. */
  authenticatedAt: Temporal.Instant | null;
};

const standing = sql`select c.consent_id as "consentId", c.kind, c.api_version as "apiVersion",
  c.client_id as "clientId", c.status, c.status_reason as "statusReason",
  c.created_at as "createdAt", c.expires_at as "expiresAt",
  c.customer_id as "customerId", c.grant_id as "grantId",
  c.authenticated_at as "authenticatedAt"
  from consent c`;

/** Selects the standing of a consent that is not deleted. */
export const standingOfConsent = (consentId: string | Sql): Sql =>
  sql`${standing} where c.consent_id = ${consentId} and c.deleted_at is null`;

/** Selects the standing of the consent that a grant belongs to, if it is not deleted. */
export const standingOfGrant = (grantId: string | Sql): Sql =>
  sql`${standing} where c.grant_id = ${grantId} and c.deleted_at is null`;

/** Whether a customer has ever approved a consent of a client. */
export async function hasApproved(
  on: Queryable,
  { clientId, customerId }: { clientId: string; customerId: string },
): Promise<boolean> {
  const row = await first(
    on,
    sql`select 1 from consent where customer_id = ${customerId} and client_id = ${clientId} limit 1`,
  );
  return row !== undefined;
}

/**
 * Lists the newest consents of a client that a customer may be asked to authorise: those that
 * nobody else has authorised.
 */
export const listOpenTo = (
  on: Queryable,
  { clientId, customerId }: { clientId: string; customerId: string },
): Promise<{ consentId: string }[]> =>
  on.query(sql`
    select consent_id as "consentId" from consent
    where client_id = ${clientId} and deleted_at is null and status in ('AWAU', 'AUTH')
      and (customer_id is null or customer_id = ${customerId})
    order by created_at desc limit 50`);

import { type Sql, sql } from "#src/storage/sql.ts";

/** The part of an access row that comes from the consent: its columns, and the table to join. */
export const accessConsent = {
  columns: sql`c.consent_id as consent_id,
    c.api_version as consent_api_version, c.status as consent_status,
    c.expires_at as consent_expires_at, c.customer_id as consent_customer_id,
    c.permissions as consent_permissions, c.transactions_from as consent_transactions_from,
    c.transactions_to as consent_transactions_to, c.authenticated_at as consent_authenticated_at`,
  /** Joins the consent in use that has this current grant. */
  ofGrant: (grantId: Sql): Sql =>
    sql`consent c on c.grant_id = ${grantId} and c.deleted_at is null`,
};

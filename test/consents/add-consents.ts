import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** A consent to store, in any state. Brackets contain the value of an absent member. */
export type GivenConsent = {
  consentId: string;
  kind: string;
  clientId: string;
  status: string;
  /** When it was created, and got its status. */
  at: Temporal.Instant;
  /** [`pisp-v4.0`] */
  apiVersion?: string;
  /** Whether the consent waits for its customer [false] */
  waits?: boolean;
  expiresAt?: Temporal.Instant | null | undefined;
  deletedAt?: Temporal.Instant;
  /** [`{}`] */
  body?: object;
  permissions?: readonly string[];
  /** The period of the transactions, as the request gives it. */
  from?: string | undefined;
  to?: string | undefined;
  customerId?: string;
  grantId?: string;
  authorisedAt?: Temporal.Instant;
  authenticatedAt?: Temporal.Instant;
  /** The cause of the creation [`bank`] */
  changedBy?: string;
  /** The accounts that it has covered since `at`. */
  accountIds?: readonly string[];
};

/** Stores consents, all in one statement. */
export const addConsents = (on: Queryable, given: readonly GivenConsent[]): Promise<unknown> =>
  on.query(sql`
    with given as materialized (
      select "consentId", kind, "clientId", status, at, "apiVersion", waits, "expiresAt",
        "deletedAt", body, permissions, "from", "to", "customerId", "grantId", "authorisedAt",
        "authenticatedAt", "changedBy", "accountIds"
      from json_to_recordset(${givenRows(given)}::json) as g(
        "consentId" text, kind text, "clientId" text, status consent_status, at timestamptz,
        "apiVersion" text, waits boolean, "expiresAt" timestamptz, "deletedAt" timestamptz,
        body json, permissions text[], "from" timestamptz, "to" timestamptz, "customerId" text,
        "grantId" text, "authorisedAt" timestamptz, "authenticatedAt" timestamptz,
        "changedBy" text, "accountIds" text[])
    ), stored as (
      insert into consent (consent_id, kind, client_id, status, created_at, status_updated_at,
        api_version, waits_since, expires_at, lapses_at, deleted_at, body, permissions,
        transactions_from, transactions_to, customer_id, grant_id, authorised_at,
        authenticated_at, changed_by, changed_at)
      select "consentId", kind, "clientId", status, at, at, coalesce("apiVersion", 'pisp-v4.0'),
        case when waits then at end, "expiresAt", "expiresAt", "deletedAt",
        coalesce(body, '{}'::json), coalesce(permissions, '{}'), "from", "to", "customerId",
        "grantId", "authorisedAt", "authenticatedAt", coalesce("changedBy", 'bank'),
        case when "changedBy" is not null then at end
      from given
    )
    insert into consent_account (consent_id, account_id, covered_from)
    select "consentId", account_id, at from given, unnest("accountIds") as account_id`);

/** Stores copies of a consent that their customer has ended: each authorised a second later. */
export const addEndedCopies = (on: Queryable, consentId: string, count: number): Promise<unknown> =>
  on.query(sql`
    insert into consent (consent_id, kind, api_version, client_id, status, created_at,
      status_updated_at, body, terms, customer_id, debtor, authorised_at)
    select consent_id || '-' || n, kind, api_version, client_id, 'CANC', created_at,
      status_updated_at, body, terms, customer_id, debtor, authorised_at + n * interval '1 second'
    from consent, generate_series(1, ${count}::integer) n where consent_id = ${consentId}`);

/** Stores copies of a consent, each with its number behind the id. */
export const addCopies = (on: Queryable, consentId: string, count: number): Promise<unknown> =>
  on.query(sql`
    insert into consent
    select c.* from consent k, generate_series(1, ${count}::integer) n,
      jsonb_populate_record(k, jsonb_build_object('consent_id', k.consent_id || n)) c
    where k.consent_id = ${consentId}`);

import type { KindId } from "#src/standard/kind-id.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * SQL: consents, including deleted ones, as a table for other rooms' statements: `join
 * ${consentFacts} c`. The planner flattens the subquery, so it costs no more than the table itself.
 */
export const consentFacts: Sql = sql`(
  select consent_id, kind, api_version, status, created_at, body, terms, authorised_at, expires_at
  from consent)`;

/** The table of consents and its key, for checks that read it in slices. */
export const consentKey = { table: sql`consent`, column: sql`consent_id` };

/** The TPP and the kind of each consent, as the events of its changes need them. */
export const consentSubjects: Sql = sql`
  select consent_id as object_id, client_id, kind, consent_id as resource_id, api_version
  from consent`;

/** The same of each authorised consent of a kind that covers an account, for its changes. */
export const coveredAccountSubjects = (kind: KindId): Sql => sql`
  select ca.account_id as object_id, c.client_id, c.kind, c.consent_id as resource_id,
    c.api_version
  from consent_account ca join consent c on c.consent_id = ca.consent_id
  where ca.covered_until is null and c.kind = ${kind} and c.status = 'AUTH'
    and c.deleted_at is null`;

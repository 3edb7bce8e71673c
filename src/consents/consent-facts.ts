import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * SQL: consents, including deleted ones, as a table for other rooms' statements: `join
 * ${consentFacts} c`. The planner flattens the subquery, so it costs no more than the table itself.
 */
export const consentFacts: Sql = sql`(
  select consent_id, kind, api_version, status, body, terms, authorised_at, expires_at
  from consent)`;

/** The table of consents and its key, for checks that read it in slices. */
export const consentKey = { table: sql`consent`, column: sql`consent_id` };

/** The TPP and the kind of each consent, as the events of its changes need them. */
export const consentSubjects: Sql = sql`select consent_id as object_id, client_id, kind from consent`;

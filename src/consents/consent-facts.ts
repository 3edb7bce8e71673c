import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Consents, deleted ones too, as a table for statements of other rooms: `join ${consentFacts} c`.
 * The planner flattens it, so that it costs what the table itself costs.
 */
export const consentFacts: Sql = sql`(
  select consent_id, kind, api_version, status, body, terms from consent)`;

/** The table of consents with its key, for checks that go through it slice by slice. */
export const consentKey = { table: sql`consent`, column: sql`consent_id` };

/** Locks a consent until the end of the transaction: whoever uses it next waits. */
export const lockedConsent = (consentId: string): Sql =>
  sql`select consent_id from consent where consent_id = ${consentId} for update`;

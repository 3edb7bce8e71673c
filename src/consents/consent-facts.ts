import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Consents, including deleted ones, as a table for statements of other rooms: `join ${consentFacts}
 * c`. The planner flattens it, so it costs no more than the table itself.
 */
export const consentFacts: Sql = sql`(
  select consent_id, kind, api_version, status, body, terms from consent)`;

/** The table of consents with its key, for checks that read it slice by slice. */
export const consentKey = { table: sql`consent`, column: sql`consent_id` };

/** Locks a consent until the end of the transaction, so that the next user waits. */
export const lockedConsent = (consentId: string): Sql =>
  sql`select consent_id from consent where consent_id = ${consentId} for update`;

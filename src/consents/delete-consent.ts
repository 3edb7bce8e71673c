import { changed, type Why } from "#src/history/change.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { consentDeletion } from "./consent.ts";
import { setDeleted } from "./set-status.ts";

/** Makes the statements that delete the tokens of grants, given a query of their ids. */
export type GrantDeletions = (grantIds: Sql) => readonly [tokens: Sql, artifacts: Sql];

/**
 * Deletes a consent for its TPP, with the tokens of its grant, in one statement. The consent stays
 * as a record. Source: A-098…A-103, V-073…V-077.
 */
export function deletionWithTokens(
  consentId: string,
  why: Why,
  grantDeletions: GrantDeletions,
): Sql {
  const [tokens, artifacts] = grantDeletions(sql`select grant_id from gone`);
  return sql`
    with gone as (${consentDeletion(consentId, why)}),
    tokens as (${tokens})
    ${artifacts}`;
}

/**
 * Deletes a client's consents of these kinds, with the tokens of their grants, in one statement.
 * The consents stay as records.
 */
export function clientConsentDeletion(
  clientId: string,
  kinds: readonly KindId[],
  why: Why,
  grantDeletions: GrantDeletions,
): Sql {
  const [tokens, artifacts] = grantDeletions(sql`select grant_id from gone`);
  return sql`
    with gone as (
      update consent set ${setDeleted(why.at)}, ${changed(why)}
      where client_id = ${clientId} and kind = any(${kinds}::text[]) and deleted_at is null
      returning grant_id
    ),
    tokens as (${tokens})
    ${artifacts}`;
}

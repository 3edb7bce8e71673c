import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Makes the statements that delete everything that was issued under grants, given a query with the
 * column `grant_id`: for statements that end grants for other reasons.
 */
export const grantDeletions = (grantIds: Sql): readonly [tokens: Sql, artifacts: Sql] => [
  sql`delete from access_token where grant_id in (${grantIds})`,
  sql`delete from oidc_artifact where grant_id in (${grantIds})`,
];

/** Makes the statement that deletes one access token, given its hash. */
export const tokenDeletion = (tokenHash: string): Sql =>
  sql`delete from access_token where token_hash = ${tokenHash}`;

/** Makes the statement that deletes every access token of a client. */
export const tokensOfClient = (clientId: string): Sql =>
  sql`delete from access_token where client_id = ${clientId}`;

import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Makes the statements that delete everything that was issued under grants, given a query with the
 * column `grant_id`: for statements that end grants for other reasons.
 */
export const grantDeletions = (grantIds: Sql): readonly [tokens: Sql, artifacts: Sql] => [
  sql`delete from access_token where grant_id in (${grantIds})`,
  sql`delete from oidc_artifact where grant_id in (${grantIds})`,
];

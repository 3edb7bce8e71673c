import { type Sql, sql } from "#src/storage/sql.ts";

/** A code that was exchanged, and the access token for it, by their hashes. */
export type CodeExchange = { codeHash: string; tokenHash: string };

/**
 * Takes back an exchange whose tokens were never delivered, because the id_token could not be
 * signed. The client can send the code again. Without this, the library would take the repetition
 * for theft and end the customer's grant.
 */
export const takeBack = ({ codeHash, tokenHash }: CodeExchange): Sql => sql`
  with gone as (delete from access_token where token_hash = ${tokenHash} returning client_id)
  update oidc_artifact set consumed_at = null
  where model = 'AuthorizationCode' and id_hash = ${codeHash} and exists (select from gone)`;

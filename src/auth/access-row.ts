import { accessClient } from "#src/clients/access-client.ts";
import { accessConsent } from "#src/consents/access-consent.ts";
import type { AccessSql } from "#src/http/access/access.ts";
import { sql } from "#src/storage/sql.ts";

/** The row of a token: the token, its client and the consent whose current grant it belongs to. */
export const accessRow: AccessSql = (tokenHash) => sql`
  select t.kind as token_kind, t.client_id as token_client_id, t.scope as token_scope,
    t.certificate_thumbprint as token_thumbprint, t.expires_at as token_expires_at,
    ${accessClient.columns(sql`t.scope`)}, ${accessConsent.columns}
  from access_token t
  join ${accessClient.of(sql`t.client_id`)}
  left join ${accessConsent.ofGrant(sql`t.grant_id`)}
  where t.token_hash = ${tokenHash}`;

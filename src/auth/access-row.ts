import { accessConsent } from "#src/consents/access-consent.ts";
import type { AccessSql } from "#src/http/access-row.ts";
import { sql } from "#src/storage/sql.ts";

/** The row of a token: the token, its client and the consent whose current grant it belongs to. */
export const accessRow: AccessSql = (tokenHash) => sql`
  select t.kind as token_kind, t.client_id as token_client_id, t.scope as token_scope,
    t.certificate_thumbprint as token_thumbprint, t.expires_at as token_expires_at,
    cl.organisation_id as client_organisation_id,
    cl.software_id as client_software_id, cl.status as client_status,
    cl.certificate_bound as client_certificate_bound,
    cl.jwks_version as client_jwks_version, ${accessConsent.columns}
  from access_token t
  join client cl on cl.client_id = t.client_id
  left join ${accessConsent.ofGrant(sql`t.grant_id`)}
  where t.token_hash = ${tokenHash}`;

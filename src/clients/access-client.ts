import { type Sql, sql } from "#src/storage/sql.ts";

/** The client of an access row: the columns that it adds, and the table to join for them. */
export const accessClient = {
  /** The columns, given the scope of the token: a client is suspended for its withheld scopes. */
  columns: (scope: Sql): Sql => sql`cs.organisation_id as client_organisation_id,
    cs.software_id as client_software_id,
    case when cs.withheld_scopes && string_to_array(${scope}, ' ') then 'suspended'
      else cs.status end as client_status,
    cs.scheme_status as client_scheme_status,
    cs.certificate_bound as client_certificate_bound,
    cs.jwks_version as client_jwks_version`,
  /** Joins the state of the given client: one row, whose columns rarely change. */
  of: (clientId: Sql): Sql => sql`client_setting cs on cs.client_id = ${clientId}`,
};

/** SQL: the scopes that a client may not use now; null if the client is not served at all. */
export const withheldScopes = (clientId: Sql): Sql => sql`
  select cs.withheld_scopes from client_setting cs
  where cs.client_id = ${clientId} and cs.status = 'active'`;

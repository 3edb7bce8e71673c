import { type Sql, sql } from "#src/storage/sql.ts";

/** The client of an access row: the columns that it adds, and the tables to join for them. */
export const accessClient = {
  columns: sql`cl.organisation_id as client_organisation_id,
    cl.software_id as client_software_id, cs.status as client_status,
    cs.certificate_bound as client_certificate_bound,
    cl.jwks_version as client_jwks_version`,
  /** Joins the client that is given, with the bank's settings for it. */
  of: (clientId: Sql): Sql => sql`client cl on cl.client_id = ${clientId}
    join client_setting cs on cs.client_id = ${clientId}`,
};

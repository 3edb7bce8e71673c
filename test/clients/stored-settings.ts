import { present } from "#src/lib/assert.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Sets the status of a client, as its operator does. */
export const setClientStatus = (
  on: Queryable,
  clientId: string,
  status: string,
): Promise<unknown> =>
  on.query(sql`update client_setting set status = ${status} where client_id = ${clientId}`);

/** Withdraws all contracts, and the status in the scheme, of every client. */
export const clearContracts = (on: Queryable): Promise<unknown> =>
  on.query(sql`update client_setting set vrp_contracts = '[]', scheme_status = null`);

/** The status of a client in the commercial scheme; null if it is not known. */
export async function readSchemeStatus(on: Queryable, clientId: string): Promise<string | null> {
  const [row] = await on.query<{ status: string | null }>(
    sql`select scheme_status as status from client_setting where client_id = ${clientId}`,
  );
  return row?.status ?? null;
}

/** Withholds scopes of a client, as its directory does. */
export const withholdScopes = (
  on: Queryable,
  clientId: string,
  scopes: readonly string[],
): Promise<unknown> =>
  on.query(sql`
    update client_setting set withheld_scopes = ${scopes}::text[] where client_id = ${clientId}`);

/** Registers another certificate subject for a client, or none. */
export const setCertificateSubject = (
  on: Queryable,
  clientId: string,
  subject: string | null,
): Promise<unknown> =>
  on.query(sql`
    update client set certificate_subject = ${subject} where client_id = ${clientId}`);

/** Registers a client for polls instead of pings. */
export const stopPings = (on: Queryable, clientId: string): Promise<unknown> =>
  on.query(sql`
    update client set metadata = (metadata::jsonb - 'backchannel_client_notification_endpoint'
      || '{"backchannel_token_delivery_mode": "poll"}')::json
    where client_id = ${clientId}`);

/** Returns how many clients are stored. */
export const countClients = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from client`)).length;

/** The registration of a client as it is stored, with its organisation, software and keys. */
export async function readRegistration(
  on: Queryable,
  clientId: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await on.query<Record<string, unknown>>(sql`
    select s.statement_issuer, s.jwks_uri, s.revoked_jwks_uri, s.keys_due_at > now() as due,
      s.name, s.on_behalf_of, s.roles, o.name as organisation, cl.certificate_subject,
      cs.status, cs.certificate_bound,
      (select json_agg(json_build_array(k.kid, k.use, k.jwk, k.state, k.source))
        from client_key k where k.client_id = cl.client_id) as keys
    from client cl join client_setting cs on cs.client_id = cl.client_id
    join software s on s.software_id = cl.software_id
    join organisation o on o.organisation_id = cl.organisation_id
    where cl.client_id = ${clientId}`);
  return row;
}

/** Makes the keys of a software overdue for a request to its directory. */
export const ageKeys = (on: Queryable, softwareId: string): Promise<unknown> =>
  on.query(sql`
    update software set keys_due_at = now() - interval '2 days'
    where software_id = ${softwareId}`);

/** Names the firm for which the software with a name acts. */
export const setOnBehalfOf = (on: Queryable, name: string, firm: string): Promise<unknown> =>
  on.query(sql`update software set on_behalf_of = ${firm} where name = ${name}`);

/** Locks the rows of all organisations until the transaction ends. */
export const lockOrganisations = (on: Queryable): Promise<unknown> =>
  on.query(sql`select 1 from organisation for update`);

/** Deletes the row of a client. */
export const removeClient = (on: Queryable, clientId: string): Promise<unknown> =>
  on.query(sql`delete from client where client_id = ${clientId}`);

/** Returns when a client was registered. */
export async function registeredAt(on: Queryable, clientId: string): Promise<Temporal.Instant> {
  const [row] = await on.query<{ at: Temporal.Instant }>(
    sql`select created_at as at from client where client_id = ${clientId}`,
  );
  return present(row, clientId).at;
}

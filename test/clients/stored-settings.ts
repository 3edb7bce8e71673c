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

/** Returns how many clients are stored. */
export const countClients = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from client`)).length;

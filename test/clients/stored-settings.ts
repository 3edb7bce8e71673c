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

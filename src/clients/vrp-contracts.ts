import { changed, type Why } from "#src/history/change.ts";
import type { commercialVrpTypes, SchemeStatus } from "#src/standard/shared/vrp-types.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The possible purposes of a contract's payments, in the bank's words. Source: B-187. */
export const vrpPurposes = [
  "bills",
  "subscriptions",
  "purchases",
  "finance",
  "government",
] as const;

/** The purpose of a contract's payments. */
export type VrpPurpose = (typeof vrpPurposes)[number];

/**
 * A contract between the bank and a TPP for payments within limits other than sweeping. Only a
 * TPP with a contract may create consents to such payments. Source: B-180, B-181.
 */
export type VrpContract = {
  /** The contract's id at the bank, which the metering of its payments names. */
  contractId: string;
  /** The types of payments that it covers. */
  types: (typeof commercialVrpTypes)[number][];
  purpose: VrpPurpose;
  /** The first date on which consents may be created. */
  from: string;
  /** The last date on which consents may be created; null if there is none. */
  until: string | null;
  /** Whether a consent may omit the payee, so that each payment names its own. Source: V-007. */
  payeePerPayment: boolean;
  /** Whether the TPP may authenticate the customer for each payment. Source: V-011. */
  tppAuthenticates: boolean;
  /** The largest amount, in pence, that a consent may allow for one payment; null for any. */
  maximumMinor: number | null;
};

/** An organisation's status in the commercial scheme; null if it is not known. */
export type SchemeStanding = { organisationId: string; status: SchemeStatus | null };

/**
 * Stores the statuses of organisations in the commercial scheme, for all their clients. Returns the
 * clients whose status has changed. Source: CV-18, CV-25.
 */
export const storeSchemeStatuses = (
  on: Queryable,
  standings: readonly SchemeStanding[],
  why: Why,
): Promise<{ clientId: string }[]> =>
  on.query(sql`
    update client_setting cs set ${changed(why)}, scheme_status = l.status
    from json_to_recordset(${JSON.stringify(standings)}::json)
      as l("organisationId" text, status text)
    where cs.organisation_id = l."organisationId" and cs.scheme_status is distinct from l.status
    returning cs.client_id as "clientId"`);

/** The organisation of a client; null if the client is unknown. */
export async function organisationOf(on: Queryable, clientId: string): Promise<string | null> {
  const row = await first<{ organisationId: string }>(
    on,
    sql`select organisation_id as "organisationId" from client_setting
      where client_id = ${clientId}`,
  );
  return row?.organisationId ?? null;
}

/** Lists the clients whose organisation is out of the commercial scheme. */
export async function listRevokedClients(on: Queryable): Promise<string[]> {
  const rows = await on.query<{ clientId: string }>(
    sql`select client_id as "clientId" from client_setting where scheme_status = 'Revoked'`,
  );
  return rows.map(({ clientId }) => clientId);
}

/** A contract and its TPP. */
export type ClientVrpContract = VrpContract & { clientId: string; clientName: string };

/** Lists the contracts of a client, current or not. */
export async function loadVrpContracts(on: Queryable, clientId: string): Promise<VrpContract[]> {
  const row = await first<{ contracts: VrpContract[] }>(
    on,
    sql`select vrp_contracts as contracts from client_setting where client_id = ${clientId}`,
  );
  return row?.contracts ?? [];
}

/** Lists the contracts of all clients. */
export async function listVrpContracts(on: Queryable): Promise<ClientVrpContract[]> {
  const rows = await on.query<Pick<ClientVrpContract, "clientId" | "clientName"> & Held>(sql`
    select cs.client_id as "clientId", s.name as "clientName", k.contract
    from client_setting cs
    join software s on s.software_id = cs.software_id
    cross join json_array_elements(cs.vrp_contracts) as k(contract)
    order by s.name, cs.client_id, k.contract->>'contractId'`);
  return rows.map(({ contract, ...client }) => ({ ...client, ...contract }));
}

type Held = { contract: VrpContract };

/**
 * Stores a contract in the settings of a client, in place of the one with the same id. Returns
 * false if the client is unknown.
 */
export async function grantVrpContract(
  on: Queryable,
  clientId: string,
  contract: VrpContract,
  why: Why,
): Promise<boolean> {
  const rows = await on.query(sql`
    update client_setting set ${changed(why)}, vrp_contracts = (
      select json_agg(k.contract order by k.contract->>'contractId')
      from (
        select contract from json_array_elements(vrp_contracts) as held(contract)
        where contract->>'contractId' <> ${contract.contractId}
        union all select ${JSON.stringify(contract)}::json
      ) k)
    where client_id = ${clientId} returning client_id`);
  return rows.length === 1;
}

/**
 * Removes a contract from the settings of a client, whose history keeps it. Returns false if the
 * client does not have that contract.
 */
export async function withdrawVrpContract(
  on: Queryable,
  clientId: string,
  contractId: string,
  why: Why,
): Promise<boolean> {
  const rows = await on.query(sql`
    update client_setting set ${changed(why)}, vrp_contracts = (
      select coalesce(json_agg(contract order by contract->>'contractId'), '[]')
      from json_array_elements(vrp_contracts) as held(contract)
      where contract->>'contractId' <> ${contractId})
    where client_id = ${clientId} and exists (
      select from json_array_elements(vrp_contracts) as held(contract)
      where contract->>'contractId' = ${contractId})
    returning client_id`);
  return rows.length === 1;
}

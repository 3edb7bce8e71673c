import { changed, type Why } from "#src/history/change.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** Whether a client is served. */
export type ClientStatus = "active" | "suspended" | "removed";

/** A registered client as its operators and its TPP see it. */
export type ClientRecord = {
  clientId: string;
  status: ClientStatus;
  /** Null unless the client is suspended. */
  suspendedBy: "bank" | "directory" | null;
  /** Why the directory's status suspended it; null without such a reason. */
  suspendedBecause: string | null;
  /** The registered scopes that the directory no longer allows. */
  withheldScopes: string[];
  /** When the directory's status was last read; null for never. */
  statusReadAt: Temporal.Instant | null;
  organisationId: string;
  organisationName: string;
  softwareId: string;
  softwareName: string;
  onBehalfOf: string | null;
  roles: string[];
  /** The issuer of its software statement; null if the bank registered it without one. */
  statementIssuer: string | null;
  jwksUri: string | null;
  metadata: Record<string, unknown>;
  certificateSubject: string | null;
  createdAt: Temporal.Instant;
  changedAt: Temporal.Instant | null;
};

const record: Sql = sql`
  select cl.client_id as "clientId", cs.status, cs.suspended_by as "suspendedBy",
    cs.suspended_because as "suspendedBecause", cs.withheld_scopes as "withheldScopes",
    s.status_read_at as "statusReadAt", cl.organisation_id as "organisationId",
    o.name as "organisationName", cl.software_id as "softwareId", s.name as "softwareName",
    s.on_behalf_of as "onBehalfOf", s.roles, s.statement_issuer as "statementIssuer",
    s.jwks_uri as "jwksUri", cl.metadata, cl.certificate_subject as "certificateSubject",
    cl.created_at as "createdAt", cs.changed_at as "changedAt"
  from client cl
  join client_setting cs on cs.client_id = cl.client_id
  join software s on s.software_id = cl.software_id
  join organisation o on o.organisation_id = cl.organisation_id`;

/** Loads a client in any status; undefined if there is none. */
export const loadClient = (on: Queryable, clientId: string): Promise<ClientRecord | undefined> =>
  first<ClientRecord>(on, sql`${record} where cl.client_id = ${clientId}`);

/** Loads the clients of a piece of software, in any status. */
export const listClientsOf = (on: Queryable, softwareId: string): Promise<ClientRecord[]> =>
  on.query<ClientRecord>(sql`${record} where cl.software_id = ${softwareId} order by cl.client_id`);

/**
 * Changes the status of a client, as the bank decides. A client that the directory suspended can be
 * suspended by the bank too; the directory then no longer restores it. Returns false if the client
 * is unknown, removed, or has that status already.
 */
export async function setClientStatus(
  on: Queryable,
  clientId: string,
  status: ClientStatus,
  why: Why,
): Promise<boolean> {
  const rows = await on.query(sql`
    update client_setting set status = ${status}, suspended_because = null, ${changed(why)},
      suspended_by = ${status === "suspended" ? "bank" : null}
    where client_id = ${clientId} and status <> 'removed'
      and (status <> ${status} or suspended_by = 'directory') returning client_id`);
  return rows.length === 1;
}

/** Lists the clients, the newest first. */
export const listClients = (on: Queryable, limit: number): Promise<ClientRecord[]> =>
  on.query<ClientRecord>(sql`${record} order by cl.created_at desc, cl.client_id limit ${limit}`);

/** A key of a client as its operators see it. */
type KeyRecord = { kid: string; use: string; state: string; source: string };

/** Lists the keys of a client, those in use first. */
export const listKeys = (on: Queryable, clientId: string): Promise<KeyRecord[]> =>
  on.query<KeyRecord>(sql`
    select kid, use, state, source from client_key where client_id = ${clientId}
    order by state, created_at, kid`);

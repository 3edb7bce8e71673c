import { changed, type Why } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { ClientRecord } from "./client-record.ts";

/** Software whose status a directory gives. */
export type ListedSoftware = { softwareId: string; organisationId: string; issuer: string };

const listed: Sql = sql`s.software_id as "softwareId", s.organisation_id as "organisationId",
  s.statement_issuer as issuer`;

/** Finds the software of a client; no row if the bank registered it without a statement. */
export const listedSoftwareOf = (clientId: string): Sql => sql`
  select ${listed} from client cl join software s on s.software_id = cl.software_id
  where cl.client_id = ${clientId} and s.statement_issuer is not null`;

/**
 * Takes software of these issuers whose status is due. Another process does not take it again
 * before `until`, at which it is due again if this process fails.
 */
export const takeDueStatus = (
  issuers: readonly string[],
  { now, until }: { now: Temporal.Instant; until: Temporal.Instant },
  limit: number,
): Sql => sql`
  update software s set status_due_at = ${until}
  where s.software_id in (
    select d.software_id from software d
    where d.statement_issuer = any(${issuers}::text[])
      and (d.status_due_at is null or d.status_due_at <= ${now})
      and exists (
        select from client cl join client_setting cs on cs.client_id = cl.client_id
        where cl.software_id = d.software_id and cs.status <> 'removed')
    order by d.status_due_at nulls first limit ${limit} for update skip locked)
  returning ${listed}`;

/** Notes that the status of software was read, and when it is to be read again. */
export const statusReading = (
  softwareId: string,
  { at, dueAt }: { at: Temporal.Instant; dueAt: Temporal.Instant },
): Sql => sql`
  update software set status_read_at = ${at}, status_due_at = ${dueAt}
  where software_id = ${softwareId}`;

/** What decides whether a client is served. */
export type ClientStanding = Pick<
  ClientRecord,
  "clientId" | "status" | "suspendedBy" | "suspendedBecause" | "withheldScopes"
> & {
  /** The registered scope. */
  scope: string;
};

/** Locks the clients of software that are not removed, and returns their standing. */
export const lockStandings = (on: Queryable, softwareId: string): Promise<ClientStanding[]> =>
  on.query<ClientStanding>(sql`
    select cs.client_id as "clientId", cs.status, cs.suspended_by as "suspendedBy",
      cs.suspended_because as "suspendedBecause", cs.withheld_scopes as "withheldScopes",
      coalesce(cl.metadata ->> 'scope', '') as scope
    from client_setting cs join client cl on cl.client_id = cs.client_id
    where cl.software_id = ${softwareId} and cs.status <> 'removed'
    order by cs.client_id for update of cs`);

/** Stores a standing that the directory's status leads to. */
export const standingChange = (
  { clientId, status, suspendedBy, suspendedBecause, withheldScopes }: ClientStanding,
  why: Why,
): Sql => sql`
  update client_setting set status = ${status}, suspended_by = ${suspendedBy},
    suspended_because = ${suspendedBecause}, withheld_scopes = ${withheldScopes}::text[],
    ${changed(why)}
  where client_id = ${clientId}`;

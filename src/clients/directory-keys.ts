import { changed, type Why } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** Software whose keys a directory publishes. */
export type PublishedSoftware = {
  softwareId: string;
  issuer: string;
  jwksUri: string;
  revokedJwksUri: string | null;
};

const published: Sql = sql`s.software_id as "softwareId", s.statement_issuer as issuer,
  s.jwks_uri as "jwksUri", s.revoked_jwks_uri as "revokedJwksUri"`;

/** Finds the software of a client; no row if its keys came with the registration. */
export const softwareOfClient = (clientId: string): Sql => sql`
  select ${published} from client cl join software s on s.software_id = cl.software_id
  where cl.client_id = ${clientId} and s.jwks_uri is not null`;

/**
 * Takes software whose keys are due. Another process does not take it again before `until`, at
 * which it is due again if this process fails.
 */
export const takeDueSoftware = (
  now: Temporal.Instant,
  until: Temporal.Instant,
  limit: number,
): Sql => sql`
  update software s set keys_due_at = ${until}
  where s.software_id in (
    select d.software_id from software d where d.keys_due_at <= ${now}
    order by d.keys_due_at limit ${limit} for update skip locked)
  returning ${published}`;

/** Keys as a directory publishes them. */
type PublishedKeys = {
  active: readonly { kid: string; use: string }[];
  revoked: readonly string[];
};

/**
 * Why published keys are stored, when they were read, and when they must be read again; null for
 * never.
 */
type KeyReading = { why: Why; at: Temporal.Instant; dueAt: Temporal.Instant | null };

/**
 * Stores the keys of software for each of its clients. A key that is no longer published is
 * retired, and a revoked one is withdrawn permanently. Unchanged keys are not written. A client's
 * row is changed before its keys, so that its history has the cause. The transaction must have the
 * lock of `lockSoftware`.
 */
export async function storePublishedKeys(
  on: Queryable,
  softwareId: string,
  { active, revoked }: PublishedKeys,
  { why, at, dueAt }: KeyReading,
): Promise<void> {
  const keys = JSON.stringify(active.map((jwk) => ({ kid: jwk.kid, use: jwk.use, jwk })));
  await on.query(sql`
    with published as (
      select p.kid, p.use, p.jwk from json_to_recordset(${keys}::json)
        as p(kid text, use text, jwk json)
      where not p.kid = any(${revoked}::text[])
    ), owner as (
      update software set keys_read_at = ${at}, keys_due_at = ${dueAt}
      where software_id = ${softwareId} returning software_id
    ), due as (
      select k.client_id, k.kid, k.use, k.jwk, k.source,
        case when k.kid = any(${revoked}::text[]) then 'withdrawn' else 'retired' end as state
      from owner o join client cl on cl.software_id = o.software_id
      join client_key k on k.client_id = cl.client_id
      where case when k.kid = any(${revoked}::text[]) then k.state <> 'withdrawn'
        else k.state = 'active' and k.source = 'directory'
          and not exists (select from published p where p.kid = k.kid) end
      union all
      select cl.client_id, p.kid, p.use, p.jwk, 'directory', 'active'
      from owner o join client cl on cl.software_id = o.software_id cross join published p
      left join client_key k on k.client_id = cl.client_id and k.kid = p.kid
      where k.kid is null or k.state = 'retired'
        or k.state = 'active' and k.jwk::text is distinct from p.jwk::text
    ), explained as (
      update client_setting set ${changed(why)}
      where client_id in (select d.client_id from due d) returning client_id
    )
    insert into client_key as k (client_id, kid, use, jwk, state, source, created_at)
    select d.client_id, d.kid, d.use, d.jwk, d.state, d.source, ${at}::timestamptz
    from explained e join due d on d.client_id = e.client_id
    on conflict (client_id, kid) do update
    set state = excluded.state, use = excluded.use, jwk = excluded.jwk, source = excluded.source
    where k.state <> 'withdrawn'`);
}

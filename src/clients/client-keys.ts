import { createPublicKey, type KeyObject } from "node:crypto";
import { changed, type Why } from "#src/history/change.ts";
import type { ClientKeys, HttpKit } from "#src/http/kit.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

// The public keys of clients: how a JWK is imported, how signatures find the keys, and how the keys
// that a directory publishes are stored.

/** The signature algorithms that FAPI allows. */
export type Algorithm = "PS256" | "ES256";

/** The members of a public JWK that are read. */
export type KeyMembers = {
  kty?: string;
  n?: string;
  e?: string;
  crv?: string;
  x?: string;
  y?: string;
};

const shortestModulus = 2048;

/**
 * Imports a key for an algorithm. Returns null if the key does not fit it or is invalid: a set may
 * contain keys of other algorithms, and such a key must not affect the others. Source: R-094.
 */
export function importKey(jwk: KeyMembers, algorithm: Algorithm): KeyObject | null {
  const { kty = "", n = "", e = "", crv = "", x = "", y = "" } = jwk;
  const isRsa = kty === "RSA" && Buffer.from(n, "base64url").length * 8 >= shortestModulus;
  const isEc = kty === "EC" && crv === "P-256";
  if (algorithm === "PS256" ? !isRsa : !isEc) return null;
  try {
    const members: Record<string, string> = isRsa ? { kty, n, e } : { kty, crv, x, y };
    return createPublicKey({ key: members, format: "jwk" });
  } catch {
    return null;
  }
}

/** Where a client's keys are, and the clock that decides whether a key is valid. */
type ClientKeyDeps = { database: Queryable; clock: Clock; refreshKeys?: RefreshKeys };

/**
 * Reads a client's keys from its directory, because a request names an unknown `kid`. Returns
 * whether the stored keys may have changed.
 */
export type RefreshKeys = (clientId: string, kid: string) => Promise<boolean>;

type CachedKeys = { version: number; until: number; keys: Promise<ClientKeys> };

const manyClients = 1000;

/**
 * The condition of a key `k` that is accepted at a time: active, and within its validity period.
 */
export const isAcceptedKey = (now: Temporal.Instant): Sql => sql`k.state = 'active'
  and (k.not_before is null or k.not_before <= ${now})
  and (k.not_after is null or k.not_after > ${now})`;

/**
 * Makes the loader of clients' signature keys. It caches one imported key set per client. A cached
 * set is used until the token row names another version or a key's validity begins or ends. Every
 * process therefore reads a changed set at the next request.
 */
export function createClientKeys({
  database,
  clock,
  refreshKeys,
}: ClientKeyDeps): HttpKit["loadClientKeys"] {
  const cache = new Map<string, CachedKeys>();
  const load = (clientId: string, version: number): Promise<ClientKeys> => {
    const cached = cache.get(clientId);
    if (cached?.version === version && isCurrent(cached, clock)) return cached.keys;
    const now = clock.now();
    const loading = loadAcceptedKeys(database, clientId, now);
    const entry: CachedKeys = {
      version,
      until: Number.POSITIVE_INFINITY,
      keys: loading.then(({ keys, until }) => {
        entry.until = until;
        return keys;
      }),
    };
    entry.keys.catch(() => cache.delete(clientId));
    if (cache.size >= manyClients) cache.clear();
    cache.set(clientId, entry);
    return entry.keys;
  };
  return async (clientId, version, kid) => {
    const keys = await load(clientId, version);
    if (keys.has(kid) || !(await refreshKeys?.(clientId, kid))) return keys;
    // the version of the token's row is older than the keys
    cache.delete(clientId);
    return load(clientId, version);
  };
}

// most keys have no limits: the clock is not read for them
const isCurrent = ({ until }: CachedKeys, clock: Clock): boolean =>
  until === Number.POSITIVE_INFINITY || clock.now().epochMilliseconds < until;

type KeyRow = {
  kid: string;
  jwk: KeyMembers & { kid?: string };
  accepted: boolean;
  turn: Temporal.Instant | null;
};

/** Loads the keys with which a client's signatures are accepted at a time, and until when. */
export async function loadAcceptedKeys(
  database: Queryable,
  clientId: string,
  now: Temporal.Instant,
): Promise<{ keys: ClientKeys; until: number }> {
  const rows = await database.query<KeyRow>(sql`
    select k.kid, k.jwk, ${isAcceptedKey(now)} as accepted,
      case when k.not_before > ${now} then k.not_before
        when k.not_after > ${now} then k.not_after end as turn
    from client_key k
    where k.client_id = ${clientId} and k.use = 'sig' and k.state = 'active'`);
  const keys = new Map<string, KeyObject>();
  let until = Number.POSITIVE_INFINITY;
  for (const { kid, jwk, accepted, turn } of rows) {
    if (turn) until = Math.min(until, turn.epochMilliseconds);
    // a key without an id has a kid only in its row, so that no signature can name it
    const key = accepted && jwk.kid !== undefined ? importKey(jwk, "PS256") : null;
    if (key) keys.set(kid, key);
  }
  return { keys, until };
}

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

import type { KeyObject } from "node:crypto";
import type { ClientKeys, HttpKit } from "#src/http/kit.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { importKey, type KeyMembers } from "./import-key.ts";

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

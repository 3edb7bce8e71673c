import { createPublicKey, type KeyObject } from "node:crypto";
import type { ClientKeys, HttpKit } from "#src/http/kit.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type CachedKeys = { version: number; keys: Promise<ClientKeys> };

const manyClients = 1000;
const shortestModulus = 2048;

/**
 * Makes the loader of clients' signature keys. It keeps one imported set a client, for the version
 * that the token row named: a set that changed is read again at the next request, on every process.
 */
export function createClientKeys(database: Queryable): HttpKit["loadClientKeys"] {
  const cache = new Map<string, CachedKeys>();
  return (clientId, version) => {
    const cached = cache.get(clientId);
    if (cached?.version === version) return cached.keys;
    const keys = loadKeys(database, clientId);
    keys.catch(() => cache.delete(clientId));
    if (cache.size >= manyClients) cache.clear();
    cache.set(clientId, { version, keys });
    return keys;
  };
}

async function loadKeys(database: Queryable, clientId: string): Promise<ClientKeys> {
  const row = await first<{ jwks: { keys?: SignatureJwk[] } }>(
    database,
    sql`select jwks from client where client_id = ${clientId}`,
  );
  const keys = new Map<string, KeyObject>();
  for (const jwk of row?.jwks.keys ?? []) {
    const key = importSignatureKey(jwk);
    if (key && jwk.kid !== undefined) keys.set(jwk.kid, key);
  }
  return keys;
}

type SignatureJwk = { kty?: string; kid?: string; use?: string; n?: string; e?: string };

// A set may hold keys for other uses, and a broken one must not spoil the rest.
function importSignatureKey({ kty, use = "sig", n = "", e = "" }: SignatureJwk): KeyObject | null {
  if (kty !== "RSA" || use !== "sig") return null;
  if (Buffer.from(n, "base64url").length * 8 < shortestModulus) return null;
  try {
    return createPublicKey({ key: { kty, n, e }, format: "jwk" });
  } catch {
    return null;
  }
}

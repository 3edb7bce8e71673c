import { type CryptoKey, importJWK, type JWK } from "jose";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { ClientKeys, HttpKit } from "./kit.ts";

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
  const row = await first<{ jwks: { keys?: JWK[] } }>(
    database,
    sql`select jwks from client where client_id = ${clientId}`,
  );
  const keys = new Map<string, CryptoKey>();
  for (const jwk of row?.jwks.keys ?? []) {
    const key = await importSignatureKey(jwk);
    if (key && jwk.kid !== undefined) keys.set(jwk.kid, key);
  }
  return keys;
}

// A set may hold keys for other uses, and a broken one must not spoil the rest.
async function importSignatureKey(jwk: JWK): Promise<CryptoKey | null> {
  if (jwk.kty !== "RSA" || (jwk.use ?? "sig") !== "sig") return null;
  if (Buffer.from(jwk.n ?? "", "base64url").length * 8 < shortestModulus) return null;
  const publicKey: JWK = { kty: "RSA", n: jwk.n ?? "", e: jwk.e ?? "" };
  return importJWK(publicKey, "PS256").then(
    (key) => key as CryptoKey, // an RSA key is never the bytes of a secret
    () => null,
  );
}

import { readFile } from "node:fs/promises";
import { importKey } from "#src/clients/import-key.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { SoftwareJwk } from "./compact-jws.ts";
import { DirectoryUnreachable } from "./fault.ts";
import { mirrored, type StatementIssuer } from "./statement-issuer.ts";

/** The keys of software. */
export type SoftwareKeys = {
  /** The accepted keys, without revoked keys and without a second key of the same id. */
  active: readonly SoftwareJwk[];
  /** The ids of the revoked keys. */
  revoked: readonly string[];
  /** When the keys must be read again; null for keys that a statement contains. */
  dueAt: Temporal.Instant | null;
};

/** The addresses at which a directory publishes the keys of software. */
type KeyAddresses = { jwksUri: string; revokedJwksUri: string | null };

/** The keys that a statement contains. Only a new statement changes them. */
type StatedKeys = { jwks: readonly SoftwareJwk[] };

/** Where the keys of software are. */
export type KeySource = KeyAddresses | StatedKeys;

/** The place of the keys, as a message for the TPP names it. */
export const keyPlace = (source: KeySource): string =>
  "jwks" in source ? "in jwks of the software statement" : `at ${source.jwksUri}`;

const manyKeys = 20;
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * The keys in a JWK Set, which the claim `jwks` of a statement contains. Returns null if they are
 * not 1 to 20 public keys with ids, or if none of them can verify signatures. Source: RFC 7591
 * section 2.
 */
export function statedKeys(value: unknown): SoftwareJwk[] | null {
  if (typeof value !== "object" || value === null || !("keys" in value)) return null;
  const { keys } = value;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > manyKeys) return null;
  const read = keys.flatMap(publicPart);
  const isPublic = read.length === keys.length && !keys.some(hasPrivateMember);
  const areDistinct = new Set(read.map(({ kid }) => kid)).size === read.length;
  return isPublic && areDistinct && read.some(canVerify) ? read : null;
}

const hasPrivateMember = (jwk: object): boolean => privateMembers.some((name) => name in jwk);

const canVerify = (jwk: SoftwareJwk): boolean =>
  jwk.use === "sig" && (importKey(jwk, "PS256") ?? importKey(jwk, "ES256")) !== null;

/**
 * Reads the keys of software. If no key has this `kid`, they are fetched again, at most once a
 * minute. A revoked key is never active, whatever an older copy says. Throws DirectoryUnreachable.
 * Source: R-120…R-122.
 */
export async function readSoftwareKeys(
  directoryKeys: DirectoryKeys,
  issuer: StatementIssuer,
  source: KeySource,
  kid?: unknown,
): Promise<SoftwareKeys> {
  if ("jwks" in source) return { active: source.jwks, revoked: [], dueAt: null };
  const { jwksUri, revokedJwksUri } = source;
  const [published, withdrawn] = await Promise.all([
    directoryKeys.at(issuer, jwksUri, kid),
    revokedJwksUri === null ? null : directoryKeys.at(issuer, revokedJwksUri),
  ]);
  const revoked = (withdrawn?.keys ?? []).map((key) => key.kid);
  const active = published.keys.filter(
    (key, index, all) =>
      !revoked.includes(key.kid) && all.findIndex((other) => other.kid === key.kid) === index,
  );
  const freshUntil = Math.min(published.freshUntil, withdrawn?.freshUntil ?? Infinity);
  const dueAt = Temporal.Instant.fromEpochMilliseconds(Math.ceil(freshUntil));
  return { active, revoked, dueAt };
}

/** Keys that a directory publishes, with the time until which they need not be read again. */
type KeySet = { keys: readonly SoftwareJwk[]; freshUntil: number };

/** Reads the key sets of directories, and keeps copies of them. */
export type DirectoryKeys = {
  /** The keys of an issuer itself. Throws DirectoryUnreachable. */
  ofIssuer(issuer: StatementIssuer, kid: unknown): Promise<KeySet>;
  /**
   * The keys at a URL of an issuer. If none has this `kid`, they are fetched again, at most once a
   * minute. Throws DirectoryUnreachable.
   */
  at(issuer: StatementIssuer, url: string, kid?: unknown): Promise<KeySet>;
};

type DirectoryKeyDeps = {
  fetcher: Fetcher;
  /** The machine's clock. */
  clock: Clock;
  /** Called if a fetch fails while an older copy is in use. */
  onStale(url: string, reason: string): void;
};

type Entry = {
  set: KeySet | null;
  readAt: number;
  triedAt: number;
  /** When it was last fetched because a key was unknown. */
  forcedAt: number;
  failure: string;
  loading: Promise<void> | null;
};

const minute = 60_000;
const shortestMs = 5 * minute;
const longestMs = 60 * minute;
const staleMs = 24 * 60 * minute;
const forcedMs = minute;
// how long a failed fetch is not repeated
const failedMs = 5_000;
const manyEntries = 2_000;

/**
 * Makes the reader of key sets. A copy is used for the time that the directory gives, but at
 * least 5 and at most 60 minutes. If the directory does not answer, a copy is used for up to 24
 * hours. Concurrent callers share a fetch. Source.
 */
export function createDirectoryKeys(deps: DirectoryKeyDeps): DirectoryKeys {
  const entries = new Map<string, Entry>();
  const now = (): number => deps.clock.now().epochMilliseconds;

  async function load(entry: Entry, address: string, read: () => Promise<Read>): Promise<void> {
    entry.triedAt = now();
    const found = await read();
    if (found.keys === null) {
      entry.failure = found.reason;
      if (entry.set) deps.onStale(address, found.reason);
      return;
    }
    const ms = Math.min(longestMs, Math.max(shortestMs, (found.maxAgeSeconds ?? 0) * 1000));
    entry.readAt = now();
    entry.set = { keys: found.keys, freshUntil: entry.readAt + ms };
  }

  async function find(address: string, kid: unknown, read: () => Promise<Read>): Promise<KeySet> {
    const entry = entryOf(entries, address);
    const isOld = entry.set === null || entry.set.freshUntil <= now();
    const lacks = kid !== undefined && !entry.set?.keys.some((key) => key.kid === kid);
    const isForced = !isOld && lacks && now() - entry.forcedAt >= forcedMs;
    if (isForced) entry.forcedAt = now();
    if (isForced || (isOld && now() - entry.triedAt >= failedMs)) {
      entry.loading ??= load(entry, address, read).finally(() => {
        entry.loading = null;
      });
    }
    if (isOld || lacks) await entry.loading;
    if (entry.set && now() - entry.readAt < staleMs) return entry.set;
    throw new DirectoryUnreachable(`The key set ${address} cannot be read: ${entry.failure}.`);
  }

  const fetchFrom = (issuer: StatementIssuer, url: string) => () =>
    fetchKeys(deps.fetcher, mirrored(issuer, url));
  return {
    at: (issuer, url, kid) => find(url, kid, fetchFrom(issuer, url)),
    ofIssuer(issuer, kid) {
      const { jwks } = issuer;
      return "url" in jwks
        ? find(jwks.url, kid, fetchFrom(issuer, jwks.url))
        : find(`file ${jwks.file}`, kid, () => readKeys(jwks.file));
    },
  };
}

function entryOf(entries: Map<string, Entry>, address: string): Entry {
  let entry = entries.get(address);
  if (!entry) {
    if (entries.size >= manyEntries) entries.clear();
    const long = { readAt: 0, triedAt: -staleMs, forcedAt: -staleMs };
    entry = { ...long, set: null, failure: "", loading: null };
    entries.set(address, entry);
  }
  return entry;
}

type Read = { keys: SoftwareJwk[]; maxAgeSeconds: number | null } | { keys: null; reason: string };

async function fetchKeys(fetcher: Fetcher, url: string): Promise<Read> {
  const fetched = await fetcher.get(url);
  if (fetched.body === null) return { keys: null, reason: fetched.reason };
  return parse(fetched.body, fetched.maxAgeSeconds);
}

const readKeys = (path: string): Promise<Read> =>
  readFile(path).then(
    (bytes) => parse(bytes, null),
    (error: Error) => ({ keys: null, reason: error.message }),
  );

function parse(bytes: Uint8Array, maxAgeSeconds: number | null): Read {
  try {
    const { keys } = parseJsonObject(bytes, (why) => new Error(`the document ${why}`));
    if (!Array.isArray(keys)) return { keys: null, reason: 'the document has no member "keys"' };
    return { keys: keys.flatMap(publicPart), maxAgeSeconds };
  } catch (error) {
    return { keys: null, reason: (error as Error).message };
  }
}

const members = ["kty", "n", "e", "crv", "x", "y"];
const uses: readonly unknown[] = ["sig", "enc", "tls"];

/** The members of a key that the bank uses and stores; empty for a key without an id. */
export function publicPart(jwk: unknown): SoftwareJwk[] {
  if (typeof jwk !== "object" || jwk === null) return [];
  const { kid, use = "sig", ...others } = jwk as Record<string, unknown>;
  if (typeof kid !== "string" || kid === "" || kid.length > 256) return [];
  const kept = members.flatMap((name) => {
    const value = others[name];
    return typeof value === "string" && /^[\w-]{1,2048}$/.test(value) ? [[name, value]] : [];
  });
  // a key for another use, such as TLS, may not verify signatures
  const known = uses.includes(use) ? (use as SoftwareJwk["use"]) : "tls";
  return [{ kid, use: known, ...Object.fromEntries(kept) }];
}

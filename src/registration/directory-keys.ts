import { readFile } from "node:fs/promises";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-get.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { SoftwareJwk } from "./compact-jws.ts";
import { DirectoryUnreachable } from "./fault.ts";
import { mirrored, type StatementIssuer } from "./statement-issuer.ts";

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

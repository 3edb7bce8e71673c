import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import Type from "typebox";
import Value from "typebox/value";
import { importKey, type KeyMembers } from "#src/clients/client-keys.ts";
import { ConfigError } from "#src/config/config.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";
import { DirectoryUnreachable } from "./fault.ts";

/** An issuer of software statements that the bank trusts. Source: R-100. */
export type StatementIssuer = {
  /** The `iss` of its statements. */
  iss: string;
  /** Where its own keys are: a file, or a URL. */
  jwks: { file: string } | { url: string };
  /** The `software_environment` of its statements; null if they may have any. */
  environment: string | null;
  /** The hosts on which it publishes the keys of software, with the port if it is not 443. */
  hosts: readonly string[];
  /**
   * Where it gives the status of software: a URL with `{org_id}` and `{software_id}`; null if it
   * does not.
   */
  statusUrl: string | null;
  /** Replaces the beginning `from` of a URL by `to`: a sandbox calls itself over loopback. */
  mirror?: { from: string; to: string };
};

const issuerFile = Type.Object(
  {
    issuers: Type.Array(
      Type.Object(
        {
          iss: Type.String({ minLength: 1 }),
          jwksFile: Type.Optional(Type.String({ minLength: 1 })),
          jwksUri: Type.Optional(Type.String({ pattern: "^https://" })),
          environment: Type.Optional(Type.String({ minLength: 1 })),
          statusUrl: Type.Optional(Type.String({ pattern: "^https://.*[{]software_id[}]" })),
          jwksHosts: Type.Array(Type.String({ pattern: "^[A-Za-z0-9.-]+(:\\d+)?$" }), {
            minItems: 1,
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1 },
    ),
  },
  { additionalProperties: false },
);

/** Reads the file that REGISTRATION_ISSUERS names. Throws ConfigError. */
export function readIssuers(path: string): StatementIssuer[] {
  const refuse = (why: string): never => {
    throw new ConfigError([`REGISTRATION_ISSUERS: ${path} ${why}`]);
  };
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`);
  }
  if (!Value.Check(issuerFile, content)) {
    const [first] = Value.Errors(issuerFile, content);
    return refuse(
      `does not have the form in docs/registering-tpps.md: ${first?.instancePath} ${first?.message}`,
    );
  }
  const all = content.issuers.map((one): StatementIssuer => {
    const { iss, jwksFile, jwksUri, environment = null, statusUrl = null, jwksHosts } = one;
    if ((jwksFile === undefined) === (jwksUri === undefined)) {
      return refuse(`must give either jwksFile or jwksUri for ${iss}`);
    }
    const jwks = jwksUri === undefined ? { file: jwksFile ?? "" } : { url: jwksUri };
    return {
      iss,
      jwks,
      environment,
      statusUrl,
      hosts: jwksHosts.map((host) => host.toLowerCase()),
    };
  });
  const twice = all.find(({ iss }, index) => all.findIndex((one) => one.iss === iss) < index);
  if (twice) return refuse(`names the issuer ${twice.iss} twice`);
  return all;
}

/** Whether an issuer publishes keys at a URL: https, or its own mirror, on a listed host. */
export function publishesAt({ hosts, mirror }: StatementIssuer, text: unknown): text is string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url?.username !== "" || url.password !== "" || url.hash !== "") return false;
  const isMirrored = mirror !== undefined && url.href.startsWith(mirror.from);
  return (url.protocol === "https:" || isMirrored) && hosts.includes(url.host.toLowerCase());
}

/** The URL to fetch for a URL of an issuer. */
export const mirrored = ({ mirror }: StatementIssuer, url: string): string =>
  mirror && url.startsWith(mirror.from) ? `${mirror.to}${url.slice(mirror.from.length)}` : url;

/** A published key, with only the members that the bank needs. */
export type SoftwareJwk = KeyMembers & { kid: string; use: "sig" | "enc" | "tls" };

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

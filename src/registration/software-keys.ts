import { importKey } from "#src/clients/import-key.ts";
import type { SoftwareJwk } from "./compact-jws.ts";
import { type DirectoryKeys, publicPart } from "./directory-keys.ts";
import type { StatementIssuer } from "./statement-issuer.ts";

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

import type { PublicJwk } from "./compact-jws.ts";
import type { DirectoryKeys } from "./directory-keys.ts";
import type { StatementIssuer } from "./statement-issuer.ts";

/** The keys that a directory publishes for software. */
export type SoftwareKeys = {
  /** The accepted keys, without revoked keys and without a second key of the same id. */
  active: readonly PublicJwk[];
  /** The ids of the revoked keys. */
  revoked: readonly string[];
  /** The time in milliseconds until which the keys need not be read again. */
  freshUntil: number;
};

/** The addresses of software's keys. */
export type KeyAddresses = { jwksUri: string; revokedJwksUri: string | null };

/**
 * Reads the keys of software. If no key has this `kid`, they are fetched again, at most once a
 * minute. A revoked key is never active, whatever an older copy says. Throws DirectoryUnreachable.
 * Source: R-120…R-122.
 */
export async function readSoftwareKeys(
  directoryKeys: DirectoryKeys,
  issuer: StatementIssuer,
  { jwksUri, revokedJwksUri }: KeyAddresses,
  kid?: unknown,
): Promise<SoftwareKeys> {
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
  return { active, revoked, freshUntil };
}

import type { X509Certificate } from "node:crypto";
import { type Der, tags } from "./der.ts";
import { isSameName } from "./distinguished-name.ts";
import { hasUnknownCritical } from "./key-usage.ts";
import { constraintProblem } from "./name-constraints.ts";
import { partsOf } from "./tpp-certificate.ts";

// What OpenSSL checks of a chain in a handshake, besides signatures and dates. The chain in a
// proxy's header has not been in a handshake, and OpenSSL checks a chain that ends at an issuing
// authority only in part, so these rules are checked for every chain.

const basicConstraints = "2.5.29.19";
// Source: RFC 5280 section 4.2.1.12.
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/**
 * Returns which rule a verified chain breaks, in OpenSSL's words; null if it keeps all: critical
 * extensions, the purpose of issuers, the length of the path, and name constraints. Throws if an
 * extension is malformed. Source: RFC 5280 section 6.
 */
export function pathProblem(chain: readonly X509Certificate[]): string | null {
  const [leaf, ...issuers] = chain;
  if (chain.some(hasUnknownCritical)) return "UNHANDLED_CRITICAL_EXTENSION";
  const isForClients = ({ keyUsage }: X509Certificate): boolean =>
    keyUsage === undefined || keyUsage.includes(clientAuthentication);
  if (!issuers.every(isForClients)) return "INVALID_PURPOSE";
  let authoritiesBelow = 0;
  const below: X509Certificate[] = leaf ? [leaf] : [];
  for (const issuer of issuers) {
    const most = pathLengthOf(issuer);
    if (most !== null && authoritiesBelow > most) return "PATH_LENGTH_EXCEEDED";
    for (const certificate of below) {
      const problem = constraintProblem(certificate, issuer, certificate === leaf);
      if (problem !== null) return problem;
    }
    // an authority's certificate for its own next key counts for neither rule
    if (isSelfIssued(issuer)) continue;
    authoritiesBelow += 1;
    below.push(issuer);
  }
  return null;
}

/** The number of authorities that may be between an authority and a client; null for any. */
function pathLengthOf({ raw }: X509Certificate): number | null {
  const length: Der | undefined = partsOf(raw)
    .extensions.get(basicConstraints)
    ?.items.find(({ tag }) => tag === tags.integer);
  if (length === undefined) return null;
  const [first = 0] = length.content;
  return length.content.length === 1 && first < 0x80 ? first : 0;
}

function isSelfIssued({ raw }: X509Certificate): boolean {
  const { encodedIssuer, encodedSubject } = partsOf(raw);
  return isSameName(encodedIssuer, encodedSubject);
}

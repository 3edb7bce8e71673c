import type { X509Certificate } from "node:crypto";
import { type Der, parseDer, tags } from "./der.ts";
import { isSameName } from "./distinguished-name.ts";
import { constraintProblem } from "./name-constraints.ts";
import { isSignedBy, readSigned, weaknessOf } from "./signed.ts";
import { partsOf } from "./tpp-certificate.ts";

const keyUsageId = "2.5.29.15";
// the bits digitalSignature and keyAgreement
const handshake = 0x80 | 0x08;

/**
 * Whether the key of a certificate may be used in a TLS handshake, by the rule that OpenSSL has for
 * clients. Throws if the certificate is malformed. Source: RFC 5280 section 4.2.1.3.
 */
export function maySign({ raw }: X509Certificate): boolean {
  const usage = partsOf(raw).extensions.get(keyUsageId);
  if (usage === null) return true;
  const [, bits = 0] = usage.content; // the first byte is the number of unused bits
  return (bits & handshake) !== 0;
}

// key usages, names, constraints, policies and lists, as far as OpenSSL understands them
const understood = new Set([
  ...["2.5.29.15", "2.5.29.17", "2.5.29.19", "2.5.29.30", "2.5.29.31", "2.5.29.32"],
  ...["2.5.29.33", "2.5.29.36", "2.5.29.37", "2.5.29.54"],
]);

/**
 * Whether a certificate has a critical extension that is not understood, and must therefore be
 * refused. Source: RFC 5280 section 4.2.
 */
export const hasUnknownCritical = ({ raw }: X509Certificate): boolean =>
  partsOf(raw).extensions.critical.some((id) => !understood.has(id));

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
function pathProblem(chain: readonly X509Certificate[]): string | null {
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

/** A certificate with the certificates of its issuers, up to a trust anchor, which is last. */
export type Chain = readonly X509Certificate[];

/** A verified chain, or why verification failed, in OpenSSL's words if OpenSSL found the fault. */
export type Built = { chain: Chain; problem: null } | { chain: null; problem: string };

const longest = 6;

/**
 * Builds the chain of a certificate from the anchors and from the certificates that were sent with
 * it. An anchor is a root or an issuing authority, so TPPs need not send intermediates. Every
 * certificate must be valid at this time, and signed by an authority with an algorithm and a key
 * that are not weak. The chain must keep the rules of `pathProblem`. Source, RFC 5280
 * section 6.
 */
export function buildChain(
  leaf: X509Certificate,
  anchors: Chain,
  sent: Chain,
  now: Temporal.Instant,
): Built {
  const chain = [leaf];
  const isAnchor = (one: X509Certificate): boolean =>
    anchors.some((anchor) => anchor.raw.equals(one.raw));
  for (let last = leaf; chain.length <= longest; ) {
    const problem = problemOf(last, now);
    if (problem !== null) return { chain: null, problem };
    if (isAnchor(last) && last !== leaf && last.checkIssued(last)) return checked(chain);
    const candidates = [...anchors, ...sent].filter(
      (one) => one.ca && !chain.includes(one) && last.checkIssued(one),
    );
    const issuer = candidates.find((one) => isIssuedBy(last, one));
    if (issuer === undefined) {
      if (isAnchor(last) && last !== leaf) return checked(chain);
      const [candidate] = candidates;
      return { chain: null, problem: candidate ? weakOr(last, candidate) : "ISSUER_UNKNOWN" };
    }
    chain.push(issuer);
    last = issuer;
  }
  return { chain: null, problem: "CERT_CHAIN_TOO_LONG" };
}

function checked(chain: Chain): Built {
  const problem = pathProblem(chain);
  return problem === null ? { chain, problem } : { chain: null, problem };
}

function problemOf(certificate: X509Certificate, now: Temporal.Instant): string | null {
  const time = now.epochMilliseconds;
  if (certificate.validToDate.getTime() < time) return "CERT_HAS_EXPIRED";
  return certificate.validFromDate.getTime() > time ? "CERT_NOT_YET_VALID" : null;
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  isSignedBy(readSigned(parseDer(certificate.raw)), issuer.publicKey);

function weakOr(certificate: X509Certificate, issuer: X509Certificate): string {
  const { algorithm } = readSigned(parseDer(certificate.raw));
  return weaknessOf(algorithm, issuer.publicKey) ?? "CERT_SIGNATURE_FAILURE";
}

/** Returns why a client's own key is too weak; null if it is not. Source: R-094. */
export function weakKey({ publicKey, raw }: X509Certificate): string | null {
  return weaknessOf(readSigned(parseDer(raw)).algorithm, publicKey);
}

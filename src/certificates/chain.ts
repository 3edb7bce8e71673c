import type { X509Certificate } from "node:crypto";
import { parseDer } from "./der.ts";
import { pathProblem } from "./path-rules.ts";
import { isSignedBy, readSigned, weaknessOf } from "./signed.ts";

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

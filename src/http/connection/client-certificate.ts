import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Chain, maySign } from "#src/certificates/chain.ts";
import type { ClientTrust, Trusted } from "#src/certificates/client-trust.ts";
import { readTppCertificate, type TppCertificate } from "#src/certificates/tpp-certificate.ts";
import type { FailureFacts, RefusalReason } from "#src/http/refusal/refusals.ts";

type CertificateProblem = "Missing" | "Untrusted" | "Usage" | "Seal" | "Revoked" | "Unchecked";

/** The reason why a connection has no usable client certificate. */
export type CertificateFault = {
  reason: Extract<RefusalReason, `certificate${CertificateProblem}`>;
  facts: FailureFacts;
};

/** The client certificate of a connection if it is valid, otherwise the reason why not. */
export type JudgedCertificate =
  | { certificate: X509Certificate; facts: TppCertificate; fault: null }
  | { certificate: null; facts: null; fault: CertificateFault };

/** A certificate as a client presented it. */
export type Presented = {
  certificate: X509Certificate;
  /** The certificates that were sent with it. */
  sent: Chain;
  /** Why the TLS library refuses the certificate; null if it accepts it. */
  problem: string | null;
};

const longestChain = 6;

/** The client certificate of a TLS connection; null if the client sent none. */
export function presentedOver(socket: Socket): Presented | null {
  if (!(socket instanceof TLSSocket)) return null;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return null;
  const sent: X509Certificate[] = [];
  let { issuerCertificate: one } = certificate;
  // a root may be its own issuer
  while (one !== undefined && sent.length < longestChain) {
    sent.push(one);
    one = one.issuerCertificate;
  }
  return { certificate, sent, problem: problemOf(socket) };
}

// OpenSSL needs the root of a chain. Ours may end at an issuing authority.
const incomplete = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function problemOf(socket: TLSSocket): string | null {
  if (socket.authorized) return null;
  const problem = String(socket.authorizationError);
  return incomplete.has(problem) ? null : problem;
}

// Source: RFC 5280 section 4.2.1.12.
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/**
 * Judges a client certificate: it must chain to a trust anchor, be within its dates, be for client
 * authentication and not be revoked. OpenSSL has checked chain, dates and key usage of a TLS
 * connection (a certificate without digitalSignature is INVALID_PURPOSE). It accepts a certificate
 * without any extended key usage, such as a signing certificate. A certificate for seals is refused
 * even with the usage. Source, decision 0016.
 */
export function judgeCertificate(
  presented: Presented | null,
  trust: ClientTrust,
): JudgedCertificate {
  if (presented === null) return faulty("certificateMissing");
  const { certificate, sent, problem } = presented;
  try {
    const usages = certificate.keyUsage ?? [];
    const isForClients = usages.includes(clientAuthentication) && maySign(certificate);
    if ((problem === null || problem === "INVALID_PURPOSE") && !isForClients) {
      return faulty("certificateUsage", { usages: usages.join(" ") || "no extended key usage" });
    }
    // Node has no name for some of OpenSSL's problems: the bank's own check names them
    if (problem !== null && problem !== "UNSPECIFIED") {
      return faulty("certificateUntrusted", { problem });
    }
    const judgement = trust.judge(certificate, sent);
    if (problem !== null && judgement.problem === null) {
      return faulty("certificateUntrusted", { problem });
    }
    return judgeTrusted(certificate, readTppCertificate(certificate), judgement);
  } catch {
    return malformed;
  }
}

const seals: ReadonlySet<string> = new Set(["QSealC", "OBSeal"]);

function judgeTrusted(
  certificate: X509Certificate,
  facts: TppCertificate,
  { problem }: Trusted,
): JudgedCertificate {
  if (problem === "revoked") return faulty("certificateRevoked");
  if (problem === "unchecked") return faulty("certificateUnchecked");
  if (problem !== null) return faulty("certificateUntrusted", { problem: problem.name });
  if (seals.has(facts.type)) return faulty("certificateSeal");
  return { certificate, facts, fault: null };
}

const faulty = (
  reason: CertificateFault["reason"],
  facts: FailureFacts = {},
): JudgedCertificate => ({
  certificate: null,
  facts: null,
  fault: { reason, facts },
});

/** The judgement of a certificate that cannot be read. */
export const malformed: JudgedCertificate = faulty("certificateUntrusted", {
  problem: "MALFORMED",
});

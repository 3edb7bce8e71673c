import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { readTppCertificate, type TppCertificate } from "#src/certificates/tpp-certificate.ts";
import type { Facts, Reason } from "#src/http/refusal/refusals.ts";

/** The reason why a connection has no usable client certificate. */
export type CertificateFault = {
  reason: Extract<Reason, `certificate${"Missing" | "Untrusted" | "Usage" | "Seal"}`>;
  facts: Facts;
};

/** The client certificate of a connection if it is valid, otherwise the reason why not. */
export type JudgedCertificate =
  | { certificate: X509Certificate; facts: TppCertificate; fault: null }
  | { certificate: null; facts: null; fault: CertificateFault };

// Source: RFC 5280 section 4.2.1.12.
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/**
 * Checks that the client certificate of a connection chains to a trusted root, is within its dates
 * and is for client authentication. OpenSSL has checked chain, dates and key usage (a certificate
 * without digitalSignature is INVALID_PURPOSE). It accepts a certificate without any extended key
 * usage, such as a signing certificate. A certificate for seals is refused even with the usage.
 * Source: R-092, decision 0016.
 */
export function judgeCertificate(socket: Socket): JudgedCertificate {
  const presented = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (presented === undefined) return faulty("certificateMissing");
  const { authorized, authorizationError } = socket as TLSSocket; // plain HTTP has none
  const usages = presented.keyUsage ?? [];
  const problem = String(authorizationError ?? "");
  if (problem === "INVALID_PURPOSE" || (authorized && !usages.includes(clientAuthentication))) {
    return faulty("certificateUsage", { usages: usages.join(" ") || "no extended key usage" });
  }
  if (!authorized) return faulty("certificateUntrusted", { problem });
  const facts = tryRead(presented);
  if (facts === null) return faulty("certificateUntrusted", { problem: "MALFORMED" });
  if (seals.has(facts.type)) return faulty("certificateSeal");
  return { certificate: presented, facts, fault: null };
}

const seals: ReadonlySet<string> = new Set(["QSealC", "OBSeal"]);

function tryRead(certificate: X509Certificate): TppCertificate | null {
  try {
    return readTppCertificate(certificate);
  } catch {
    return null;
  }
}

const faulty = (reason: CertificateFault["reason"], facts: Facts = {}): JudgedCertificate => ({
  certificate: null,
  facts: null,
  fault: { reason, facts },
});

import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Facts, Reason } from "#src/http/refusal/refusals.ts";

/** Why a connection has no client certificate that proves anything. */
export type CertificateFault = {
  reason: Extract<Reason, `certificate${"Missing" | "Untrusted" | "Usage"}`>;
  facts: Facts;
};

/** The client certificate of a connection if it can be relied on; otherwise what is wrong. */
export type JudgedCertificate =
  | { certificate: X509Certificate; fault: null }
  | { certificate: null; fault: CertificateFault };

// Source: RFC 5280 section 4.2.1.12.
const clientAuthentication = "1.3.6.1.5.5.7.3.2";

/**
 * Checks the client certificate of a connection: it must chain to a trusted root, be within its
 * dates and be made for client authentication. OpenSSL has checked chain, dates and key usage (a
 * certificate whose key usage lacks digitalSignature is INVALID_PURPOSE) but accepts a certificate
 * without any extended key usage, as signing certificates are. Source: decision 0016.
 */
export function judgeCertificate(socket: Socket): JudgedCertificate {
  const presented = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  if (presented === undefined) return faulty("certificateMissing");
  const { authorized, authorizationError } = socket as TLSSocket; // a plain one presents nothing
  const usages = presented.keyUsage ?? [];
  const problem = String(authorizationError ?? "");
  if (problem === "INVALID_PURPOSE" || (authorized && !usages.includes(clientAuthentication))) {
    return faulty("certificateUsage", { usages: usages.join(" ") || "no extended key usage" });
  }
  if (!authorized) return faulty("certificateUntrusted", { problem });
  return { certificate: presented, fault: null };
}

const faulty = (reason: CertificateFault["reason"], facts: Facts = {}): JudgedCertificate => ({
  certificate: null,
  fault: { reason, facts },
});

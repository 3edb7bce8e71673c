import type { X509Certificate } from "node:crypto";
import { partsOf } from "./tpp-certificate.ts";

const keyUsage = "2.5.29.15";
// the bits digitalSignature and keyAgreement
const handshake = 0x80 | 0x08;

/**
 * Whether the key of a certificate may be used in a TLS handshake, by the rule that OpenSSL has for
 * clients. Throws if the certificate is malformed. Source: RFC 5280 section 4.2.1.3.
 */
export function maySign({ raw }: X509Certificate): boolean {
  const usage = partsOf(raw).extensions.get(keyUsage);
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

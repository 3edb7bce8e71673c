import { X509Certificate } from "node:crypto";
import { type DistinguishedName, oids } from "#src/certificates/distinguished-name.ts";
import { readTppCertificate } from "#src/certificates/tpp-certificate.ts";

/** The subject of a client certificate. */
export type PresentedSubject = {
  name: DistinguishedName;
  /** The name in the notation of RFC 4514. */
  text: string;
};

/** The subject of a certificate. Throws if the certificate is malformed. */
export function subjectOf(certificate: X509Certificate): PresentedSubject {
  const name = readTppCertificate(certificate).subject;
  return { name, text: textOf(name) };
}

/** The subject of a certificate in PEM; null if the certificate cannot be read. */
export function subjectOfPem(pem: string): PresentedSubject | null {
  try {
    return subjectOf(new X509Certificate(pem));
  } catch {
    return null;
  }
}

const shortNames = new Map<string, string>([
  [oids.commonName, "CN"],
  [oids.country, "C"],
  [oids.organization, "O"],
  [oids.organizationalUnit, "OU"],
]);

/** A name in the notation of RFC 4514: the last attribute first. */
const textOf = (name: DistinguishedName): string =>
  [...name]
    .reverse()
    .map(({ type, value }) => `${shortNames.get(type) ?? type}=${escaped(value)}`)
    .join(",");

/** A value of a name, escaped for the notation of RFC 4514. */
export const escaped = (value: string): string =>
  value
    .replace(/[,+"\\<>;=]|^[ #]| $/g, "\\$&")
    .replace(/\p{Cc}/gu, (one) => `\\${one.charCodeAt(0).toString(16).padStart(2, "0")}`);

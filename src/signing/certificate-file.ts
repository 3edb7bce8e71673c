import type { KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseCertificates } from "#src/http/connection/certificate-chain.ts";

/** The certificate of a key and those of its issuers, in a file that may be renewed. */
export type CertificateFile = {
  /** Returns the newest usable text of the file. */
  pem(): string;
  /** Reads the file again. Returns why its new text cannot be used; null if it can. */
  look(): string | null;
};

/**
 * Opens the file of a key's certificates. Throws an Error that says what is wrong if it cannot be
 * used.
 */
export function openCertificateFile(path: string, key: KeyObject): CertificateFile {
  let seen = readFileSync(path, "utf8");
  const mistake = chainMistake(seen, key);
  if (mistake !== null) throw new Error(`${path}: ${mistake}`);
  let used = seen;
  return {
    pem: () => used,
    look() {
      const text = readFileSync(path, "utf8");
      if (text === seen) return null;
      seen = text;
      const fault = chainMistake(text, key);
      if (fault === null) used = text;
      return fault === null ? null : `${path}: ${fault}`;
    },
  };
}

/** Returns what is wrong with the certificates of a public key; null if they can be used. */
function chainMistake(pem: string, key: KeyObject): string | null {
  let chain: X509Certificate[];
  try {
    chain = parseCertificates(pem);
  } catch {
    return "the file does not contain readable PEM certificates";
  }
  const [leaf] = chain;
  if (!leaf) return "the file does not contain a PEM certificate";
  if (!leaf.publicKey.equals(key)) return "the first certificate does not belong to the key";
  const isGap = chain.some((one, index) => index > 0 && !chain[index - 1]?.checkIssued(one));
  return isGap ? "each certificate must be followed by the certificate of its issuer" : null;
}

/** Returns when the first certificate of a PEM text expires, in milliseconds since 1970. */
export const expiryOf = (pem: string): number | null =>
  parseCertificates(pem)[0]?.validToDate.getTime() ?? null;

import { createPublicKey, X509Certificate } from "node:crypto";
import { type Authority, isEnding, issueLeaf } from "./authority.ts";
import type { Name } from "./certificates.ts";

/** Returns the distinguished name of one of the sandbox's own certificates. */
export const sandboxName = (commonName: string): Name => [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "Aldgate Sandbox" },
  { attribute: "CN", value: commonName },
];

/**
 * Returns the certificate stored under a name. If it is missing or no longer usable, issues a new
 * one.
 */
export async function ensureLeaf(
  authority: Authority,
  name: string,
  isGood: (pem: string) => boolean,
  leaf: Parameters<typeof issueLeaf>[1],
): Promise<string> {
  const { folder, ca } = authority;
  const key = createPublicKey(leaf.subjectKeyPem);
  const root = new X509Certificate(ca.certificatePem).publicKey;
  const belongs = (pem: string): boolean => {
    const certificate = new X509Certificate(pem);
    return certificate.publicKey.equals(key) && certificate.verify(root);
  };
  const kept = folder.read(`${name}.pem`);
  if (kept && !isEnding(kept, authority) && belongs(kept) && isGood(kept)) return kept;
  const made = issueLeaf(authority, leaf);
  folder.write(`${name}.pem`, made);
  return made;
}

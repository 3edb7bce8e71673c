import { createPublicKey } from "node:crypto";
import { type Authority, isEnding } from "./authority.ts";
import { ensureLeaf, sandboxName } from "./ensure-leaf.ts";

/** The certificates of the sandbox's own signature keys. */
export type SigningCertificates = {
  /** Ensures that a key has a certificate, and renews it from then on. */
  ensure(name: string, publicKeyPem: string): Promise<void>;
  /** Renews the certificates that expire soon. */
  renew(): Promise<void>;
  /** Returns the newest certificate of a key and the root certificate, as PEM text. */
  pemOf(name: string): string;
};

/** Makes the store of these certificates, which are files in the authority's folder. */
export function createSigningCertificates(authority: Authority): SigningCertificates {
  const newest = new Map<string, { publicKeyPem: string; pem: string }>();
  const ensure = async (name: string, publicKeyPem: string): Promise<void> => {
    const leaf = {
      subject: sandboxName(name),
      subjectKeyPem: publicKeyPem,
      use: "signing",
    } as const;
    const pem = await ensureLeaf(authority, name, () => true, leaf);
    newest.set(name, { publicKeyPem, pem });
  };
  return {
    ensure,
    async renew() {
      for (const [name, { publicKeyPem, pem }] of newest) {
        if (isEnding(pem, authority)) await ensure(name, publicKeyPem);
      }
    },
    pemOf: (name) => `${newest.get(name)?.pem ?? ""}${authority.ca.certificatePem}`,
  };
}

/** Returns the public half of a private key, as PEM text. */
export const publicPemOf = (privateKeyPem: string): string =>
  createPublicKey(privateKeyPem).export({ type: "spki", format: "pem" }).toString();

import { webcrypto } from "node:crypto";

// The certificate library wants decorator metadata to be there, and works without any in it.
Object.assign(Reflect, { getMetadata: () => undefined, getOwnMetadata: () => undefined });
const x509 = await import("@peculiar/x509");
x509.cryptoProvider.set(webcrypto as Crypto);

const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const notBefore = new Date("2020-01-01");
const notAfter = new Date("2049-01-01");

export type Pair = { key: string; cert: string };
export type Authority = { cert: string; issue(subject: string): Promise<Pair> };

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

/** A certificate authority of its own; what it issues also stands for the host 127.0.0.1. */
export async function makeAuthority(name: string): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  return {
    cert: certificate.toString("pem"),
    async issue(subject) {
      const own = await newKeys();
      const issued = await x509.X509CertificateGenerator.create({
        subject,
        issuer: certificate.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        notBefore,
        notAfter,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.SubjectAlternativeNameExtension([
            { type: "dns", value: "localhost" },
            { type: "ip", value: "127.0.0.1" },
          ]),
        ],
      });
      const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", own.privateKey);
      return {
        cert: issued.toString("pem"),
        key: x509.PemConverter.encode(pkcs8, x509.PemConverter.PrivateKeyTag),
      };
    },
  };
}

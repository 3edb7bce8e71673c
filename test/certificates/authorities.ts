import "reflect-metadata";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { KeyPem } from "#src/sandbox/directory/certificates.ts";
import { generateEcKey, generateRsaKey } from "#src/sandbox/directory/keys.ts";

/** A certificate authority of the tests, or a client of one. */
export type Entity = { key: KeyPem; certificate: X509Certificate; pem: string };

const algorithmOf = (pem: string, hash: string) =>
  createPrivateKey(pem).asymmetricKeyType === "ec"
    ? { name: "ECDSA", namedCurve: "P-256", hash }
    : { name: "RSASSA-PKCS1-v1_5", hash };

const signerOf = (pem: string, hash: string) => {
  const algorithm = algorithmOf(pem, hash);
  const signingKey = createPrivateKey(pem).toCryptoKey(algorithm, false, ["sign"]);
  return { signingKey, signingAlgorithm: algorithm };
};

/** The options of `issue`. */
export type Issued = {
  key?: KeyPem;
  isAuthority?: boolean;
  pathLength?: number;
  listUrl?: string;
  responderUrl?: string;
  hash?: "SHA-1" | "SHA-256";
  extensions?: x509.Extension[];
  from?: Temporal.Instant;
  to?: Temporal.Instant;
  /** The names as the certificate encodes them. */
  names?: { subject?: x509.Name; issuer?: x509.Name };
};

/** Issues a certificate; without an issuer, a root certificate. */
export async function issue(
  name: string,
  issuer: Entity | null,
  given: Issued = {},
): Promise<Entity> {
  const isAuthority = given.isAuthority ?? issuer === null;
  const key = given.key ?? (await (isAuthority ? generateEcKey() : generateRsaKey()));
  const now = Temporal.Now.instant();
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  const made = await x509.X509CertificateGenerator.create({
    subject: given.names?.subject ?? `CN=${name}`,
    issuer:
      given.names?.issuer ??
      (issuer ? new x509.X509Certificate(issuer.certificate.raw).subject : `CN=${name}`),
    notBefore: new Date((given.from ?? now.subtract({ hours: 1 })).epochMilliseconds),
    notAfter: new Date((given.to ?? now.add({ hours: 24 })).epochMilliseconds),
    publicKey: createPublicKey(key.privateKeyPem).export({ type: "spki", format: "der" }),
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, given.pathLength, true),
      new x509.KeyUsagesExtension(isAuthority ? keyCertSign | cRLSign : digitalSignature, true),
      ...(isAuthority
        ? []
        : [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])]),
      ...(given.listUrl ? [new x509.CRLDistributionPointsExtension([given.listUrl])] : []),
      ...(given.responderUrl
        ? [new x509.AuthorityInfoAccessExtension({ ocsp: given.responderUrl })]
        : []),
      ...(given.extensions ?? []),
    ],
    ...signerOf((issuer?.key ?? key).privateKeyPem, given.hash ?? "SHA-256"),
  });
  const pem = made.toString("pem");
  return { key, pem, certificate: new X509Certificate(pem) };
}

/** Makes an authority's list of revoked certificates with the library. */
export async function listOf(
  issuer: Entity,
  revoked: X509Certificate[],
  given: {
    thisUpdate?: Date;
    nextUpdate?: Date;
    extensions?: x509.Extension[];
    name?: x509.Name;
  } = {},
): Promise<Buffer> {
  const list = await x509.X509CrlGenerator.create({
    issuer: given.name ?? new x509.X509Certificate(issuer.certificate.raw).subjectName,
    thisUpdate: given.thisUpdate ?? new Date(Date.now() - 1000),
    nextUpdate: given.nextUpdate ?? new Date(Date.now() + 3_600_000),
    entries: revoked.map(({ serialNumber }) => ({
      serialNumber,
      revocationDate: new Date(),
      reason: x509.X509CrlReason.keyCompromise,
    })),
    extensions: given.extensions ?? [],
    ...signerOf(issuer.key.privateKeyPem, "SHA-256"),
  });
  return Buffer.from(list.rawData);
}

import "reflect-metadata";
import { createPrivateKey, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { issueCertificate, type KeyPem, type Name } from "#src/sandbox/directory/certificates.ts";
import type { Directory } from "#src/sandbox/directory/directory.ts";
import { subjectOf } from "#src/sandbox/directory/issued-tpp.ts";
import { generateEcKey, generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { type Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { forClients, qcStatements } from "#test/certificates/make-certificate.ts";

/** The certificate and key with which an attacker connects. */
export type Transport = TppClient["tpp"]["transport"];

/** A connection that must not be accepted as the victim's. `says` matches the explanation. */
export type Forgery = { name: string; transport: Transport; says: RegExp };

const day = { hours: 24 };

/**
 * Makes connections that are almost the victim's: with certificates of other clients, for other
 * uses, of other roots, and expired. `accomplice` is another active client.
 */
export async function forgeTransports(
  directory: Directory,
  victim: TppClient,
  accomplice: TppClient,
): Promise<Forgery[]> {
  const { ca } = directory.authority;
  const key = await generateRsaKey();
  const foreignKey = (await generateEcKey()).privateKeyPem;
  const own = subjectOf(victim.tpp);
  const others = subjectOf(accomplice.tpp);
  const now = Temporal.Now.instant();
  type Request = Parameters<typeof issueCertificate>[0];
  const issue = async (change: Partial<Request>): Promise<Transport> => ({
    privateKeyPem: key.privateKeyPem,
    certificatePem: issueCertificate({
      subject: own,
      subjectKeyPem: key.publicKeyPem,
      issuer: ca.name,
      issuerKeyPem: ca.privateKeyPem,
      from: now.subtract(day),
      to: now.add(day),
      use: "client",
      ...change,
    }),
  });
  const mixed = (attribute: Name[number]["attribute"]): Name =>
    own.map((one, at) => (one.attribute === attribute ? (others[at] ?? one) : one));
  const selfSigned = { issuer: own, issuerKeyPem: key.privateKeyPem };
  return [
    {
      name: "the certificate of another client",
      transport: accomplice.tpp.transport,
      says: /CN in its subject is \w+; it must be \w+\./,
    },
    {
      name: "a certificate of the same organisation for other software",
      transport: await issue({ subject: mixed("CN") }),
      says: /CN in its subject is \w+; it must be \w+/,
    },
    {
      name: "a certificate of the same software name in another organisation",
      transport: await issue({ subject: mixed("OU") }),
      says: /OU in its subject is .*; it must be/,
    },
    {
      name: "a certificate without an organisation",
      transport: await issue({ subject: own.filter(({ attribute }) => attribute !== "OU") }),
      says: /OU in its subject is absent; it must be \w+/,
    },
    {
      name: "the client's own signing certificate",
      transport: { ...victim.tpp.signing, ...signingCertificateOf(victim) },
      says: /needs the extended key usage clientAuth.* it has no extended key usage/,
    },
    {
      name: "a certificate for servers",
      transport: await issue({ use: "server", hosts: ["localhost"] }),
      says: /needs the extended key usage clientAuth.* it has 1\.3\.6\.1\.5\.5\.7\.3\.1/,
    },
    {
      name: "a certificate whose key must not be used for signatures",
      transport: await withExtensions(directory, own, key, [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyEncipherment, true),
        forClients(),
      ]),
      says: /key usage digitalSignature/,
    },
    {
      name: "a certificate for electronic seals",
      transport: await withExtensions(directory, own, key, [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        forClients(),
        qcStatements({ use: "seal" }),
      ]),
      says: /is for electronic seals\. Use a certificate for web site/,
    },
    {
      name: "a self-signed certificate",
      transport: await issue(selfSigned),
      says: /is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    },
    {
      name: "a certificate of another root with the same name",
      transport: await issue({ issuerKeyPem: foreignKey }),
      says: /is not accepted \(\w+\)/,
    },
    {
      name: "a certificate that has expired",
      transport: await issue({ from: now.subtract({ hours: 48 }), to: now.subtract(day) }),
      says: /is not accepted \(CERT_HAS_EXPIRED\)/,
    },
    {
      name: "a certificate that is not valid yet",
      transport: await issue({ from: now.add(day), to: now.add({ hours: 48 }) }),
      says: /is not accepted \(CERT_NOT_YET_VALID\)/,
    },
  ];
}

function signingCertificateOf({ tpp }: TppClient): { certificatePem: string } {
  const { certificatePem } = tpp.signing as { certificatePem?: string }; // always issued
  if (certificatePem === undefined) throw new Error("the victim has its signing certificate");
  return { certificatePem };
}

// The directory never issues such certificates.
async function withExtensions(
  { authority: { ca } }: Directory,
  subject: Name,
  { privateKeyPem, publicKeyPem }: KeyPem,
  extensions: x509.Extension[],
): Promise<Transport> {
  const signed = issueCertificate({
    subject,
    subjectKeyPem: publicKeyPem,
    issuer: ca.name,
    issuerKeyPem: ca.privateKeyPem,
    from: Temporal.Now.instant().subtract(day),
    to: Temporal.Now.instant().add(day),
    use: "client",
  });
  const template = new x509.X509Certificate(new X509Certificate(signed).raw);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: template.subjectName,
    issuer: template.issuerName,
    notBefore: template.notBefore,
    notAfter: template.notAfter,
    publicKey: template.publicKey,
    extensions,
    signingKey: createPrivateKey(ca.privateKeyPem).toCryptoKey(
      { name: "ECDSA", namedCurve: "P-256" },
      false,
      ["sign"],
    ),
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
  });
  return { privateKeyPem, certificatePem: certificate.toString("pem") };
}

/** Makes a call in the victim's name, over a connection with the forged certificate. */
export async function impersonate<T>(
  victim: TppClient,
  { transport }: Pick<Forgery, "transport">,
  act: (thief: TppClient) => Promise<T>,
): Promise<T> {
  const thief = new TppClient(victim.bank, { ...victim.tpp, transport });
  try {
    return await act(thief);
  } finally {
    thief.close();
  }
}

/** Returns the `error` and `error_description` of an OAuth response. */
export const failureOf = ({ body }: Answer): { error: string; description: string } => {
  const { error, error_description: description } = body as Record<string, string>;
  return { error: error ?? "", description: description ?? "" };
};

import { createPrivateKey, createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import type { Extension } from "@peculiar/x509";

/** A key pair as PEM text: PKCS #8 and SPKI. */
export type KeyPem = { privateKeyPem: string; publicKeyPem: string };

/** A distinguished name, most significant attribute first. 2.5.4.97 is organizationIdentifier. */
export type Name = { attribute: "C" | "O" | "OU" | "CN" | "2.5.4.97"; value: string }[];

/** The contents of a certificate. */
export type CertificateRequest = {
  subject: Name;
  /** The subject's key: the private or the public key. */
  subjectKeyPem: string;
  issuer: Name;
  /** EC P-256 or RSA. */
  issuerKeyPem: string;
  from: Temporal.Instant;
  to: Temporal.Instant;
  use: "authority" | "server" | "client" | "signing";
  /** A server's DNS names and IP addresses. */
  hosts?: string[];
  /** Where the issuer publishes whether the certificate is revoked. */
  status?: { listUrl: string; responderUrl: string };
};

type Library = typeof import("@peculiar/x509");

// Loaded only when the first certificate is issued, because most starts issue none.
let library: Promise<Library> | undefined;

async function loadLibrary(): Promise<Library> {
  await import("reflect-metadata"); // the library's imports need it
  return import("@peculiar/x509");
}

/** Issues an X.509 v3 certificate and returns it as PEM text. Source: RFC 5280 section 4.1. */
export async function issueCertificate(request: CertificateRequest): Promise<string> {
  library ??= loadLibrary();
  const x509 = await library;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: encodedName(x509, request.subject),
    issuer: encodedName(x509, request.issuer),
    notBefore: new Date(request.from.epochMilliseconds),
    notAfter: new Date(request.to.epochMilliseconds),
    publicKey: spkiOf(request.subjectKeyPem),
    extensions: await extensionsOf(x509, request),
    ...signerOf(request.issuerKeyPem),
  });
  return `${certificate.toString("pem")}\n`;
}

/** A name in the notation of RFC 4514, for `tls_client_auth_subject_dn`. */
export const nameText = (name: Name): string =>
  [...name]
    .reverse()
    .map(({ attribute, value }) => `${attribute}=${value.replace(/[,+"\\<>;=]/g, "\\$&")}`)
    .join(",");

// A value with an explicit type is used as it is. The library would parse plain text for escapes.
const encodedName = ({ Name: X509Name }: Library, name: Name) =>
  new X509Name(
    name.map(({ attribute, value }) => ({
      [attribute]: [attribute === "C" ? { printableString: value } : { utf8String: value }],
    })),
  );

async function extensionsOf(
  x509: Library,
  { use, hosts = [], status, ...keys }: CertificateRequest,
) {
  const { KeyUsageFlags: flag, ExtendedKeyUsage: extended } = x509;
  const keyUses = {
    authority: flag.keyCertSign | flag.cRLSign,
    server: flag.digitalSignature | flag.keyEncipherment,
    client: flag.digitalSignature,
    signing: flag.digitalSignature | flag.nonRepudiation,
  };
  const extensions: Extension[] = [
    new x509.BasicConstraintsExtension(use === "authority", undefined, true),
    new x509.KeyUsagesExtension(keyUses[use], true),
    await x509.SubjectKeyIdentifierExtension.create(spkiOf(keys.subjectKeyPem)),
    await x509.AuthorityKeyIdentifierExtension.create(spkiOf(keys.issuerKeyPem)),
  ];
  if (use === "server") extensions.push(new x509.ExtendedKeyUsageExtension([extended.serverAuth]));
  if (use === "client") extensions.push(new x509.ExtendedKeyUsageExtension([extended.clientAuth]));
  if (status) {
    extensions.push(
      new x509.CRLDistributionPointsExtension([status.listUrl]),
      new x509.AuthorityInfoAccessExtension({ ocsp: status.responderUrl }),
    );
  }
  if (hosts.length > 0) {
    const names = hosts.map((value) => ({ type: isIP(value) ? "ip" : "dns", value }) as const);
    extensions.push(new x509.SubjectAlternativeNameExtension(names));
  }
  return extensions;
}

function signerOf(keyPem: string) {
  const key = createPrivateKey(keyPem);
  const algorithm =
    key.asymmetricKeyType === "ec"
      ? { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
      : { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return { signingKey: key.toCryptoKey(algorithm, false, ["sign"]), signingAlgorithm: algorithm };
}

const spkiOf = (pem: string): Buffer =>
  createPublicKey(pem).export({ type: "spki", format: "der" });

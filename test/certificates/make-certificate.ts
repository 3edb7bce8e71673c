import "reflect-metadata";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { ObjectIdentifier, Sequence, Utf8String } from "asn1js";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";

/** One attribute of a subject: its identifier or short name, its value and its string type. */
export type Part = [
  type: string,
  value: string,
  as?: "utf8String" | "printableString" | "bmpString",
];

/** The contents of a test certificate. Parts that are in one array form one RDN. */
export type Made = {
  subject: (Part | Part[])[];
  extensions?: x509.Extension[];
  from?: string;
  to?: string;
};

const keyPem = (await generateEcKey()).privateKeyPem;
const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Makes a self-signed certificate and reads it from its DER. */
export async function makeCertificate({ subject, ...given }: Made): Promise<X509Certificate> {
  const rdns = subject.map((rdn): Part[] => (Array.isArray(rdn[0]) ? rdn : [rdn]) as Part[]);
  const name = new x509.Name(
    rdns.map((rdn) =>
      Object.fromEntries(rdn.map(([type, value, as = "utf8String"]) => [type, [{ [as]: value }]])),
    ),
  );
  const certificate = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: name,
    notBefore: new Date(given.from ?? "2026-01-01T00:00:00Z"),
    notAfter: new Date(given.to ?? "2046-01-01T00:00:00Z"),
    publicKey: createPublicKey(keyPem).export({ type: "spki", format: "der" }),
    extensions: given.extensions ?? [],
    signingKey: createPrivateKey(keyPem).toCryptoKey(ecdsa, false, ["sign"]),
    signingAlgorithm: ecdsa,
  });
  return new X509Certificate(Buffer.from(certificate.rawData));
}

const oid = (value: string): ObjectIdentifier => new ObjectIdentifier({ value });
const list = (...value: (ObjectIdentifier | Sequence | Utf8String)[]): Sequence =>
  new Sequence({ value });

const roleIds = { PSP_AS: 1, PSP_PI: 2, PSP_AI: 3, PSP_IC: 4 } as const;

/** Makes the extension qcStatements. */
export function qcStatements(given: {
  use?: "web" | "seal";
  qualified?: boolean;
  psd2?: { roles: (keyof typeof roleIds)[]; authorityName: string; authorityId: string };
}): x509.Extension {
  const { use, qualified, psd2 } = given;
  const statements: Sequence[] = [];
  if (qualified) statements.push(list(oid("0.4.0.1862.1.1")));
  if (use)
    statements.push(
      list(oid("0.4.0.1862.1.6"), list(oid(`0.4.0.1862.1.6.${use === "web" ? 3 : 2}`))),
    );
  if (psd2) {
    const roles = psd2.roles.map((role) =>
      list(oid(`0.4.0.19495.1.${roleIds[role]}`), new Utf8String({ value: role })),
    );
    const text = (value: string): Utf8String => new Utf8String({ value });
    statements.push(
      list(
        oid("0.4.0.19495.2"),
        list(list(...roles), text(psd2.authorityName), text(psd2.authorityId)),
      ),
    );
  }
  return new x509.Extension("1.3.6.1.5.5.7.1.3", false, list(...statements).toBER());
}

/** Makes the extended key usage for clients. */
export const forClients = (): x509.Extension =>
  new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]);

import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { issueCertificate, type Name } from "#src/sandbox/directory/certificates.ts";

/** A folder with everything that a deployment must supply, and the variables that name it. */
export type ProductionFolder = {
  path: string;
  /** A complete configuration except for the ports. */
  environment: Record<string, string>;
  caPem: string;
  /** The root's key, to issue further certificates. */
  caKeyPem: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
};

const encoding = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;

/** Generates an RSA key as PEM text. */
export const rsaKey = (modulusLength = 2048): string =>
  generateKeyPairSync("rsa", { modulusLength, ...encoding }).privateKey;

/** Generates an EC key as PEM text. */
export const ecKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256", ...encoding }).privateKey;

/** Converts a key to the older format, PKCS #1. */
export const asPkcs1 = (pem: string): string =>
  createPrivateKey(pem).export({ type: "pkcs1", format: "pem" }).toString();

const authority: Name = [
  { attribute: "O", value: "A Bank" },
  { attribute: "CN", value: "A root" },
];
const from = Temporal.Instant.from("2020-01-01T00:00:00Z");
const to = Temporal.Instant.from("2049-01-01T00:00:00Z");

/** Issues a root certificate. */
const issueRoot = (keyPem: string): string =>
  issueCertificate({
    subject: authority,
    subjectKeyPem: keyPem,
    issuer: authority,
    issuerKeyPem: keyPem,
    from,
    to,
    use: "authority",
  });

/** Issues a server certificate for localhost. */
export const issueServer = (subjectKeyPem: string, issuerKeyPem: string): string =>
  issueCertificate({
    subject: [{ attribute: "CN", value: "localhost" }],
    subjectKeyPem,
    issuer: authority,
    issuerKeyPem,
    from,
    to,
    use: "server",
    hosts: ["localhost", "127.0.0.1"],
  });

/** Issues the certificate of a signature key. */
export const issueSigning = (subjectKeyPem: string, issuerKeyPem: string): string =>
  issueCertificate({
    subject: [{ attribute: "CN", value: "A bank's signatures" }],
    subjectKeyPem,
    issuer: authority,
    issuerKeyPem,
    from,
    to,
    use: "signing",
  });

/** Creates the folder. Remove it when done. */
export async function makeProductionFolder(): Promise<ProductionFolder> {
  const path = mkdtempSync(join(tmpdir(), "aldgate-production-"));
  const write = (name: string, text: string): string => {
    writeFileSync(join(path, name), text, { mode: 0o600 });
    return join(path, name);
  };
  const [caKey, tlsKey, signingKey] = [ecKey(), rsaKey(), rsaKey()];
  const caPem = await issueRoot(caKey);
  return {
    path,
    caPem,
    caKeyPem: caKey,
    write,
    remove: () => rmSync(path, { recursive: true, force: true }),
    environment: {
      ALDGATE_PROFILE: "production",
      ALDGATE_DATA: path,
      DATABASE_URL: "postgres://aldgate@127.0.0.1:1/nothing",
      DATABASE_WITHOUT_TLS: "true",
      PUBLIC_URL: "https://localhost:8080",
      MTLS_URL: "https://localhost:8443",
      PUBLIC_TLS: "true",
      TLS_CERTIFICATE: write("server.pem", await issueServer(tlsKey, caKey)),
      TLS_KEY: write("server.key.pem", tlsKey),
      CLIENT_CA: write("roots.pem", caPem),
      SIGNING_KEY: write("signing.key.pem", signingKey),
      SIGNING_CERTIFICATE: write("signing.pem", `${await issueSigning(signingKey, caKey)}${caPem}`),
      BANK_MODULE: fileURLToPath(new URL("./core.ts", import.meta.url)),
      COOKIE_SECRET: "gG7c1yq0Zs2mX9vBn4KdTf8WpRjLhEa3",
      ORGANISATION_ID: "0015800000BANK",
      LOG_LEVEL: "silent",
    },
  };
}

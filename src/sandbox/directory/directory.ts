import { createPublicKey, randomBytes, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { JWK } from "jose";
import { withCertificates } from "#src/http/connection/certificate-chain.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { type Authority, isEnding, issueLeaf, lifetimes, timesOf } from "./authority.ts";
import { type CertificateStatus, createCertificateStatus } from "./certificate-status.ts";
import { issueCertificate, type KeyPem, type Name } from "./certificates.ts";
import { createTpp, type TppRequest } from "./create-tpp.ts";
import { loadTpp, renewEnding, revokeCertificate } from "./held-certificates.ts";
import type { IssuedTpp, TppCertificates } from "./issued-tpp.ts";
import { type KeyFolder, openKeyFolder } from "./key-folder.ts";
import { generateEcKey, generateRsaKey, signingJwk } from "./keys.ts";
import { ensureReadyTpp } from "./ready-tpp.ts";

/**
 * Where the directory stores its keys, and the names and addresses for which it issues
 * certificates.
 */
type DirectoryOptions = {
  /** Folder for keys and certificates, created if it is missing; null keeps them in memory. */
  folder: string | null;
  database: Database;
  /** The machine's clock, which TLS uses. */
  clock: Clock;
  /** The bank's clock, if it may differ from the machine's. */
  bankClock?: Clock;
  /** Base URL under which `/directory/…` is served. */
  publicUrl: string;
  /** Names and addresses of the bank's listeners. */
  hosts: string[];
  /** Makes RSA keys. Tests pass a function that shares some. */
  generateKey?: () => Promise<KeyPem>;
};

/** The sandbox's directory: its trust anchor and its register of TPPs. */
export type Directory = {
  /** The root certificate of servers and TPPs. */
  caPem: string;
  /** The key and certificate of both listeners. A renewal replaces the certificate. */
  readonly server: ServerPair;
  /** The first signing key of the bank. */
  signing: { kid: string; privateKeyPem: string; readonly certificatesPem: string };
  /** Generates another signing key of the bank. Returns the name of its file. */
  makeSigningKey(): Promise<string>;
  /**
   * Issues the certificate of a signing key of the bank, and renews it from now on. Returns the
   * function that reads the newest one with its issuer's.
   */
  certifySigning(name: string, publicKeyPem: string): Promise<() => string>;
  cookieSecret: string;
  /** The keys that verify software statements. */
  readonly jwks: { keys: JWK[] };
  /** Issues certificates. */
  authority: Authority;
  /** Issues keys and certificates and registers the client. Throws TppRefused. */
  createTpp(request: TppRequest): Promise<IssuedTpp>;
  /**
   * Returns the TPP with that name. The first call registers it; later calls renew its certificates
   * if needed.
   */
  ensureReadyTpp(name: string, request: TppRequest): Promise<IssuedTpp>;
  /**
   * Loads a TPP with its newest certificates, renewed if they expire soon. Returns null for an
   * unknown TPP.
   */
  loadTpp(clientId: string): Promise<TppCertificates | null>;
  /** The list of revoked certificates, and the OCSP responder. */
  status: CertificateStatus;
  /**
   * Revokes a TPP's newest certificate, and issues another one for the same key and subject.
   * Returns the TPP with it; null for an unknown TPP.
   */
  revokeCertificate(clientId: string, use: "client" | "signing"): Promise<TppCertificates | null>;
  /**
   * Renews the certificates of the server and of all TPPs that expire soon. If there are none, a
   * call costs almost nothing.
   */
  renew(): Promise<void>;
  /** Calls the listener with every new certificate of the server. */
  onServerRenewed(listener: (server: ServerPair) => void): void;
};

/** PEM text of a private key and of its certificate. */
type ServerPair = { key: string; cert: string };

/** Returns the distinguished name of one of the sandbox's own certificates. */
const sandboxName = (commonName: string): Name => [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "Aldgate Sandbox" },
  { attribute: "CN", value: commonName },
];

const caName = sandboxName("Aldgate Sandbox Root CA");

/**
 * Opens the directory. It creates missing keys and certificates and renews certificates that expire
 * soon.
 */
export async function ensureDirectory(options: DirectoryOptions): Promise<Directory> {
  const folder = openKeyFolder(options.folder);
  const generateKey = options.generateKey ?? generateRsaKey;
  const { clock, bankClock = clock, database, publicUrl } = options;
  const [caKey, serverKey, bankKey, statementKey, cookieSecret] = await takeSecrets(
    folder,
    generateKey,
  );
  const caPem = await folder.take("ca.pem", () =>
    issueAuthority(caKey, timesOf({ clock, bankClock })),
  );
  const ca = { privateKeyPem: caKey, certificatePem: caPem, name: caName };
  const statementJwk = await signingJwk(statementKey);
  const authority: Authority = {
    ca,
    statementKey: { kid: statementJwk.kid, privateKeyPem: statementKey },
    folder,
    database,
    clock,
    bankClock,
    publicUrl,
    generateKey,
  };
  const ensureServer = async (): Promise<ServerPair> => ({
    key: serverKey,
    cert: await ensureServerCertificate(authority, serverKey, options.hosts),
  });
  let server = await ensureServer();
  const signing = createSigningCertificates(authority);
  await signing.ensure("bank-signing", publicPemOf(bankKey));
  await signing.ensure("directory-signing", publicPemOf(statementKey));
  const serverListeners: ((server: ServerPair) => void)[] = [];
  const readyTpps: { tpp: IssuedTpp; ensure(): Promise<IssuedTpp> }[] = [];
  const renew = async (): Promise<void> => {
    if (isEnding(server.cert, authority)) {
      server = await ensureServer();
      for (const listener of serverListeners) listener(server);
    }
    await signing.renew();
    await renewEnding(authority);
    for (const { tpp, ensure } of readyTpps) {
      if (isEnding(tpp.transport.certificatePem, authority)) Object.assign(tpp, await ensure());
    }
  };
  return {
    caPem,
    authority,
    get server() {
      return server;
    },
    signing: {
      kid: (await signingJwk(bankKey)).kid,
      privateKeyPem: bankKey,
      get certificatesPem() {
        return signing.pemOf("bank-signing");
      },
    },
    ...keyMakerOf(authority, signing),
    cookieSecret,
    get jwks() {
      return { keys: [withCertificates(statementJwk, signing.pemOf("directory-signing"))] };
    },
    ...registerOf(authority),
    async ensureReadyTpp(name, request) {
      const ensure = () => ensureReadyTpp(authority, name, request);
      const tpp = await ensure();
      readyTpps.push({ tpp, ensure });
      return tpp;
    },
    renew,
    onServerRenewed: (listener) => void serverListeners.push(listener),
  };
}

const registerOf = (
  authority: Authority,
): Pick<Directory, "createTpp" | "loadTpp" | "status" | "revokeCertificate"> => ({
  createTpp: (request) => createTpp(authority, request),
  loadTpp: (clientId) => loadTpp(authority, clientId),
  status: createCertificateStatus(authority),
  revokeCertificate: (clientId, use) => revokeCertificate(authority, clientId, use),
});

const keyMakerOf = (
  { folder }: Authority,
  signing: SigningCertificates,
): Pick<Directory, "makeSigningKey" | "certifySigning"> => ({
  async makeSigningKey() {
    // the bank takes each key once, and the keys of a test bank come round again
    const { privateKeyPem } = await generateRsaKey();
    const name = `bank-signing-${(await signingJwk(privateKeyPem)).kid}.key.pem`;
    folder.write(name, privateKeyPem);
    return name;
  },
  async certifySigning(name, publicKeyPem) {
    await signing.ensure(name, publicKeyPem);
    return () => signing.pemOf(name);
  },
});

function takeSecrets(folder: KeyFolder, generateKey: () => Promise<KeyPem>) {
  const rsa = async (): Promise<string> => (await generateKey()).privateKeyPem;
  return Promise.all([
    folder.take("ca.key.pem", async () => (await generateEcKey()).privateKeyPem),
    folder.take("server.key.pem", rsa),
    folder.take("bank-signing.key.pem", rsa),
    folder.take("directory-signing.key.pem", rsa),
    folder.take("cookie-secret", () => randomBytes(32).toString("base64url")),
  ]);
}

function issueAuthority(keyPem: string, [earlier, later]: ReturnType<typeof timesOf>): string {
  return issueCertificate({
    subject: caName,
    subjectKeyPem: keyPem,
    issuer: caName,
    issuerKeyPem: keyPem,
    from: earlier.subtract({ hours: 1 }),
    to: later.add({ hours: lifetimes.authorityDays * 24 }),
    use: "authority",
  });
}

async function ensureServerCertificate(
  authority: Authority,
  keyPem: string,
  hosts: string[],
): Promise<string> {
  // the bank's host names may have changed since the certificate was issued
  const isGood = (pem: string): boolean => hosts.every((host) => covers(pem, host));
  const subject = sandboxName(hosts[0] ?? "localhost");
  return ensureLeaf(authority, "server", isGood, {
    subject,
    subjectKeyPem: keyPem,
    use: "server",
    hosts,
  });
}

function covers(certificatePem: string, host: string): boolean {
  const certificate = new X509Certificate(certificatePem);
  const covered = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
  return covered !== undefined;
}

/** The certificates of the sandbox's own signature keys. */
type SigningCertificates = {
  /** Ensures that a key has a certificate, and renews it from then on. */
  ensure(name: string, publicKeyPem: string): Promise<void>;
  /** Renews the certificates that expire soon. */
  renew(): Promise<void>;
  /** Returns the newest certificate of a key and the root certificate, as PEM text. */
  pemOf(name: string): string;
};

/** Makes the store of these certificates, which are files in the authority's folder. */
function createSigningCertificates(authority: Authority): SigningCertificates {
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
const publicPemOf = (privateKeyPem: string): string =>
  createPublicKey(privateKeyPem).export({ type: "spki", format: "pem" }).toString();

/**
 * Returns the certificate stored under a name. If it is missing or no longer usable, issues a new
 * one.
 */
async function ensureLeaf(
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

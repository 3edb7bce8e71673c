import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  type X509Certificate,
} from "node:crypto";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { bankLoginFaults } from "#src/config/bank-login-settings.ts";
import { type Config, ConfigError, loadConfig } from "#src/config/config.ts";
import { readNetworks } from "#src/config/networks.ts";
import { hasOwnCore, twoCores } from "#src/config/own-core.ts";
import { parseCertificates } from "#src/http/connection/certificate-chain.ts";
import { sha256 } from "#src/lib/hash.ts";
import { readIssuers } from "#src/registration/statement-issuer.ts";
import { statementIssuer } from "#src/sandbox/directory/create-tpp.ts";
import { isSeeded } from "#src/sandbox/personas/is-seeded.ts";
import { findUrlFaults } from "#src/server/opening/open-database.ts";
import { serviceKeyOf } from "#src/signing/locate-key.ts";
import { serviceUrlMistake } from "#src/signing/remote-connection.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { anchorFiles, type FileKey, fileKeys } from "./keys.ts";

const required = [
  ["DATABASE_URL", "production needs PostgreSQL: the embedded database never syncs to disk"],
  ["PUBLIC_URL", "production needs the base URL that browsers see"],
  ["MTLS_URL", "production needs the base URL that TPPs see"],
  ["TLS_CERTIFICATE", "production needs the server's certificate chain (PEM file)"],
  ["TLS_KEY", "production needs the server's key (PEM file)"],
  ["CLIENT_CA", "production needs the authorities that TPP certificates chain to (PEM files)"],
  ["COOKIE_SECRET", "production needs a secret of 32 characters or more"],
] as const satisfies readonly (readonly [keyof Config, string])[];

const sandboxKeys = [
  "CLOCK_START",
  "CLOCK_RATE",
  "SANDBOX_HOSTS",
  "SANDBOX_CONTROLS_NETWORKS",
  "SANDBOX_CONTROLS_TOKEN",
] as const satisfies readonly (keyof Config)[];

/** Records a fault of a setting. */
type Say = (key: keyof Config, fault: string) => void;

/** The settings of a service of the bank. */
type RemoteSettings = Readonly<Record<"url" | "certificate" | "key", keyof Config>> & {
  files: readonly (keyof Config)[];
};

const remoteSigner: RemoteSettings = {
  url: "SIGNING_SERVICE_URL",
  certificate: "SIGNING_SERVICE_CERTIFICATE",
  key: "SIGNING_SERVICE_CERTIFICATE_KEY",
  files: [
    "SIGNING_SERVICE_TOKEN_FILE",
    "SIGNING_SERVICE_CA",
    "SIGNING_SERVICE_CERTIFICATE",
    "SIGNING_SERVICE_CERTIFICATE_KEY",
  ],
};
const remoteCore: RemoteSettings = {
  url: "BANK_URL",
  certificate: "BANK_CERTIFICATE",
  key: "BANK_CERTIFICATE_KEY",
  files: ["BANK_MODULE", "BANK_CA", "BANK_CERTIFICATE", "BANK_CERTIFICATE_KEY", "BANK_SIGNING_KEY"],
};

// What a sandbox's authority writes into every certificate, its own included.
const sandboxName = /^O=Aldgate Sandbox$/m;
const testAnchor = "openbankingtest.org.uk";
const minimumRsaBits = 2048;
const minimumDistinctCharacters = 10;

/**
 * Refuses a production profile with anything of a sandbox (generated keys, plain HTTP, missing
 * or default secrets) or with a database that TLS does not verify. Throws ConfigError with every
 * fault.
 */
export function checkProduction(config: Config): void {
  if (config.ALDGATE_PROFILE !== "production") return;
  const faults: string[] = [];
  const say: Say = (key, fault) => void faults.push(`${key}: ${fault}`);
  for (const [key, why] of required) if (config[key] === undefined) say(key, why);
  if (!hasOwnCore(config)) {
    const text = "production needs the bank's own core, a module that implements the port";
    say("BANK_MODULE", `${text}, or a service (BANK_URL)`);
  }
  for (const key of sandboxKeys) {
    if (config[key] !== undefined) say(key, "production has no sandbox: leave this setting out");
  }
  if (config.BANK_URL !== undefined && config.BANK_MODULE !== undefined) say("BANK_URL", twoCores);
  faults.push(...bankLoginFaults(config));
  for (const { key, fault } of findUrlFaults(config)) say(key, fault);
  checkSignerUrl(config, say);
  for (const remote of [remoteSigner, remoteCore]) checkRemote(config, remote, say);
  checkAddresses(config, say);
  checkIdentity(config, say);
  const secrets = loadSandboxSecrets(config);
  checkCookieSecret(config, secrets, say);
  const leaf = checkCertificates(config, "TLS_CERTIFICATE", say)?.[0];
  checkAnchors(config, say);
  const tlsKey = checkPrivateKey(config, "TLS_KEY", secrets, say);
  if (leaf && tlsKey && !leaf.checkPrivateKey(tlsKey)) {
    say("TLS_KEY", "this is not the key of TLS_CERTIFICATE");
  }
  checkFirstSigningKey(config, secrets, faults);
  faults.push(...issuerFaults(config));
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Lists what is wrong with the issuers of software statements; empty without any. */
function issuerFaults(config: Config): string[] {
  const { REGISTRATION_ISSUERS: path, REGISTRATION_NETWORKS: text } = config;
  if (path === undefined) return [];
  try {
    // a directory on this machine is a sandbox's, unless the operator lists this machine
    const isListed = readNetworks("REGISTRATION_NETWORKS", text).check("127.0.0.1");
    const isOfTests = (host: string): boolean =>
      host.endsWith(testAnchor) || (!isListed && /^(localhost|127\.)/.test(host));
    return readIssuers(path)
      .filter(({ iss, hosts }) => iss === statementIssuer || hosts.some(isOfTests))
      .map(
        ({ iss }) =>
          `REGISTRATION_ISSUERS: ${iss} is a test directory; production needs the real one`,
      );
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const namedClients = 5;

/**
 * Refuses a production profile on a database that a sandbox has filled, or that has clients whose
 * tokens are not bound to a certificate. Throws ConfigError.
 */
export async function checkProductionData(config: Config, database: Database): Promise<void> {
  if (config.ALDGATE_PROFILE !== "production") return;
  const faults: string[] = [];
  if (await isSeeded(database)) {
    faults.push("DATABASE_URL: a sandbox has filled this database with its customers");
  }
  const unbound = await database.query<{ clientId: string; name: string }>(
    sql`select cl.client_id as "clientId", s.name from client_setting cs
      join client cl on cl.client_id = cs.client_id
      join software s on s.software_id = cl.software_id
      where not cs.certificate_bound and cs.status = 'active'
      order by cl.client_id limit ${namedClients}`,
  );
  for (const { clientId, name } of unbound) {
    faults.push(
      `DATABASE_URL: the client ${clientId} (${name}) has tokens that are not bound to a ` +
        "certificate; suspend it, or set certificate_bound in client_setting",
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

function checkAddresses(config: Config, say: Say): void {
  if (!config.PUBLIC_TLS)
    say("PUBLIC_TLS", "production does not serve plain HTTP: set this to true");
  for (const key of ["PUBLIC_URL", "MTLS_URL", "BANK_HOME_URL"] as const) {
    const url = config[key];
    if (url === undefined) continue;
    if (!URL.canParse(url)) say(key, `${url} is not a valid URL`);
    else if (new URL(url).protocol !== "https:") say(key, "production URLs must use https");
  }
}

/** Refuses the names with which sandboxes sign. */
function checkIdentity(config: Config, say: Say): void {
  if (config.TRUST_ANCHOR === testAnchor) {
    say("TRUST_ANCHOR", `${testAnchor} is the trust anchor of test participants`);
  }
  if (config.ORGANISATION_ID === loadConfig({}).ORGANISATION_ID) {
    say("ORGANISATION_ID", "production signs in the bank's own name, not the sandbox's");
  }
}

function checkCookieSecret({ COOKIE_SECRET: secret }: Config, known: Set<string>, say: Say): void {
  if (secret === undefined) return;
  if (known.has(sha256(secret))) say("COOKIE_SECRET", "this secret was generated by a sandbox");
  if (new Set(secret).size < minimumDistinctCharacters) {
    say("COOKIE_SECRET", "too simple to be a secret; use 32 random characters");
  }
}

/** Checks every file of trusted authorities. */
function checkAnchors(config: Config, say: Say): void {
  if (config.CLIENT_CA === undefined) return;
  const files = anchorFiles(config);
  if (files.length === 0) say("CLIENT_CA", `${config.CLIENT_CA} has no .pem, .crt or .cer file`);
  for (const path of files) {
    if (!isFile(path)) {
      say("CLIENT_CA", `there is no file ${path}`);
      continue;
    }
    const certificates = tryParse(readFileSync(path, "utf8"));
    if (certificates === null) {
      say("CLIENT_CA", `${path} does not contain a readable PEM certificate`);
    } else if (certificates.some(isOfSandbox)) {
      say("CLIENT_CA", `${path} contains a certificate that a sandbox issued`);
    }
  }
}

/** The certificates of a file, in order; null if it has none that can be read. */
function checkCertificates(config: Config, key: FileKey, say: Say): X509Certificate[] | null {
  const text = readText(config, key, say);
  if (text === null) return null;
  const certificates = tryParse(text);
  if (certificates === null) {
    say(key, `${config[key]} does not contain a readable PEM certificate`);
  } else if (certificates.some(isOfSandbox)) {
    say(key, `${config[key]} contains a certificate that a sandbox issued`);
  }
  return certificates;
}

function checkPrivateKey(
  config: Config,
  key: FileKey,
  sandboxSecrets: Set<string>,
  say: Say,
): KeyObject | null {
  const text = readText(config, key, say);
  if (text === null) return null;
  const parsed = parsePrivateKey(text);
  if (parsed === null) {
    say(key, `${config[key]} does not contain a readable PEM private key`);
    return null;
  }
  if (sandboxSecrets.has(fingerprint(parsed))) {
    say(key, `${config[key]} was generated by a sandbox; production needs its own key`);
  }
  const bits = parsed.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < minimumRsaBits) {
    say(key, `this RSA key has ${bits} bits; it must have at least ${minimumRsaBits}`);
  }
  return parsed;
}

/**
 * Checks SIGNING_KEY and SIGNING_CERTIFICATE, which belong together. Both may be absent if the
 * database already has signing keys, which `openSigning` checks.
 */
function checkFirstSigningKey(config: Config, secrets: Set<string>, faults: string[]): void {
  const say: Say = (key, fault) => void faults.push(`${key}: ${fault}`);
  const { SIGNING_KEY: location, SIGNING_CERTIFICATE: certificate } = config;
  const isEmpty = location === undefined && certificate === undefined;
  if (isEmpty && config.DATABASE_URL !== undefined) return;
  if (location === undefined) {
    say("SIGNING_KEY", "production needs the key for id_tokens and message signatures");
  }
  if (certificate === undefined) {
    say("SIGNING_CERTIFICATE", "production needs the certificate of SIGNING_KEY and its issuers");
  }
  const isInFile = location !== undefined && serviceKeyOf(location) === null;
  const signingKey = isInFile ? checkPrivateKey(config, "SIGNING_KEY", secrets, say) : null;
  if (signingKey) checkSigningForm(config, signingKey, say);
  const keyIsGood = !faults.some((fault) => fault.startsWith("SIGNING_KEY:"));
  const chain = checkCertificates(config, "SIGNING_CERTIFICATE", say);
  if (chain) checkSigningChain(chain, keyIsGood ? signingKey : null, say);
}

/** Checks that a key of the signing service has a service. */
function checkSignerUrl(config: Config, say: Say): void {
  const { SIGNING_SERVICE_URL: url, SIGNING_KEY: location } = config;
  if (url === undefined && location !== undefined && serviceKeyOf(location) !== null) {
    say("SIGNING_SERVICE_URL", `SIGNING_KEY is ${location}: name the URL of the signing service`);
  }
}

/** Checks the address of a service of the bank, and that its files exist. */
function checkRemote(config: Config, remote: RemoteSettings, say: Say): void {
  const { [remote.url]: url, [remote.certificate]: cert, [remote.key]: key } = config;
  const mistake = url === undefined ? null : serviceUrlMistake(String(url));
  if (mistake !== null) say(remote.url, mistake);
  if ((cert === undefined) !== (key === undefined)) {
    say(remote.key, "the certificate and its key must be set together");
  }
  for (const name of remote.files) {
    const path = config[name];
    if (path !== undefined && !isFile(String(path))) say(name, `there is no file ${path}`);
  }
}

/** Checks that the key is an RSA key in the one form that all tools read. */
function checkSigningForm(config: Config, key: KeyObject, say: Say): void {
  if (key.asymmetricKeyType !== "rsa") {
    say("SIGNING_KEY", "message signatures use PS256, which needs an RSA key");
  }
  if (!readText(config, "SIGNING_KEY", say)?.startsWith("-----BEGIN PRIVATE KEY-----")) {
    say("SIGNING_KEY", "the file must be PKCS #8: `openssl pkcs8 -topk8 -nocrypt` converts it");
  }
}

/** Checks that the chain begins with the key's certificate and goes from issuer to issuer. */
function checkSigningChain(chain: X509Certificate[], key: KeyObject | null, say: Say): void {
  if (key && !chain[0]?.checkPrivateKey(key)) {
    say("SIGNING_CERTIFICATE", "the first certificate must be the certificate of SIGNING_KEY");
  }
  if (chain.some((one, index) => index > 0 && !chain[index - 1]?.checkIssued(one))) {
    say(
      "SIGNING_CERTIFICATE",
      "each certificate must be followed by the certificate of its issuer",
    );
  }
}

function readText(config: Config, key: FileKey, say: Say): string | null {
  const path = config[key];
  if (path === undefined) return null;
  if (!isFile(path)) {
    say(key, `there is no file ${path}`);
    return null;
  }
  return readFileSync(path, "utf8");
}

/**
 * Fingerprints of the keys and cookie secrets that sandboxes have generated. They are compared by
 * content, so that a copy elsewhere is recognised. They are read from the data folder and from the
 * folders of the configured files.
 */
function loadSandboxSecrets(config: Config): Set<string> {
  const named = [...fileKeys.map((key) => config[key]), ...anchorFiles(config)];
  const folders = named.flatMap((path) => (path === undefined ? [] : [dirname(path)]));
  const known = new Set<string>();
  for (const folder of new Set([join(config.ALDGATE_DATA, "keys"), ...folders])) {
    const authority = join(folder, "ca.pem");
    if (!isFile(authority)) continue;
    if (!tryParse(readFileSync(authority, "utf8"))?.some(isOfSandbox)) continue;
    for (const name of globSync("**/*.key.pem", { cwd: folder })) {
      const key = parsePrivateKey(readFileSync(join(folder, name), "utf8"));
      if (key) known.add(fingerprint(key));
    }
    const secret = join(folder, "cookie-secret");
    if (isFile(secret)) known.add(sha256(readFileSync(secret, "utf8").trim()));
  }
  return known;
}

function tryParse(text: string): X509Certificate[] | null {
  try {
    const certificates = parseCertificates(text);
    return certificates.length > 0 ? certificates : null;
  } catch {
    return null;
  }
}

function parsePrivateKey(text: string): KeyObject | null {
  try {
    return createPrivateKey(text);
  } catch {
    return null;
  }
}

const isOfSandbox = ({ issuer, subject }: X509Certificate): boolean =>
  sandboxName.test(issuer) || sandboxName.test(subject);

const fingerprint = (key: KeyObject): string =>
  sha256(createPublicKey(key).export({ type: "spki", format: "pem" }));

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

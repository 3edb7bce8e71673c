import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JWK } from "jose";
import { securityProfileOf } from "#src/clients/security-profile.ts";
import type { Config } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { issueLeaf } from "#src/sandbox/directory/authority.ts";
import type { Name } from "#src/sandbox/directory/certificates.ts";
import { generateEcKey, generateRsaKey, signingJwk } from "#src/sandbox/directory/keys.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Database } from "#src/storage/database.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Changes, requestClaims } from "./request-claims.ts";
import { signAny } from "./sign-any.ts";

export type KeyPem = { privateKeyPem: string; publicKeyPem: string };

/** A document that a test's directory serves. */
export type Served = {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
  /** Resolves when the document is to be served. */
  after?: Promise<unknown>;
};

/** A client certificate with its key. */
export type Transport = { privateKeyPem: string; certificatePem: string };

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  text: string;
};

export const issuerName = "Test Directory";
export const organisationId = "0015800001TEST0001";
export const softwareId = "4t7dBRDnSgGLmNcQbP7sXA";
export const redirectUri = "https://tpp.example/callback";
const registrationId = "123456";

/** Keys that many tests share, because making them takes long. */
export type BedKeys = { directory: KeyPem; signing: KeyPem; transport: KeyPem; other: KeyPem };

export async function makeKeys(): Promise<BedKeys> {
  const [directory, signing, transport, other] = await Promise.all([
    generateRsaKey(),
    generateRsaKey(),
    generateRsaKey(),
    generateRsaKey(),
  ]);
  return { directory, signing, transport, other } as BedKeys;
}

/** The subject of an older kind of certificate, which names organisation and software. */
export const legacySubject = (software = softwareId, organisation = organisationId): Name => [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "OpenBanking" },
  { attribute: "OU", value: organisation },
  { attribute: "CN", value: software },
];

export const subjectText = `CN=${softwareId},OU=${organisationId},O=OpenBanking,C=GB`;

/** Opens a bank that trusts a test directory, which runs in this process. */
export async function openRegistrationBed(
  overrides: Partial<Config> = {},
  given: { database?: Database; issuer?: object } = {},
) {
  const keys = await makeKeys();
  const served = new Map<string, Served | null>();
  const asked: string[] = [];
  const server = https.createServer((request, response) => {
    const url = request.url ?? "";
    asked.push(url);
    const document = served.get(url);
    if (document === null) return; // never answered
    if (!document) return response.writeHead(404).end();
    const { status = 200, headers = {}, body, after = Promise.resolve() } = document;
    return void after.then(() => {
      response.writeHead(status, { "content-type": "application/jwk-set+json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref(); // a failing test must not keep the process open
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), "aldgate-registration-"));
  const directoryJwk = await signingJwk(keys.directory.publicKeyPem);
  writeFileSync(join(folder, "directory.jwks"), JSON.stringify({ keys: [directoryJwk] }));
  const issuer = {
    iss: issuerName,
    jwksFile: join(folder, "directory.jwks"),
    jwksHosts: [host],
    statusUrl: `https://${host}/status/{org_id}/{software_id}`,
    ...given.issuer,
  };
  writeFileSync(join(folder, "issuers.json"), JSON.stringify({ issuers: [issuer] }));
  const settings = {
    REGISTRATION_ISSUERS: join(folder, "issuers.json"),
    REGISTRATION_PER_MINUTE: 0,
    ...overrides,
  };
  const bank = await openBank(settings, given.database);
  const { authority } = present(bank.sandbox, "the sandbox").directory;
  const leaf = (subject: Name, key: KeyPem, use: "client" | "server" | "signing") =>
    issueLeaf(authority, {
      subject,
      subjectKeyPem: key.publicKeyPem,
      use,
      hosts: use === "server" ? ["localhost", "127.0.0.1"] : [],
    });
  const serverKey = await generateEcKey();
  server.setSecureContext({
    key: serverKey.privateKeyPem,
    cert: await leaf([{ attribute: "CN", value: "localhost" }], serverKey, "server"),
  });
  const certificate = async (
    subject = legacySubject(),
    key = keys.transport,
  ): Promise<Transport> => ({
    privateKeyPem: key.privateKeyPem,
    certificatePem: await leaf(subject, key, "client"),
  });
  const jwk: JWK & { kid: string } = await signingJwk(keys.signing.publicKeyPem);
  const paths = {
    active: `/${organisationId}/${softwareId}.jwks`,
    revoked: "/revoked.jwks",
    status: `/status/${organisationId}/${softwareId}`,
  };
  served.set(paths.active, { body: { keys: [jwk] } });
  served.set(paths.revoked, { body: { keys: [] } });
  served.set(paths.status, { body: { org_status: "Active" } });
  const transport = await certificate();
  const clients: TppClient[] = [];
  const bed = {
    bank,
    keys,
    host,
    served,
    /** The paths that were requested from the directory. */
    asked,
    paths,
    /** The file of trusted issuers, for another process of the bank. */
    issuersFile: settings.REGISTRATION_ISSUERS,
    kid: jwk.kid,
    jwk,
    directoryKid: directoryJwk.kid,
    transport,
    certificate,
    leaf,
    caPem: authority.ca.certificatePem,
    url: `${bank.mtlsUrl}/register`,
    ...makers({
      ...{ bank, keys, host, paths, clients },
      kid: jwk.kid,
      directoryKid: directoryJwk.kid,
    }),
    send: (given: Sent) => send(bank, authority.ca.certificatePem, { transport, ...given }),
    async close() {
      for (const client of clients) client.close();
      server.closeAllConnections();
      server.close();
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bed;
}

export type Bed = Awaited<ReturnType<typeof openRegistrationBed>>;

type Makers = {
  bank: TestBank;
  keys: BedKeys;
  host: string;
  paths: { active: string; revoked: string };
  kid: string;
  directoryKid: string;
  /** The clients that the bed closes. */
  clients: TppClient[];
};

const seconds = (): number => Math.floor(Date.now() / 1000);

function makers({ bank, keys, host, paths, kid, directoryKid, clients }: Makers) {
  const statement = (
    changes: Changes = {},
    { header = {}, key = keys.directory }: { header?: Changes; key?: KeyPem } = {},
  ): Promise<string> =>
    signAny(
      {
        iss: issuerName,
        iat: seconds() - 300,
        jti: randomUUID(),
        software_environment: "production",
        software_mode: "Live",
        software_id: softwareId,
        software_client_id: softwareId,
        software_client_name: "Savvy",
        software_client_description: "Savings",
        software_version: "1.0",
        software_redirect_uris: [redirectUri, "https://tpp.example/other"],
        software_roles: ["AISP", "PISP", "CBPII"],
        organisation_competent_authority_claims: {
          authority_id: "FCAGBR",
          registration_id: registrationId,
          status: "Active",
          authorisations: [{ member_state: "GB", roles: ["AISP", "PISP", "CBPII"] }],
        },
        org_status: "Active",
        org_id: organisationId,
        org_name: "Savvy Ltd",
        org_contacts: [],
        software_jwks_endpoint: `https://${host}${paths.active}`,
        software_jwks_revoked_endpoint: `https://${host}${paths.revoked}`,
        ...changes,
      },
      { kid: directoryKid, ...header },
      key,
    );
  return {
    statement,
    /** Claims of a request as the official registration tool makes them. */
    async claims(changes: Changes = {}): Promise<Changes> {
      const given = "software_statement" in changes ? "" : await statement();
      const software = { softwareId, redirectUris: [redirectUri] };
      const claims = requestClaims(software, { audience: bank.publicUrl, statement: given });
      return { ...claims, ...changes };
    },
    async request(
      changes: Changes = {},
      { header = {}, key = keys.signing }: { header?: Changes; key?: KeyPem } = {},
    ): Promise<string> {
      return signAny(await this.claims(changes), { kid, ...header }, key);
    },
    /** A client that has been registered. The bed closes it. */
    client(
      body: Changes,
      given: { transport: Transport; caPem: string; signing?: KeyPem; kid?: string },
    ): TppClient {
      const client = new TppClient(bank, {
        clientId: String(body.client_id),
        organisationId,
        softwareId,
        redirectUris: body.redirect_uris as string[],
        tokenEndpointAuthMethod: body.token_endpoint_auth_method as "private_key_jwt",
        certificateBound: true,
        profile: securityProfileOf(body).id,
        signing: {
          kid: given.kid ?? kid,
          privateKeyPem: (given.signing ?? keys.signing).privateKeyPem,
        },
        transport: given.transport,
        caPem: given.caPem,
      });
      clients.push(client);
      return client;
    },
  };
}

export type Sent = {
  method?: string;
  url?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Null for a connection without a certificate. */
  transport?: Transport | null;
};

/** Sends a request to the registration endpoint over a new connection. */
function send(bank: TestBank, caPem: string, given: Sent): Promise<Answer> {
  const { method = "POST", url = `${bank.mtlsUrl}/register`, body, transport } = given;
  const headers = {
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/jose" }),
    ...given.headers,
  };
  const tls = transport ? { key: transport.privateKeyPem, cert: transport.certificatePem } : {};
  return new Promise((resolve, reject) => {
    const request = https.request(
      url,
      { method, headers, ca: caPem, agent: false, ...tls },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode = 0, headers: found } = response;
          resolve({ status: statusCode, headers: found, body: parsed(text), text });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

import { generateKeyPairSync } from "node:crypto";
import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { type CryptoKey, FlattenedSign, importJWK, type JWK } from "jose";
import type { RegisteredKey } from "#src/clients/register-client.ts";
import { appOptions } from "#src/http/connection/listeners.ts";
import type { HttpKit } from "#src/http/kit.ts";
import { jwsClaims } from "#src/http/signature/message-signer.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import type { Database } from "#src/storage/database.ts";
import { addToken } from "#test/auth/stored-rows.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { fakeOperations, type Journal } from "./fake-operations.ts";
import { bankKeys, serve } from "./serve.ts";

export async function makeKeyPair(kid: string): Promise<{ key: CryptoKey; jwk: JWK }> {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = (await importJWK(pair.privateKey.export({ format: "jwk" }), "PS256", {
    extractable: true,
  })) as CryptoKey;
  return { key, jwk: { ...pair.publicKey.export({ format: "jwk" }), kid, use: "sig" } as JWK };
}

export type FakeBank = {
  app: FastifyInstance;
  database: Database;
  journal: Journal;
  kit: HttpKit;
  bankJwk: JWK;
  tpp: Tpp;
  /** A second TPP, which is active too. */
  otherTpp: Tpp;
  /** A clock that stands still until `advance` moves it. */
  clock: Clock & { advance(duration: Temporal.DurationLike): void };
  addToken(token: Partial<TokenRow>): Promise<string>;
  close(): Promise<void>;
};

export type Tpp = { clientId: string; organisationId: string; softwareId: string; key: CryptoKey };

type TokenRow = {
  kind: string;
  clientId: string;
  scope: string;
  thumbprint: string | null;
  expiresAt: Temporal.Instant;
  grantId: string | null;
};

/** Opens a bank with two APIs that exist only for tests, on a database in memory. */
export async function openFakeBank(
  options: { perSecond?: number; bodyLimit?: number; log?: string[] } = {},
): Promise<FakeBank> {
  const database = await openEmpty();
  let now = systemClock.now();
  const clock = {
    now: () => now,
    advance: (duration: Temporal.DurationLike) => {
      now = now.add(duration);
    },
  };
  const journal: Journal = {
    created: [],
    keys: [],
    baseUrls: [],
    reads: 0,
    file: { bytes: Buffer.alloc(0), sha256: null },
  };
  const bodyLimit = options.bodyLimit ?? 4096;
  const { app, kit } = await serve(fakeOperations(journal), {
    database,
    clock,
    bodyLimit,
    requestsPerSecond: options.perSecond ?? 0,
    fastify: loggingOptions(bodyLimit, options.log),
  });
  const tpp = await addTpp(database, "tpp-1");
  const otherTpp = await addTpp(database, "tpp-2");
  return {
    app,
    database,
    journal,
    kit,
    bankJwk: {
      ...bankKeys().publicKey.export({ format: "jwk" }),
      kid: "bank-1",
      use: "sig",
    } as JWK,
    tpp,
    otherTpp,
    clock,
    addToken: (token) =>
      addToken(database, {
        kind: "client_credentials",
        clientId: tpp.clientId,
        scope: "payments",
        expiresAt: clock.now().add({ hours: 1 }),
        ...token,
      }),
    async close() {
      await app.close();
      await database.close();
    },
  };
}

function loggingOptions(bodyLimit: number, lines: string[] | undefined): FastifyServerOptions {
  if (!lines) return appOptions({ logLevel: "silent", bodyLimit });
  const options = appOptions({ logLevel: "info", bodyLimit });
  const stream = { write: (line: string) => void lines.push(line) };
  return { ...options, logger: { ...(options.logger as object), stream } };
}

async function addTpp(database: Database, clientId: string): Promise<Tpp> {
  const { key, jwk } = await makeKeyPair(`${clientId}-key`);
  const tpp = { clientId, organisationId: `org-${clientId}`, softwareId: `soft-${clientId}`, key };
  const { organisationId, softwareId } = tpp;
  const setting = { certificateBound: false };
  const keys = [jwk as RegisteredKey];
  await addClient(database, clientId, {
    organisationId,
    softwareId,
    roles: ["PISP"],
    keys,
    setting,
  });
  return tpp;
}

/** Adds a consent in the given state, with the grant that its tokens belong to. */
export async function addConsent(
  { database, tpp }: FakeBank,
  consent: { status?: string; expiresAt?: Temporal.Instant | null } = {},
): Promise<{ grantId: string; consentId: string }> {
  const consentId = newId("c");
  const grantId = newId("g");
  await addConsents(database, [
    {
      consentId,
      kind: "account-access",
      apiVersion: "aisp-v3.1",
      clientId: tpp.clientId,
      status: consent.status ?? "AUTH",
      at: Temporal.Now.instant(),
      expiresAt: consent.expiresAt,
      customerId: "customer-1",
      grantId,
    },
  ]);
  return { grantId, consentId };
}

/** The JOSE header of a TPP's signature. `change` replaces members; undefined removes one. */
export function joseHeader(tpp: Tpp, change: Record<string, unknown> = {}) {
  return {
    alg: "PS256",
    kid: `${tpp.clientId}-key`,
    [jwsClaims.issuedAt]: Math.floor(Date.now() / 1000),
    [jwsClaims.issuer]: `${tpp.organisationId}/${tpp.softwareId}`,
    [jwsClaims.trustAnchor]: "openbanking.org.uk",
    crit: Object.values(jwsClaims),
    ...change,
  };
}

/** Makes a detached signature. A header that jose refuses to sign is inserted afterwards. */
export async function sign(
  tpp: Tpp,
  body: string | Uint8Array,
  change: Record<string, unknown> = {},
): Promise<string> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const signed = await new FlattenedSign(bytes)
    .setProtectedHeader(joseHeader(tpp))
    .sign(tpp.key, { crit: Object.fromEntries(Object.values(jwsClaims).map((n) => [n, true])) });
  if (Object.keys(change).length === 0) return `${signed.protected}..${signed.signature}`;
  const header = JSON.stringify(joseHeader(tpp, change));
  return `${Buffer.from(header).toString("base64url")}..${signed.signature}`;
}

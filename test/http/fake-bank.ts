import { generateKeyPairSync, randomUUID } from "node:crypto";
import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { type CryptoKey, FlattenedSign, importJWK, type JWK } from "jose";
import Type from "typebox";
import { type AccessRow, admit, loadAccess } from "#src/http/access.ts";
import { type ApiError, bareRefusal, forbidden, refusal } from "#src/http/api-error.ts";
import { appOptions } from "#src/http/app-options.ts";
import { createClientKeys } from "#src/http/client-keys.ts";
import type { HttpKit } from "#src/http/kit.ts";
import { arrivedOverMtls, certificateSubjectOf, credentialsOf } from "#src/http/listeners.ts";
import { createMessageSigner, jwsClaims } from "#src/http/message-signer.ts";
import { createMetrics, registerHealth } from "#src/http/observe.ts";
import { type Api, type Operation, OutgoingFile } from "#src/http/operation.ts";
import { createRateLimiter } from "#src/http/rate-limit.ts";
import { registerOperations } from "#src/http/register-operations.ts";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { sql } from "#src/storage/sql.ts";

const renderError = (error: ApiError, interactionId: string): object => ({
  Id: interactionId,
  Errors: error.faults.map(({ code, message, path }) => ({
    ErrorCode: code,
    Message: message,
    ...(path === undefined ? {} : { Path: path }),
  })),
});

/** An API with signatures, as v4 payments have them. */
export const things: Api = {
  id: "thing-v4.0",
  title: "Things",
  basePath: "/api/open-banking/v4.0/thing",
  scope: "payments",
  renderError,
  errorSchema: Type.Object({}),
  wrongGrant: () => forbidden("U006", "Authorization", "Use the other grant."),
};

/** An API without signatures, as v3.1 accounts. */
export const views: Api = {
  ...things,
  id: "view-v3.1",
  basePath: "/api/open-banking/v3.1/view",
  scope: "accounts",
  interactionIds: "printable",
  wrongGrant: () => bareRefusal(401),
};

const anyObject = Type.Object({});
const common = { summary: "", tag: "", refusals: {}, signed: false, idempotent: false } as const;

/** What the fake operations did, for tests to look at. */
export type Journal = {
  created: unknown[];
  keys: (string | null)[];
  baseUrls: string[];
  /** What of the last file was read piece by piece, and its hash when it was there in full. */
  file: { bytes: Buffer; sha256: string | null };
};

export const fileLimitBytes = 200_000;

function fakeOperations(database: Database, journal: Journal): Operation[] {
  const thing = { ...common, api: things, grant: "client_credentials", access: "loaded" } as const;
  const list: Operation = {
    ...common,
    api: views,
    operationId: "ListViews",
    method: "GET",
    path: "/views",
    grant: "authorization_code",
    access: "inline",
    request: null,
    success: { status: 200, schema: anyObject },
    async handle(request) {
      const [row] = await database.query<AccessRow>(loadAccess(request.credentials.tokenHash));
      const access = admit(row, list, request);
      journal.baseUrls.push(request.baseUrl);
      return { status: 200, body: `{"Customer":"${access.consent?.customerId}"}` };
    },
  };
  return [
    list,
    {
      ...common,
      api: views,
      operationId: "CreateView",
      method: "POST",
      path: "/view-consents",
      grant: "client_credentials",
      access: "loaded",
      request: anyObject,
      success: { status: 201, schema: anyObject },
      handle: async ({ body }) => ({ status: 201, body: { Data: body } }),
    },
    {
      ...common,
      api: views,
      operationId: "ShowSelf",
      method: "GET",
      path: "/self",
      grant: "client_credentials",
      access: "loaded",
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async ({ selfUrl }) => ({ status: 200, body: { Self: selfUrl } }),
    },
    {
      ...common,
      api: views,
      operationId: "DeleteView",
      method: "DELETE",
      path: "/view-consents/:ConsentId",
      grant: "client_credentials",
      access: "loaded",
      request: null,
      success: { status: 204, schema: null },
      handle: async () => ({ status: 204, body: null }),
    },
    {
      ...common,
      api: views,
      operationId: "ForgetfulView",
      method: "GET",
      path: "/forgetful",
      grant: "authorization_code",
      access: "inline",
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async () => ({ status: 200, body: { secret: true } }),
    },
    {
      ...thing,
      operationId: "CreateThing",
      method: "POST",
      path: "/things",
      signed: true,
      idempotent: true,
      request: anyObject,
      success: { status: 201, schema: anyObject },
      async handle(request) {
        journal.created.push(request.body);
        journal.keys.push(request.idempotencyKey);
        return {
          status: 201,
          body: { Data: request.body, Links: { Self: `${request.selfUrl}/1` } },
          headers: { "x-extra": "1" },
        };
      },
    },
    {
      ...thing,
      operationId: "GetThing",
      method: "GET",
      path: "/things/:ThingId",
      signed: true,
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async ({ params, query }) => ({ status: 200, body: { id: params.ThingId, query } }),
    },
    {
      ...thing,
      operationId: "CreateFile",
      method: "POST",
      path: "/files/:FileId",
      signed: true,
      idempotent: true,
      request: anyObject,
      upload: { contentTypes: ["text/xml", "application/json"], limitBytes: fileLimitBytes },
      success: { status: 200, schema: null },
      async handle({ file, params }) {
        if (!file) throw new Error("no file came in");
        if (params.FileId === "unknown") throw refusal("U011", "FileId", "There is none.");
        const read: Buffer[] = [];
        for await (const chunk of file.chunks()) {
          read.push(chunk);
          journal.file = { bytes: Buffer.concat(read), sha256: null };
          if (params.FileId === "bad") throw refusal("FF01", undefined, "It cannot be read.");
        }
        journal.file.sha256 = file.sha256();
        return { status: 200, body: null };
      },
    },
    {
      ...thing,
      operationId: "GetFile",
      method: "GET",
      path: "/files/:FileId",
      signed: true,
      request: null,
      success: { status: 200, schema: anyObject, contentTypes: ["text/xml", "application/json"] },
      handle: async ({ params }) => ({
        status: 200,
        body: new OutgoingFile("text/xml; charset=utf-8", pieces(Number(params.FileId))),
      }),
    },
    {
      ...thing,
      operationId: "BreakThing",
      method: "GET",
      path: "/broken",
      signed: true,
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async () => {
        throw new Error("select secret from table on host db.internal");
      },
    },
  ];
}

async function* pieces(size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= 100_001) yield Buffer.alloc(Math.min(left, 100_001), 65);
  if (size < 0) throw new Error("the disk is gone");
}

/** An RSA key pair: the private one to sign with, the public one as a JWK. */
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
  /** A second TPP, in good standing. */
  otherTpp: Tpp;
  /** It stands still until `advance` moves it. */
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

/** Opens a bank with two APIs that mean nothing, on a database in memory. */
export async function openFakeBank(
  options: { perSecond?: number; bodyLimit?: number; rateHeaders?: boolean; log?: string[] } = {},
): Promise<FakeBank> {
  const database = await openPglite({});
  await migrate(database);
  let now = systemClock.now();
  const clock = {
    now: () => now,
    advance: (duration: Temporal.DurationLike) => {
      now = now.add(duration);
    },
  };
  const bank = await makeKeyPair("bank-1");
  const journal: Journal = {
    created: [],
    keys: [],
    baseUrls: [],
    file: { bytes: Buffer.alloc(0), sha256: null },
  };
  const kit: HttpKit = {
    database,
    clock,
    publicUrl: "http://bank.test",
    mtlsUrl: "https://mtls.bank.test",
    arrivedOverMtls,
    credentialsOf,
    certificateSubjectOf,
    signer: createMessageSigner({
      key: bank.key,
      kid: "bank-1",
      organisationId: "0015800001ALDGATE1",
      trustAnchor: "openbanking.org.uk",
      clock: systemClock,
    }),
    loadClientKeys: createClientKeys(database),
    trustAnchors: ["openbanking.org.uk", "openbankingtest.org.uk"],
    rateLimiter: createRateLimiter({
      perSecond: options.perSecond ?? 0,
      headers: options.rateHeaders ?? true,
    }),
    metrics: createMetrics(),
    bodyLimit: options.bodyLimit ?? 4096,
  };
  const app = fastify(loggingOptions(kit.bodyLimit, options.log));
  registerOperations(app, fakeOperations(database, journal), kit);
  registerHealth(app, {
    database,
    metrics: kit.metrics,
    engineLagSeconds: async () => null,
    maximumLagSeconds: 60,
  });
  await app.ready();
  const tpp = await addTpp(database, "tpp-1");
  const otherTpp = await addTpp(database, "tpp-2");
  return {
    app,
    database,
    journal,
    kit,
    bankJwk: bank.jwk,
    tpp,
    otherTpp,
    clock,
    addToken: (token) => addToken(database, tpp.clientId, clock, token),
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
  await database.query(sql`
    insert into client (client_id, organisation_id, software_id, name, roles, certificate_bound,
      jwks, metadata, created_at)
    values (${clientId}, ${tpp.organisationId}, ${tpp.softwareId}, 'T', array['PISP'], false,
      ${JSON.stringify({ keys: [jwk] })}::json, '{}', now())`);
  return tpp;
}

async function addToken(
  database: Database,
  clientId: string,
  clock: Clock,
  token: Partial<TokenRow>,
): Promise<string> {
  const value = randomUUID();
  const row: TokenRow = {
    kind: "client_credentials",
    clientId,
    scope: "payments",
    thumbprint: null,
    expiresAt: clock.now().add({ hours: 1 }),
    grantId: null,
    ...token,
  };
  await database.query(sql`
    insert into access_token (token_hash, kind, client_id, scope, certificate_thumbprint,
      expires_at, grant_id, payload)
    values (${sha256(value)}, ${row.kind}, ${row.clientId}, ${row.scope}, ${row.thumbprint},
      ${row.expiresAt}, ${row.grantId}, '{}')`);
  return value;
}

/** A consent in the given state, and the grant that tokens for it belong to. */
export async function addConsent(
  { database, tpp }: FakeBank,
  consent: { status?: string; expiresAt?: Temporal.Instant | null } = {},
): Promise<{ grantId: string; consentId: string }> {
  const consentId = newId("c");
  const grantId = newId("g");
  await database.query(sql`
    insert into consent (consent_id, kind, client_id, status, created_at, status_updated_at,
      expires_at, body, customer_id, grant_id)
    values (${consentId}, 'account-access', ${tpp.clientId}, ${consent.status ?? "AUTH"}, now(),
      now(), ${consent.expiresAt ?? null}, '{}', 'customer-1', ${grantId})`);
  return { grantId, consentId };
}

/** The JOSE header that a TPP signs with; `change` replaces members, undefined drops one. */
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

/** A detached signature. A header that jose would refuse to make is put in its place afterwards. */
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

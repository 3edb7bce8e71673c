// A bank of another make: FAPI 2.0 with DPoP instead of mutual TLS, nonces, addresses of its own
// and no consent's id in its id_tokens.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import {
  calculateJwkThumbprint,
  decodeJwt,
  EmbeddedJWK,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from "jose";
import { type Bank, type ConnectOptions, connect } from "#packages/client/src/index.ts";
import { Provider } from "#src/auth/provider/library.ts";
import { freePort } from "#test/free-port.ts";

let server: Server;
let client: Bank;
let options: ConnectOptions;
let bankKey: CryptoKey;
let issuer: string;
const requests: string[] = [];
const nonce = "the-nonce-of-this-bank";

before(async () => {
  const port = await freePort();
  issuer = `http://localhost:${port}`;
  const [theirs, ours] = await Promise.all([makeKey(), makeKey()]);
  bankKey = theirs.privateKey;
  const provider = new Provider(issuer, settings(await publicJwk(ours.publicKey), theirs.jwk));
  const oauth = provider.callback();
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const handle = request.url?.startsWith("/interaction/")
      ? finish(provider, request, response)
      : request.url?.startsWith("/obie/")
        ? serveApi(provider, request, response)
        : oauth(request, response);
    handle.catch((error) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  options = {
    issuer,
    api: { accounts: `${issuer}/obie/accounts-api/v4` },
    profile: "fapi2",
    deviations: { checkedClaims: ["acr"] },
    client: {
      id: "tpp",
      organisationId: "organisation",
      softwareId: "software",
      redirectUri: "https://tpp.example/callback",
      signing: { keyId: "tpp-key", privateKey: await exportPKCS8(ours.privateKey) },
    },
  };
  client = await connect(options);
});
after(() => {
  client?.close();
  server.closeAllConnections();
  server.close();
});

async function makeKey() {
  const pair = await generateKeyPair("PS256", { extractable: true });
  const jwk = { ...(await exportJWK(pair.privateKey)), kid: "bank-key", alg: "PS256", use: "sig" };
  return { ...pair, jwk };
}

const publicJwk = async (key: CryptoKey) => ({
  ...(await exportJWK(key)),
  kid: "tpp-key",
  alg: "PS256",
  use: "sig",
});

const settings = (clientKey: object, bankKey: object) =>
  ({
    jwks: { keys: [bankKey] },
    scopes: ["openid", "accounts"],
    acrValues: ["urn:openbanking:psd2:sca"],
    claims: { openid: ["sub"] },
    clientAuthMethods: ["private_key_jwt"],
    responseTypes: ["code"],
    cookies: { keys: ["a cookie's key"] },
    enabledJWA: {
      idTokenSigningAlgValues: ["PS256"],
      clientAuthSigningAlgValues: ["PS256"],
      dPoPSigningAlgValues: ["ES256"],
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      claimsParameter: { enabled: true },
      fapi: { enabled: true, profile: "2.0" },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
      dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: Object.fromEntries(
      "AccessToken ClientCredentials Grant IdToken Interaction RefreshToken Session"
        .split(" ")
        .map((name) => [name, 600]),
    ),
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    issueRefreshToken: async () => true,
    clients: [
      {
        client_id: "tpp",
        jwks: { keys: [clientKey] },
        redirect_uris: ["https://tpp.example/callback"],
        grant_types: ["authorization_code", "client_credentials", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: "PS256",
        id_token_signed_response_alg: "PS256",
        dpop_bound_access_tokens: true,
        scope: "openid accounts",
      },
    ],
  }) as unknown as ConstructorParameters<typeof Provider>[1];

/** The customer logs in and approves at once. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const grant = new provider.Grant({ accountId: "customer", clientId: "tpp" });
  grant.addOIDCScope("openid accounts");
  const login = { accountId: "customer", acr: "urn:openbanking:psd2:sca" };
  await provider.interactionFinished(request, response, {
    login,
    consent: { grantId: await grant.save() },
  });
}

/** The bank's API: it serves a call only with a proof that names the bank's nonce. */
async function serveApi(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const answer = (status: number, body?: object, headers: Record<string, string> = {}): void =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(body ? JSON.stringify(body) : undefined);
  const [scheme, token = ""] = String(request.headers.authorization).split(" ");
  const proof = await jwtVerify(String(request.headers.dpop), EmbeddedJWK, { typ: "dpop+jwt" });
  const { htm, htu, ath, nonce: named } = proof.payload;
  const used = createHash("sha256").update(token).digest("base64url");
  assert.deepEqual(
    [scheme, htm, htu, ath],
    ["DPoP", request.method, `${issuer}${request.url}`, used],
  );
  if (named !== nonce) {
    const challenge = 'DPoP error="use_dpop_nonce", error_description="name the nonce"';
    return answer(401, undefined, { "www-authenticate": challenge, "dpop-nonce": nonce });
  }
  const stored =
    (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
  const jwk = proof.protectedHeader.jwk ?? {};
  assert.equal(stored?.jkt, await calculateJwkThumbprint(jwk));
  if (request.method === "POST") return answer(201, { Data: { ConsentId: "consent-1" } });
  return answer(200, { Data: { Account: [{ AccountId: "account-1" }] }, Links: { Self: "/" } });
}

/** Follows the redirects of a browser until the bank sends it back. */
async function browse(start: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let turn = 0; url.startsWith(issuer); turn++) {
    assert.ok(turn < 10, "the bank sends the customer back");
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get("location");
    assert.ok(next, `${answer.status} ${await answer.text()}`);
    url = new URL(next, url).href;
  }
  return url;
}

test("accounts of a bank with DPoP and nonces are read, before and after a refresh", async () => {
  const consent = await client.accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  assert.equal(consent.id, "consent-1");
  const login = await client.authorise(consent);
  assert.ok(new URL(login.url).searchParams.has("request_uri"));
  const grant = await client.finish(login, await browse(login.url));
  const first = await client.accounts.readAll("accounts", grant).next();
  assert.equal((first.value as { AccountId: string }).AccountId, "account-1");
  const { accessToken } = grant;
  await client.refresh(grant);
  assert.notEqual(grant.accessToken, accessToken);
  const again = await client.accounts.readAll("accounts", grant).next();
  assert.equal((again.value as { AccountId: string }).AccountId, "account-1");
  // the nonce is learnt once, so only the first call was made twice
  const calls = requests.filter((line) => line.includes("/obie/"));
  const consents = calls.filter((line) => line.startsWith("POST"));
  assert.deepEqual([consents.length, calls.length], [2, 4]);
  assert.ok(calls.every((line) => line.includes("/obie/accounts-api/v4/")));
});

test("a bank without a discovery document is connected by what that would contain", async () => {
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    dpop_signing_alg_values_supported: ["ES256"],
  };
  requests.length = 0;
  const other = await connect({ ...options, issuer: metadata });
  const consent = await other.accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  assert.equal(consent.id, "consent-1");
  assert.ok(!requests.some((line) => line.includes("well-known")));
  other.close();
});

test("an API for which no base is configured is named", async () => {
  const create = client.payments("domestic-payment").readConsent("consent-1");
  await assert.rejects(create, /name the base of "payments" in `api`/);
});

/** Changes a bank's answers as some banks write them: the keys, and what comes with tokens. */
async function oddly(answer: Response): Promise<Response> {
  const body = (await answer.json()) as Record<string, unknown>;
  if (Array.isArray(body.keys)) return Response.json(body.keys);
  const odd = { ...body };
  if (typeof body.scope === "string") odd.scope = body.scope.split(" ");
  if (typeof body.token_type === "string") odd.token_type = body.token_type.toUpperCase();
  if (typeof body.id_token === "string") {
    const { nonce: _, ...claims } = decodeJwt(body.id_token);
    const { iat = 0, exp = 0 } = claims;
    odd.id_token = await new SignJWT({ ...claims, iat: iat * 1000, exp: exp * 1000 })
      .setProtectedHeader({ alg: "PS256", kid: "bank-key" })
      .sign(bankKey);
  }
  return Response.json(odd, { status: answer.status });
}

test("keys and scopes as bare lists, times in milliseconds and a missing nonce are accepted", async () => {
  const odd: string[] = [];
  const sent: ConnectOptions = {
    ...options,
    async fetch(url, choices, send) {
      const answer = await send(url, choices);
      const { pathname } = new URL(url);
      if (answer.status !== 200 || !["/token", "/jwks"].includes(pathname)) return answer;
      odd.push(pathname);
      return oddly(answer);
    },
  };
  const grantAt = async (bank: Bank) => {
    const consent = await bank.accounts.createConsent({
      Data: { Permissions: ["ReadAccountsBasic"] },
      Risk: {},
    });
    const login = await bank.authorise(consent);
    return bank.finish(login, await browse(login.url));
  };
  const strict = await connect(sent);
  await assert.rejects(grantAt(strict), /nonce/);
  strict.close();
  const lenient = await connect({
    ...sent,
    deviations: { ...options.deviations, idTokenNonce: "absent" },
  });
  const grant = await grantAt(lenient);
  assert.equal(grant.subject, "customer");
  const first = await lenient.accounts.readAll("accounts", grant).next();
  assert.equal((first.value as { AccountId: string }).AccountId, "account-1");
  assert.ok(odd.includes("/jwks"), "its keys were read");
  lenient.close();
});

test("a consent to variable recurring payments is replaced, and changed by a patch", async () => {
  const calls: { method: string; url: string; type: string | undefined; body: unknown }[] = [];
  const vrpBank = await connect({
    ...options,
    api: { payments: `${issuer}/obie/pisp` },
    deviations: { ...options.deviations, answerSignatures: "never" },
    async fetch(url, choices, send) {
      if (!url.includes("/domestic-vrp-consents")) return send(url, choices);
      const { method, headers, body } = choices;
      assert.ok(headers["x-idempotency-key"] && headers["x-jws-signature"]);
      const text = Buffer.from(body as Uint8Array).toString();
      calls.push({ method, url, type: headers["content-type"], body: JSON.parse(text) });
      return Response.json({ Data: { ConsentId: "vrp-1", Status: "AWAU" } });
    },
  });
  const vrp = vrpBank.payments("domestic-vrp");
  const patch = [{ op: "remove", path: "/Data/ControlParameters/ValidToDateTime" }] as const;
  const changed = await vrp.patchConsent("vrp-1", patch);
  assert.equal(changed.Data.Status, "AWAU");
  const body = { Data: { ControlParameters: {} }, Risk: {} } as Parameters<
    typeof vrp.replaceConsent
  >[1];
  await vrp.replaceConsent({ id: "vrp-1" }, body);
  const url = `${issuer}/obie/pisp/domestic-vrp-consents/vrp-1`;
  assert.deepEqual(calls, [
    { method: "PATCH", url, type: "application/json-patch+json", body: patch },
    { method: "PUT", url, type: "application/json", body },
  ]);
  vrpBank.close();
});

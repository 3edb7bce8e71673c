import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { decodeJwt, importPKCS8, type JWTPayload, SignJWT } from "jose";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import { type Answer, type Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";
import { lodgeAccess } from "./payments.ts";

// What the OpenID conformance suite does in every module of its FAPI-CIBA plan, at commit 12f2a4d:
// the classes AbstractFAPICIBAID1 and AbstractFAPICIBAID1MultipleClient.

/** The variants of the plan. */
export type Variant = { auth: "private_key_jwt" | "mtls"; mode: "poll" | "ping" };

type Client = TppClient<IssuedTpp>;

/** One of the two clients of the suite's configuration. */
type Claims = Record<string, unknown>;

/** What the suite does differently in one module. */
type Request = {
  claims?: Claims;
  /** The header of the request object, beside the key's id. */
  header?: { alg?: string; typ?: string };
  /** Whose key signs it. */
  signer?: Client;
  /** Members of the form, which replace the usual ones. */
  form?: Record<string, string>;
  /** The audience of the client assertion; the endpoint by default. */
  audience?: string;
};

/** A request that the bank has accepted. */
type Begun = { id: string; expiresIn: number; notificationToken: string };

const errorForm = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const acr = "urn:openbanking:psd2:sca";

/** The suite with its configuration: a bank, two clients and the hint. */
export class Suite {
  readonly variant: Variant;
  readonly bank: TestBank;
  readonly login: string;
  #one: Client | null = null;
  #two: Client | null = null;
  #server: Server | null = null;
  readonly #more: TppClient[] = [];
  readonly pings: { request: IncomingMessage; body: string }[] = [];
  /** The answer to the bank's calls. */
  pingReply: { status: number; headers?: Record<string, string>; body?: string } = { status: 204 };

  constructor(bank: TestBank, variant: Variant, login: string) {
    this.bank = bank;
    this.variant = variant;
    this.login = login;
  }

  get one(): Client {
    return this.#one as Client; // after `open`
  }

  get two(): Client {
    return this.#two as Client;
  }

  async open(): Promise<void> {
    const isPing = this.variant.mode === "ping";
    const notificationEndpoint = isPing ? await this.#listen() : undefined;
    const create = () =>
      this.bank.createTpp({
        tokenEndpointAuthMethod:
          this.variant.auth === "mtls" ? "tls_client_auth" : this.variant.auth,
        ...(notificationEndpoint ? { notificationEndpoint } : {}),
      });
    this.#one = await create();
    this.#two = await create();
  }

  async #listen(): Promise<string> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        this.pings.push({ request, body });
        const { status, headers, body: answer } = this.pingReply;
        response.writeHead(status, headers).end(answer);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    return `http://localhost:${port}/test/a/aldgate/ciba-notification-endpoint`;
  }

  close(): void {
    for (const client of this.#more) client.close();
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Creates an account access consent, as the suite does before each request. */
  consent(client = this.one): Promise<string> {
    return lodgeAccess(client, { Permissions: ["ReadAccountsBasic"] });
  }

  /** The claims of a request, which name no consent. */
  claims(client: Client, more: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1000);
    return {
      scope: "openid accounts",
      login_hint: `sandbox:${this.login}`,
      binding_message: "1234",
      ...(this.variant.mode === "ping"
        ? { client_notification_token: randomBytes(24).toString("base64url") }
        : {}),
      ...{ iat: now, nbf: now, exp: now + 300, jti: randomUUID() },
      ...{ aud: this.bank.publicUrl, iss: client.tpp.clientId },
      ...more,
    };
  }

  async sign(client: Client, claims: Claims, header: Request["header"] = {}): Promise<string> {
    const { alg = "PS256", ...rest } = header;
    const { kid, privateKeyPem } = client.tpp.signing;
    const given = JSON.parse(JSON.stringify(claims)) as JWTPayload; // leaves out what is undefined
    const key = await importPKCS8(privateKeyPem, alg);
    return new SignJWT(given).setProtectedHeader({ alg, kid, ...rest }).sign(key);
  }

  /** Creates a consent, and sends a request without its id. */
  async send(request: Request = {}, client = this.one): Promise<Answer> {
    await this.consent(client);
    const { signer = client, header, form = {}, audience } = request;
    const claims = this.claims(client, request.claims);
    const signed = await this.sign(signer, claims, header);
    return client.backchannelForm({
      request: signed,
      ...(await this.assertion(client, audience ?? `${this.bank.mtlsUrl}/backchannel`)),
      ...form,
    });
  }

  /** The members that authenticate a client: a signed assertion, or nothing with mutual TLS. */
  async assertion(client: Client, aud: string, alg = "PS256"): Promise<Record<string, string>> {
    if (this.variant.auth === "mtls") return {};
    const now = Math.floor(Date.now() / 1000);
    const { clientId } = client.tpp;
    const claims = { iss: clientId, sub: clientId, aud, iat: now, exp: now + 60 };
    const signed = await this.sign(client, { ...claims, jti: randomUUID() }, { alg });
    return { client_assertion_type: assertionType, client_assertion: signed };
  }

  /** Sends a request that the bank accepts, and checks its answer. */
  async begin(request: Request = {}, client = this.one): Promise<Begun> {
    const token = randomBytes(24).toString("base64url");
    const claims = {
      ...(this.variant.mode === "ping" ? { client_notification_token: token } : {}),
      ...request.claims,
    };
    const answer = await this.send({ ...request, claims }, client);
    assert.equal(answer.status, 200, answer.raw.toString());
    assert.match(String(answer.headers["content-type"]), /^application\/json/);
    const { auth_req_id: id, expires_in: expiresIn, interval } = answer.body as AuthRequest;
    assert.match(id, /^[A-Za-z0-9._-]+$/);
    assert.ok(entropyOf(id) > 160, `${entropyOf(id)} bits`);
    assert.ok(Number.isInteger(expiresIn) && expiresIn > 0);
    assert.ok(interval === undefined || (Number.isInteger(interval) && interval >= 0));
    return { id, expiresIn, notificationToken: String(claims.client_notification_token ?? "") };
  }

  /** Polls twice before the customer has decided. */
  async expectPending(id: string, client = this.one): Promise<void> {
    for (let turn = 0; turn < 2; turn += 1) {
      expectError(await client.poll(id), [400], ["authorization_pending", "slow_down"]);
    }
  }

  /** Calls `automated_ciba_approval_url` as the suite does: POST, without a body or credentials. */
  async decide(id: string, action: "allow" | "deny"): Promise<void> {
    const url = `${this.bank.publicUrl}/sandbox/v1/backchannel-requests/${id}/${action}`;
    const response = await fetch(url, {
      method: "POST",
      headers: { accept: "application/json", "accept-charset": "utf-8" },
    });
    assert.equal(response.status, 200, await response.text());
  }

  /** Waits for the bank's call, and checks it; does nothing if the client polls. */
  async expectPing({ id, notificationToken }: Begun): Promise<void> {
    if (this.variant.mode === "poll") return;
    await until(
      () => this.pings.length,
      (count) => count > 0,
    );
    const { request, body } = this.pings.shift() ?? assert.fail("no ping");
    assert.equal(request.method, "POST");
    assert.match(String(request.headers["content-type"]), /^application\/json/);
    assert.equal(request.headers.authorization, `Bearer ${notificationToken}`);
    assert.deepEqual(JSON.parse(body), { auth_req_id: id });
  }

  /** Does what is common to the modules of a well-behaved client, until the tokens are there. */
  async approve(
    request: Request = {},
    client = this.one,
  ): Promise<{ begun: Begun; tokens: Tokens }> {
    const begun = await this.begin(request, client);
    await this.expectPending(begun.id, client);
    await this.decide(begun.id, "allow");
    await this.expectPing(begun);
    return { begun, tokens: await this.fetchTokens(client, begun.id) };
  }

  /** Fetches the tokens, and checks them as the suite does. */
  async fetchTokens(client: Client, id: string): Promise<Tokens> {
    const answer = await client.poll(id);
    assert.equal(answer.status, 200, answer.raw.toString());
    assert.match(String(answer.headers["cache-control"]), /no-store/);
    const tokens = answer.body as Tokens;
    assert.ok(tokens.access_token.length >= 16 && entropyOf(tokens.access_token) > 96);
    assert.ok(tokens.expires_in > 0 && tokens.expires_in <= 31_536_000);
    const claims = await client.verifyToken(tokens.id_token ?? "");
    assert.equal(claims.c_hash ?? claims.s_hash, undefined);
    return tokens;
  }

  /** Reads the accounts, with a token. */
  accounts(client: Client, token: string, headers: Record<string, string> = {}): Promise<Answer> {
    const path = "/v3.1/aisp/accounts";
    return client.call({ path, token, headers });
  }

  async expectAccounts(client: Client, token: string, headers = {}): Promise<void> {
    const interactionId = randomUUID();
    const given = { "x-fapi-interaction-id": interactionId, ...headers };
    const answer = await this.accounts(client, token, given);
    assert.equal(answer.status, 200, answer.raw.toString());
    assert.equal(answer.headers["x-fapi-interaction-id"], interactionId);
    assert.ok(answer.headers.date);
  }

  /** The whole of a module that succeeds. */
  async succeed(request: Request = {}): Promise<void> {
    const { tokens } = await this.approve(request);
    await this.expectAccounts(this.one, tokens.access_token);
  }

  /** Leaves no request open in ping mode, as the suite does. */
  async tidyUp(begun: Begun): Promise<void> {
    if (this.variant.mode === "poll") return;
    await this.decide(begun.id, "allow");
    await this.expectPing(begun);
  }

  /** A client without a certificate, whose requests are otherwise those of another one. */
  withoutCertificate({ tpp }: Client): Client {
    const tokenEndpointAuthMethod = "private_key_jwt" as const;
    return this.#openClient({ ...tpp, certificateBound: false, tokenEndpointAuthMethod });
  }

  /** Client 2's id, with the key and the certificate of client 1. */
  asSecondClient(): Client {
    const { signing, transport } = this.one.tpp;
    return this.#openClient({ ...this.two.tpp, signing, transport });
  }

  #openClient(tpp: IssuedTpp): Client {
    const client = new TppClient(this.bank, tpp);
    this.#more.push(client);
    return client;
  }
}

type AuthRequest = { auth_req_id: string; expires_in: number; interval?: number };

/** The acr that the second client asks for. */
export const secondAcr = {
  acr_values: acr,
  isGiven: (idToken = "") => decodeJwt(idToken).acr === acr,
};

/** Fails unless an answer is one of these errors, in the form that the suite demands. */
export function expectError(answer: Answer, statuses: number[], errors: string[]): void {
  const text = answer.raw.toString();
  assert.ok(statuses.includes(answer.status), `${answer.status} ${text}`);
  assert.match(String(answer.headers["content-type"]), /^application\/json/);
  const { error, error_description: why, error_uri: uri, ...rest } = answer.body as ErrorBody;
  assert.ok(errors.includes(error), text);
  if (why !== undefined) assert.match(why, errorForm);
  assert.equal(uri, undefined);
  assert.deepEqual(rest, {});
}

type ErrorBody = { error: string; error_description?: string; error_uri?: string };

/** The suite's measure of randomness: Shannon's entropy of the characters, times their number. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const one of text) counts.set(one, (counts.get(one) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / text.length);
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0) * text.length;
}

import { randomUUID } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import {
  type CryptoKey,
  createLocalJWKSet,
  FlattenedSign,
  flattenedVerify,
  importPKCS8,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from "jose";
import { type FindOperation, operationFinder } from "#src/http/register-operations.ts";
import { backchannelGrant } from "#src/registration/backchannel-rules.ts";
import type { ApiVersion, Scope } from "#src/standard/api-version.ts";
import {
  type AuthorizationRequest,
  type BackchannelRequest,
  flowOf,
  readAuthorization,
  redirectUriOf,
  requestParameters,
  signBackchannel,
  verifierOf,
} from "./authorization-flow.ts";
import type { TppBank, TppCredentials } from "./tpp-credentials.ts";

const apisPath = "/api/open-banking";

/** Returns the path of an API version, relative to that of all APIs, such as `/v3.1/aisp`. */
export const pathOf = ({ basePath }: ApiVersion): string => basePath.replace(apisPath, "");

/**
 * One API call. A `body` that is a string or bytes is sent as it is; any other body is sent as
 * JSON. If the body is not JSON, give its media type in `headers`.
 */
export type Call = {
  method?: string;
  /**
   * A path below `/api/open-banking`, such as `/v4.0/pisp/domestic-payments`, or an absolute URL.
   */
  path: string;
  token?: string | null;
  body?: unknown;
  /**
   * Whether the body is signed. By default, it is signed if the bank's operation requires that. A
   * request that matches no operation is not signed.
   */
  signed?: boolean;
  /** By default, a body has a random key if the bank's operation needs one; null means no key. */
  idempotencyKey?: string | null;
  headers?: Record<string, string | null>;
};

/** A response. `body` is undefined if there was none, and a string if it was not JSON. */
export type Answer<Body = unknown> = {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Body;
  raw: Buffer;
};

/** The response of the token endpoint. */
export type Tokens = {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  refresh_token?: string;
  id_token?: string;
};

/** The error if the token endpoint refuses the request. */
export class TokenError extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`the token endpoint answered ${answer.status}: ${answer.raw.toString()}`);
    this.answer = answer;
  }
}

/** The error if the bank refuses a pushed authorization request. */
export class PushError extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`the bank refused the pushed request with ${answer.status}: ${answer.raw.toString()}`);
    this.answer = answer;
  }
}

/** The error if the customer comes back without a code. */
export class AuthorizationError extends Error {
  constructor(answer: URLSearchParams) {
    const why = answer.get("error_description") ?? "no reason given";
    super(`the authorization ended with ${answer.get("error") ?? "no code"}: ${why}`);
  }
}

const critical = [
  "http://openbanking.org.uk/iat",
  "http://openbanking.org.uk/iss",
  "http://openbanking.org.uk/tan",
];
const verification = {
  algorithms: ["PS256"],
  crit: Object.fromEntries(critical.map((name) => [name, true])),
};
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A small, complete TPP, used by the demo, the command line and the tests. */
export class TppClient<Credentials extends TppCredentials = TppCredentials> {
  readonly tpp: Credentials;
  readonly bank: TppBank;
  /** Says what to throw in place of the error of a request without an answer. */
  whyUnanswered: (error: Error) => Error = (error) => error;
  /** Called with every response. The tests compare responses with the published schemas. */
  onAnswer: ((method: string, url: string, answer: Answer) => void) | null = null;
  readonly #findOperation: FindOperation;
  readonly #agent: http.Agent;
  readonly #secureAgent: https.Agent;
  #key: Promise<CryptoKey> | undefined;

  constructor(bank: TppBank, tpp: Credentials) {
    this.bank = bank;
    this.#findOperation = operationFinder(bank.operations);
    this.tpp = tpp;
    this.#agent = new http.Agent({ keepAlive: true });
    this.#secureAgent = new https.Agent({
      keepAlive: true,
      ca: tpp.caPem,
      ...(tpp.certificateBound || tpp.tokenEndpointAuthMethod === "tls_client_auth"
        ? { key: tpp.transport.privateKeyPem, cert: tpp.transport.certificatePem }
        : {}),
    });
  }

  /**
   * The base URL of this TPP's calls: that of mutual TLS, or the public one for an unbound client.
   */
  get base(): string {
    return this.tpp.certificateBound ? this.bank.mtlsUrl : this.bank.publicUrl;
  }

  /** Requests an access token with the client credentials grant. */
  async clientToken(scope: Scope): Promise<string> {
    return (await this.token({ grant_type: "client_credentials", scope })).access_token;
  }

  /**
   * Calls the token endpoint with this client's authentication. Throws TokenError if it refuses.
   */
  async token(parameters: Record<string, string>): Promise<Tokens> {
    const answer = await this.tokenAnswer(parameters);
    if (answer.status !== 200) throw new TokenError(answer);
    return answer.body as Tokens;
  }

  /** Like `token`, but returns every response, including refusals. */
  tokenAnswer(parameters: Record<string, string>): Promise<Answer> {
    return this.#sendForm("/token", parameters);
  }

  async #sendForm(path: string, parameters: Record<string, string>): Promise<Answer> {
    const form = new URLSearchParams(parameters);
    form.set("client_id", this.tpp.clientId);
    if (this.tpp.tokenEndpointAuthMethod === "private_key_jwt" && !form.has("client_assertion")) {
      form.set("client_assertion_type", assertionType);
      form.set("client_assertion", await this.assertion());
    }
    return this.send(`${this.bank.mtlsUrl}${path}`, "POST", Buffer.from(form.toString()), {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    });
  }

  /** Makes a client assertion for `private_key_jwt`; `overrides` replace claims. */
  assertion(overrides: JWTPayload = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return this.signJwt({
      iss: this.tpp.clientId,
      sub: this.tpp.clientId,
      aud: this.bank.publicUrl,
      jti: randomUUID(),
      iat: now,
      exp: now + 120,
      ...overrides,
    });
  }

  /** Signs claims as a PS256 JWT with the signing key. */
  async signJwt(claims: JWTPayload): Promise<string> {
    const header = { alg: "PS256", kid: this.tpp.signing.kid, typ: "JWT" };
    return new SignJWT(claims).setProtectedHeader(header).sign(await this.#signingKey());
  }

  /**
   * Returns the URL for the customer's browser. A client of FAPI 2.0 pushes its request to the bank
   * first; other clients send a signed request object in the URL.
   */
  async authorizationUrl(request: AuthorizationRequest): Promise<string> {
    const { pushes } = flowOf(this.tpp);
    const parameters = await requestParameters(this, request);
    const url = new URL(`${this.bank.publicUrl}/auth`);
    const sent = pushes ? await this.#push(parameters) : parameters;
    for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, value);
    return url.href;
  }

  async #push(parameters: Record<string, string>): Promise<Record<string, string>> {
    const answer = await this.push(parameters);
    if (answer.status !== 201) throw new PushError(answer);
    const { request_uri } = answer.body as { request_uri: string };
    return { client_id: this.tpp.clientId, request_uri };
  }

  /**
   * Pushes an authorization request, with this client's authentication. Returns every response,
   * including refusals.
   */
  push(parameters: Record<string, string>): Promise<Answer> {
    return this.#sendForm("/request", parameters);
  }

  /**
   * Asks for an approval without a browser. Returns every response, including refusals;
   * `parameters` are sent besides the signed request.
   */
  async backchannel(
    request: BackchannelRequest,
    parameters: Record<string, string> = {},
  ): Promise<Answer> {
    const signJwt = (claims: JWTPayload) => this.signJwt(claims);
    const signed = await signBackchannel({ tpp: this.tpp, bank: this.bank, signJwt }, request);
    return this.backchannelForm({ request: signed, ...parameters });
  }

  /** Asks for an approval without a browser, with these parameters alone. */
  backchannelForm(parameters: Record<string, string>): Promise<Answer> {
    return this.#sendForm("/backchannel", parameters);
  }

  /** Polls for the tokens of such a request. Returns every response, including refusals. */
  poll(authReqId: string): Promise<Answer> {
    return this.tokenAnswer({ grant_type: backchannelGrant, auth_req_id: authReqId });
  }

  /**
   * Exchanges the code in the URL to which the customer was sent back. Throws AuthorizationError if
   * there is no code, and TokenError if the bank refuses it.
   */
  async exchangeCode(redirectUrl: string): Promise<Tokens> {
    const answer = await readAuthorization(this, redirectUrl);
    const code = answer.get("code");
    if (code === null) throw new AuthorizationError(answer);
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUriOf(this.tpp, redirectUrl),
      ...(flowOf(this.tpp).pushes ? { code_verifier: verifierOf(this.tpp, answer) } : {}),
    });
  }

  /** Exchanges a refresh token for a new access token. */
  refresh(refreshToken: string): Promise<Tokens> {
    return this.token({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  /** Makes one call to an API of the bank. */
  async call<Body = unknown>(call: Call): Promise<Answer<Body>> {
    const method = call.method ?? (call.body === undefined ? "GET" : "POST");
    const url = call.path.startsWith("http") ? call.path : `${this.base}${apisPath}${call.path}`;
    const headers: Record<string, string | null> = { accept: "application/json" };
    if (call.token) headers.authorization = `Bearer ${call.token}`;
    let bytes: Buffer | undefined;
    if (call.body !== undefined) {
      bytes = toBytes(call.body);
      headers["content-type"] = "application/json";
      const operation = this.#findOperation(method, new URL(url).pathname)?.operation;
      const { signed = operation?.signed === true } = call;
      const { idempotencyKey = operation?.idempotent ? randomUUID() : null } = call;
      if (signed) headers["x-jws-signature"] = await this.signature(bytes);
      headers["x-idempotency-key"] = idempotencyKey;
    }
    const answer = await this.send(url, method, bytes, { ...headers, ...call.headers });
    return answer as Answer<Body>;
  }

  /** Makes the detached signature of a body; `overrides` replace members of the JOSE header. */
  async signature(body: Buffer, overrides: Record<string, unknown> = {}): Promise<string> {
    const header = {
      alg: "PS256",
      kid: this.tpp.signing.kid,
      "http://openbanking.org.uk/iat": Math.floor(Date.now() / 1000),
      "http://openbanking.org.uk/iss": `${this.tpp.organisationId}/${this.tpp.softwareId}`,
      "http://openbanking.org.uk/tan": "openbanking.org.uk",
      crit: critical,
      ...overrides,
    };
    const signed = await new FlattenedSign(body)
      .setProtectedHeader(header as { alg: string })
      .sign(await this.#signingKey(), {
        crit: Object.fromEntries(critical.map((name) => [name, true])),
      });
    return `${signed.protected}..${signed.signature}`;
  }

  /** Whether the response has the bank's signature over its exact bytes. */
  async verifySignature(answer: Answer): Promise<boolean> {
    const value = answer.headers["x-jws-signature"];
    if (typeof value !== "string") return false;
    const [protectedHeader = "", middle, signature = ""] = value.split(".");
    if (middle !== "") return false;
    const keys = await this.#bankKeys();
    const payload = answer.raw.toString("base64url");
    const jws = { protected: protectedHeader, payload, signature };
    return flattenedVerify(jws, keys, verification).then(
      () => true,
      () => false,
    );
  }

  /**
   * Verifies a JWT that the bank has issued for this TPP, such as an event. Returns its claims, and
   * throws if it is invalid.
   */
  async verifyToken(token: string): Promise<JWTPayload> {
    const expected = { issuer: this.bank.publicUrl, audience: this.tpp.clientId };
    const options = { ...verification, ...expected };
    return (await jwtVerify(token, await this.#bankKeys(), options)).payload;
  }

  async #bankKeys(): Promise<ReturnType<typeof createLocalJWKSet>> {
    const jwks = await this.send(`${this.bank.publicUrl}/jwks`, "GET", undefined, {});
    return createLocalJWKSet(jwks.body as Parameters<typeof createLocalJWKSet>[0]);
  }

  /** Sends a request as given. Headers with the value null are left out. */
  send(
    url: string,
    method: string,
    body: Buffer | undefined,
    headers: Record<string, string | null>,
  ): Promise<Answer> {
    const secure = url.startsWith("https:");
    const sent = Object.entries(headers).filter(([, value]) => value !== null);
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(
        url,
        {
          method,
          agent: secure ? this.#secureAgent : this.#agent,
          headers: {
            ...Object.fromEntries(sent),
            ...(body ? { "content-length": String(body.length) } : {}),
          } as Record<string, string>,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const answer = toAnswer(response, Buffer.concat(chunks));
            this.onAnswer?.(method, url, answer);
            resolve(answer);
          });
        },
      );
      request.on("error", (error) => reject(this.whyUnanswered(error)));
      request.end(body);
    });
  }

  /** Closes kept-alive connections. */
  close(): void {
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }

  #signingKey(): Promise<CryptoKey> {
    this.#key ??= importPKCS8(this.tpp.signing.privateKeyPem, "PS256");
    return this.#key;
  }
}

function toBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function toAnswer(response: http.IncomingMessage, raw: Buffer): Answer {
  let body: unknown;
  if (raw.length > 0) {
    body = raw.toString();
    if (response.headers["content-type"]?.includes("json")) body = JSON.parse(raw.toString());
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body, raw };
}

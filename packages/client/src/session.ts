import { randomUUID } from "node:crypto";
import { type AuthorizationServer, openAuthorizationServer } from "./authorization-server.ts";
import type { ServerDeps } from "./configuration.ts";
import { type Deviations, standard } from "./deviations.ts";
import {
  AuthorisationError,
  BankError,
  NoAnswerError,
  readFaults,
  VerificationError,
} from "./errors.ts";
import type { ApiName, CallOptions, ConnectOptions, Grant } from "./options.ts";
import { type Attempt, type RetryOptions, readRetryAfter, retry, usualRetry } from "./retry.ts";
import type { Scope } from "./scope.ts";
import { type Signatory, signatureHeader, signDetached, verifyDetached } from "./signature.ts";
import { ConnectionLost, type Fetch, openTransport, type TransportKey } from "./transport.ts";
import { apiPaths, newest, type Versions } from "./versions.ts";

/** One call to an API of the bank. */
export type ApiCall = {
  api: ApiName;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the API's base path, or an absolute URL. */
  path: string;
  /** The grant of a customer, or the scope of your own token. */
  token: Grant | Scope;
  /** Sent as JSON, unless it is a file. */
  body?: unknown;
  file?: { bytes: Uint8Array; contentType: string };
  /** The media type of the answer, if it is not JSON. */
  accept?: string;
  /** Whether the standard signs request and answer. */
  signed: boolean;
  /** Whether the request has an idempotency key. */
  idempotent?: boolean;
  /** Whether the request may be repeated although it has no idempotency key. */
  repeatable?: boolean;
  options?: CallOptions | undefined;
  timeoutMs?: number;
};

/** An answer that was not refused. Its signature was verified if it must have one. */
type Answer = { status: number; headers: Headers; bytes: Uint8Array; body: unknown };

type Received = Answer & { url: string; accessToken: string };

/** A call that is ready to be sent, as often as necessary. */
type Prepared = {
  call: ApiCall;
  method: string;
  url: string;
  headers: Record<string, string>;
  bytes: Uint8Array | undefined;
  interactionId: string;
  idempotencyKey: string | null;
  /** Whether a repetition has no further effect. */
  isSafe: boolean;
};

const interactionHeader = "x-fapi-interaction-id";

// These say that the bank has not carried out the request, so that anything may be repeated.
const notCarriedOut = [429, 503];
const serverErrors = [500, 502, 503, 504];

/** The connection to a bank that all parts of the library share. */
export class Session {
  readonly options: ConnectOptions;
  readonly server: AuthorizationServer;
  readonly deviations: Deviations;
  readonly now: () => Date;
  readonly fetch: Fetch;
  readonly versions: Versions;
  readonly close: () => void;
  readonly #retry: RetryOptions;
  readonly #signatory: Signatory;
  readonly #present: (key: TransportKey) => void;
  #presenting: Promise<void> | null = null;

  private constructor(
    options: ConnectOptions,
    server: AuthorizationServer,
    { fetch, deviations, now, retryOptions }: ServerDeps,
    { close, present }: Pick<ReturnType<typeof openTransport>, "close" | "present">,
  ) {
    const { client, versions } = options;
    this.options = options;
    this.server = server;
    this.deviations = deviations;
    this.now = now;
    this.fetch = fetch;
    this.close = close;
    this.#present = present;
    this.versions = { ...newest, ...versions };
    this.#retry = retryOptions;
    this.#signatory = { ...client, key: server.key, keyId: client.signing.keyId };
  }

  /** Discovers the bank and prepares keys and connections. */
  static async open(options: ConnectOptions): Promise<Session> {
    const { client, ca, fetch } = options;
    const transport = openTransport({ transport: client.transport, ca, fetch });
    const deps: ServerDeps = {
      fetch: transport.fetch,
      deviations: { ...standard, ...options.deviations },
      retryOptions: { ...usualRetry, ...options.retry },
      now: options.now ?? (() => new Date()),
    };
    try {
      const server = await openAuthorizationServer(options, deps);
      server.onRefresh = options.onRefresh;
      return new Session(options, server, deps, transport);
    } catch (error) {
      transport.close();
      throw error;
    }
  }

  /** The keys with which the bank signs, and whose signature is expected. */
  get expectation() {
    const organisationId = this.options.bankOrganisationId ?? null;
    return { keys: this.server.keys, organisationId, now: this.now() };
  }

  /** The base URL of an API in its version. */
  baseOf(api: ApiName): string {
    const { api: given } = this.options;
    if (typeof given === "string") {
      return `${given.replace(/\/$/, "")}/${this.versions[api]}${apiPaths[api]}`;
    }
    const base = given[api];
    if (base === undefined) throw new TypeError(`connect: name the base of "${api}" in \`api\`.`);
    return base.replace(/\/$/, "");
  }

  /** Calls the bank, again if that is safe. Throws an error of this library. */
  async call(call: ApiCall): Promise<Answer> {
    const sent = await this.#prepare(call);
    return retry(this.#retry, call.options?.signal, () => this.#attempt(sent));
  }

  async #prepare(call: ApiCall): Promise<Prepared> {
    const { method, options = {}, file } = call;
    const url = call.path.startsWith("http") ? call.path : `${this.baseOf(call.api)}${call.path}`;
    const interactionId = options.interactionId ?? randomUUID();
    const idempotencyKey = call.idempotent ? (options.idempotencyKey ?? randomUUID()) : null;
    const bytes = file?.bytes ?? toBytes(call.body);
    const headers: Record<string, string> = {
      accept: call.accept ?? "application/json",
      [interactionHeader]: interactionId,
      ...customerHeaders(options.customer),
      ...(bytes ? { "content-type": file?.contentType ?? "application/json" } : {}),
      ...(idempotencyKey ? { "x-idempotency-key": idempotencyKey } : {}),
      ...(call.signed && bytes ? { [signatureHeader]: await this.#sign(bytes) } : {}),
    };
    const isSafe = method === "GET" || idempotencyKey !== null || call.repeatable === true;
    return { call, method, url, headers, bytes, interactionId, idempotencyKey, isSafe };
  }

  async #attempt(sent: Prepared): Promise<Attempt<Answer>> {
    const { isSafe } = sent;
    let answer: Received;
    try {
      answer = await this.#send(sent);
      if (answer.status === 401) answer = await this.#sendRenewed(sent, answer);
    } catch (error) {
      if (!(error instanceof ConnectionLost) && !isTimeOut(error)) throw error;
      const lost = new NoAnswerError(sent, error);
      if (!isSafe) throw lost;
      return { again: () => Promise.reject(lost), retryAfterMs: null };
    }
    const { status } = answer;
    if (notCarriedOut.includes(status) || (isSafe && serverErrors.includes(status))) {
      const retryAfterMs = readRetryAfter(answer.headers.get("retry-after"), Date.now());
      return { again: () => this.#accept(sent, answer), retryAfterMs };
    }
    return { done: await this.#accept(sent, answer) };
  }

  /** After a 401: the token may have ended early, or the certificate, or the answer stands. */
  async #sendRenewed(sent: Prepared, refused: Received): Promise<Received> {
    const { call } = sent;
    let answer = refused;
    try {
      if (!(await this.server.renew(call.token, answer))) return answer;
      answer = await this.#send(sent);
    } catch (error) {
      // the certificate authenticates the client at the token endpoint too
      if (!(error instanceof AuthorisationError && this.options.renewTransport)) throw error;
    }
    if (answer.status !== 401 || !(await this.#renewCertificate())) return answer;
    // tokens are bound to the former certificate
    await this.server.renew(call.token, answer);
    return this.#send(sent);
  }

  /** Presents the next certificate, once for all calls that were refused. */
  async #renewCertificate(): Promise<boolean> {
    const { renewTransport } = this.options;
    if (!renewTransport) return false;
    this.#presenting ??= renewTransport()
      .then(this.#present)
      .finally(() => {
        this.#presenting = null;
      });
    await this.#presenting;
    return true;
  }

  async #send({ call, method, url, headers, bytes }: Prepared): Promise<Received> {
    const limit = AbortSignal.timeout(call.timeoutMs ?? this.options.timeoutMs ?? 30_000);
    const given = call.options?.signal;
    const signal = given ? AbortSignal.any([given, limit]) : limit;
    signal.throwIfAborted();
    const token = await this.server.authorization(call.token, method, url);
    const all = { ...headers, ...token.headers };
    const response = await this.fetch(url, { method, headers: all, body: bytes, signal });
    const { status, headers: said } = response;
    const received = new Uint8Array(await response.arrayBuffer());
    const body = parse(said, received);
    return { url, status, headers: said, bytes: received, body, accessToken: token.accessToken };
  }

  /** Verifies an answer. Throws if the bank refuses. */
  async #accept(sent: Prepared, answer: Received): Promise<Answer> {
    const { status, body, headers } = answer;
    const interactionId = headers.get(interactionHeader) ?? sent.interactionId;
    if (sent.call.signed) await this.#verify(sent, answer);
    if (status < 400) return answer;
    const { method, url } = sent;
    const faults = readFaults(body);
    throw new BankError({ method, url, status, interactionId, faults, body });
  }

  #sign(bytes: Uint8Array): Promise<string> {
    return signDetached(bytes, this.#signatory, this.deviations, this.now());
  }

  /** Verifies the signature of an answer. An answer without one is accepted only if it may be. */
  async #verify(sent: Prepared, { headers, bytes, status }: Answer): Promise<void> {
    const interactionId = headers.get(interactionHeader) ?? sent.interactionId;
    const rule = this.deviations.answerSignatures;
    if (rule === "never") return;
    const signature = headers.get(signatureHeader);
    if (signature === null) {
      // a refusal may come from a part of the bank that does not sign
      if (rule === "sometimes" || bytes.length === 0 || status >= 400) return;
      throw new VerificationError(`The answer has no ${signatureHeader}.`, interactionId);
    }
    try {
      await verifyDetached(signature, bytes, this.expectation);
    } catch (error) {
      // the keys cannot be fetched, so nobody knows whether this is the bank's answer
      if (error instanceof NoAnswerError) throw new NoAnswerError(sent, error);
      const why = (error as Error).message;
      const message = `The answer's signature is invalid: ${why}.`;
      throw new VerificationError(message, interactionId, error);
    }
  }
}

const isTimeOut = (error: unknown): boolean =>
  error instanceof DOMException && error.name === "TimeoutError";

const toBytes = (body: unknown): Uint8Array | undefined =>
  body === undefined ? undefined : Buffer.from(JSON.stringify(body));

function parse(headers: Headers, bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = Buffer.from(bytes).toString();
  if (!headers.get("content-type")?.includes("json")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function customerHeaders(customer: CallOptions["customer"]): Record<string, string> {
  if (!customer) return {};
  const { ipAddress, userAgent, loggedInAt } = customer;
  return {
    "x-fapi-customer-ip-address": ipAddress,
    ...(userAgent ? { "x-customer-user-agent": userAgent } : {}),
    ...(loggedInAt ? { "x-fapi-auth-date": loggedInAt.toUTCString() } : {}),
  };
}

import { randomUUID } from "node:crypto";
import { createRemoteJWKSet, customFetch } from "jose";
import {
  type AuthorizationServer,
  openAuthorizationServer,
  type ServerDeps,
} from "./authorization-server.ts";
import { type Deviations, standard } from "./deviations.ts";
import { BankError, NoAnswerError, readFaults, VerificationError } from "./errors.ts";
import type { ApiName, CallOptions, ConnectOptions, Grant } from "./options.ts";
import { type Attempt, type RetryOptions, readRetryAfter, retry, usualRetry } from "./retry.ts";
import type { Scope } from "./scope.ts";
import {
  type BankKeys,
  type Signatory,
  signatureHeader,
  signDetached,
  verifyDetached,
} from "./signature.ts";
import { ConnectionLost, type Fetch, openTransport } from "./transport.ts";
import { apiPaths, newest, type Versions } from "./versions.ts";

/** One call to an API of the bank. */
export type ApiCall = {
  api: ApiName;
  method: "GET" | "POST" | "PUT" | "DELETE";
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

type Received = Answer & { retryAfterMs: number | null };

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
  readonly #keys: BankKeys;

  private constructor(
    options: ConnectOptions,
    server: AuthorizationServer,
    { fetch, deviations, now, retryOptions }: ServerDeps,
    close: () => void,
  ) {
    const { client, versions } = options;
    this.options = options;
    this.server = server;
    this.deviations = deviations;
    this.now = now;
    this.fetch = fetch;
    this.close = close;
    this.versions = { ...newest, ...versions };
    this.#retry = retryOptions;
    this.#signatory = { ...client, key: server.key, keyId: client.signing.keyId };
    const { jwks_uri: address } = server.metadata;
    if (address === undefined)
      throw new TypeError("The bank's discovery document has no jwks_uri.");
    this.#keys = createRemoteJWKSet(new URL(address), {
      [customFetch]: (url, { method, headers, signal }) =>
        fetch(url, { method, headers: Object.fromEntries(headers), signal }),
    });
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
      return new Session(options, server, deps, transport.close);
    } catch (error) {
      transport.close();
      throw error;
    }
  }

  /** The keys with which the bank signs, and whose signature is expected. */
  get expectation() {
    const organisationId = this.options.organisationId ?? null;
    return { keys: this.#keys, organisationId, now: this.now() };
  }

  /** The base URL of an API in its version. */
  baseOf(api: ApiName): string {
    const { api: given } = this.options;
    const base = typeof given === "string" ? given : given[api];
    if (base === undefined) throw new TypeError(`connect: name the base of "${api}" in \`api\`.`);
    return `${base.replace(/\/$/, "")}/${this.versions[api]}${apiPaths[api]}`;
  }

  /** Calls the bank, again if that is safe. Throws an error of this library. */
  async call(call: ApiCall): Promise<Answer> {
    const { method, options = {} } = call;
    const url = call.path.startsWith("http") ? call.path : `${this.baseOf(call.api)}${call.path}`;
    const interactionId = options.interactionId ?? randomUUID();
    const idempotencyKey = call.idempotent ? (options.idempotencyKey ?? randomUUID()) : null;
    const bytes = call.file?.bytes ?? toBytes(call.body);
    const headers: Record<string, string> = {
      accept: call.accept ?? "application/json",
      "x-fapi-interaction-id": interactionId,
      ...customerHeaders(options.customer),
      ...(bytes ? { "content-type": call.file?.contentType ?? "application/json" } : {}),
      ...(idempotencyKey ? { "x-idempotency-key": idempotencyKey } : {}),
      ...(call.signed && bytes ? { [signatureHeader]: await this.#sign(bytes) } : {}),
    };
    const isSafe = method === "GET" || idempotencyKey !== null || call.repeatable === true;
    const refuse = (answer: Received): Answer => {
      const { status, body } = answer;
      const id = answer.headers.get("x-fapi-interaction-id") ?? interactionId;
      if (status < 400) return answer;
      const faults = readFaults(body);
      throw new BankError({ method, url, status, interactionId: id, faults, body });
    };
    let isRenewed = false;
    const answer = await retry(this.#retry, options.signal, async (): Promise<Attempt<Answer>> => {
      let received: Received;
      try {
        received = await this.#send(call, url, headers, bytes);
        if (received.status === 401 && !isRenewed) {
          isRenewed = true;
          // the token may have ended early; if there is no other one, the answer stands
          if (await this.server.renew(call.token, url, received.headers)) {
            received = await this.#send(call, url, headers, bytes);
          }
        }
      } catch (error) {
        if (!(error instanceof ConnectionLost) && !isTimeOut(error)) throw error;
        const lost = new NoAnswerError({ method, url, idempotencyKey, interactionId }, error);
        const again = (): never => {
          throw lost;
        };
        if (!isSafe) return again();
        return { again, retryAfterMs: null };
      }
      const { status, retryAfterMs } = received;
      const isLate = notCarriedOut.includes(status) || (isSafe && serverErrors.includes(status));
      if (isLate) return { again: () => refuse(received), retryAfterMs };
      await this.#verify(call, received, interactionId);
      return { done: refuse(received) };
    });
    return answer;
  }

  async #send(
    call: ApiCall,
    url: string,
    headers: Record<string, string>,
    bytes: Uint8Array | undefined,
  ): Promise<Received> {
    const { method, token, options } = call;
    const limit = AbortSignal.timeout(call.timeoutMs ?? this.options.timeoutMs ?? 30_000);
    const signal = options?.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const authorization = await this.server.authorization(token, method, url);
    const response = await this.fetch(url, {
      method,
      headers: { ...headers, ...authorization },
      body: bytes,
      signal,
    });
    const received = new Uint8Array(await response.arrayBuffer());
    return {
      status: response.status,
      headers: response.headers,
      bytes: received,
      body: parse(response.headers, received),
      retryAfterMs: readRetryAfter(response.headers.get("retry-after"), Date.now()),
    };
  }

  #sign(bytes: Uint8Array): Promise<string> {
    return signDetached(bytes, this.#signatory, this.deviations, this.now());
  }

  /** Verifies the signature of an answer. An answer without one is accepted only if it may be. */
  async #verify(call: ApiCall, answer: Answer, interactionId: string): Promise<void> {
    const rule = this.deviations.answerSignatures;
    if (!call.signed || rule === "never") return;
    const signature = answer.headers.get(signatureHeader);
    const id = answer.headers.get("x-fapi-interaction-id") ?? interactionId;
    if (signature === null) {
      // a refusal may come from a part of the bank that does not sign
      if (rule === "sometimes" || answer.bytes.length === 0 || answer.status >= 400) return;
      throw new VerificationError(`The answer has no ${signatureHeader}.`, id);
    }
    try {
      await verifyDetached(signature, answer.bytes, this.expectation);
    } catch (error) {
      const why = (error as Error).message;
      throw new VerificationError(`The answer's signature is invalid: ${why}.`, id, error);
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

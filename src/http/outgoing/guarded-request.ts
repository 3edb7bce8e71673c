import { Resolver } from "node:dns/promises";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { type AddressGuard, addressOf, isLoopbackHost } from "./address-guard.ts";

const nameMs = 2_000;

/** A client certificate with its chain, and its key; PEM texts. */
type ClientPair = { cert: string; key: string };

/**
 * TLS options that verify servers against the public roots and `roots` (PEM text), and send a
 * client certificate if there is one. Throws if the certificate and its key cannot be used. Reading
 * the public roots takes 20 ms, so callers make the options when they need them.
 */
export const secureOptions = (roots: string, client?: ClientPair) =>
  ({
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    secureContext: createSecureContext({ ca: [...rootCertificates, roots], ...client }),
  }) as const;

/**
 * Calls `then` when a request has a connection. A request that waited for one gets a connected
 * socket without `reusedSocket`, and the socket does not emit "connect" again.
 */
export function whenConnected(request: ClientRequest, then: () => void): void {
  request.on("socket", (socket) => {
    // safe: a socket of TLS has this member, and another one does not
    const { secureConnecting = false } = socket as { secureConnecting?: boolean };
    // a connection that failed at once is no longer connecting
    if (!socket.connecting && !secureConnecting && !socket.destroyed) then();
    else socket.once("encrypted" in socket ? "secureConnect" : "connect", then);
  });
}

/** Destroys a request that is not connected, or not finished, in time. */
function limitConnecting(
  request: ClientRequest,
  { connectMs, totalMs }: { connectMs: number; totalMs: number },
): void {
  const end = (milliseconds: number, what: string): NodeJS.Timeout =>
    setTimeout(() => request.destroy(new Error(what)), milliseconds);
  const total = end(totalMs, `no response within ${totalMs / 1000} s`);
  const connecting = end(connectMs, `no connection within ${connectMs / 1000} s`);
  whenConnected(request, () => clearTimeout(connecting));
  request.on("close", () => {
    clearTimeout(total);
    clearTimeout(connecting);
  });
}

/**
 * Returns why the bank must not send to a URL. Returns null if it may, or if the host is a name,
 * whose addresses are checked when it is looked up.
 */
function mistakeOf(url: URL, guard: AddressGuard): string | null {
  const isLocal = guard.allowsLoopback && isLoopbackHost(url);
  if (url.protocol !== "https:" && !isLocal) return "the URL does not begin with https://";
  return forbiddenAddress(url, guard);
}

/**
 * Returns why the bank must not connect to the address in a URL. Returns null if it may, or if the
 * host is a name.
 */
export function forbiddenAddress(url: URL, guard: AddressGuard): string | null {
  const address = addressOf(url.hostname);
  if (isIP(address) === 0 || guard.allows(address)) return null; // a name is looked up first
  return `${address} is not a public address`;
}

/**
 * Returns the message of an error. If a connection failed at several addresses, returns the
 * message of the first failure.
 */
export function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return (first as Error).message || error.message || error.name;
}

/**
 * Resolves names without the thread pool that signatures use, so that a slow name server does not
 * delay other requests. The connection is made to the address that was checked.
 */
export function guardedLookup(guard: AddressGuard): LookupFunction {
  const resolver = new Resolver({ timeout: nameMs, tries: 2 });
  return (name, options, callback) => {
    addressesOf(resolver, name)
      .then((found) => {
        const allowed = found.filter(({ address }) => guard.allows(address));
        const [first] = allowed;
        if (!first) throw new Error(unusable(name, found));
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      })
      .catch((error: Error) => callback(error, ""));
  };
}

const unusable = (name: string, found: readonly { address: string }[]): string =>
  found.length === 0
    ? `the name ${name} has no address`
    : `${name} has no public address: ${found.map(({ address }) => address).join(", ")}`;

type Address = { address: string; family: 4 | 6 };

async function addressesOf(resolver: Resolver, name: string): Promise<Address[]> {
  // name servers do not resolve this name. Source: RFC 6761 section 6.3
  if (name === "localhost") return [of("127.0.0.1", 4), of("::1", 6)];
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return [
    ...(four.status === "fulfilled" ? four.value : []).map((address) => of(address, 4)),
    ...(six.status === "fulfilled" ? six.value : []).map((address) => of(address, 6)),
  ];
}

const of = (address: string, family: 4 | 6): Address => ({ address, family });

/** The limits of a request whose response is read whole. */
export type BodyLimits = {
  connectMs: number;
  totalMs: number;
  mostBytes: number;
  /** The message if the body is larger. */
  tooLarge: string;
  /** Whether a response of any status is returned; otherwise, it must be 200. */
  anyStatus?: true;
};

/** A response that was read whole. */
export type WholeBody = { status: number; body: Buffer; headers: IncomingHttpHeaders };

/** The response has another status than 200. */
class UnexpectedStatus extends Error {
  readonly retryAfter: string | null;

  constructor({ statusCode, headers }: IncomingMessage) {
    super(`the status is ${statusCode}, not 200`);
    this.retryAfter = headers["retry-after"] ?? null;
  }
}

/**
 * Sends a request, and returns the body of its response. Rejects with an Error if the status is not
 * 200, a limit is exceeded, or the connection fails.
 */
export function wholeBodyOf(
  request: ClientRequest,
  { connectMs, totalMs, mostBytes, tooLarge, anyStatus }: BodyLimits,
  sent: Buffer | null = null,
): Promise<WholeBody> {
  return new Promise((resolve, reject) => {
    const stop = (error: Error): void => {
      reject(error);
      request.destroy();
    };
    limitConnecting(request, { connectMs, totalMs });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const { statusCode: status = 0, headers } = response;
      if (status !== 200 && !anyStatus) return stop(new UnexpectedStatus(response));
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) stop(new Error(tooLarge));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      return response.on("end", () => resolve({ status, body: Buffer.concat(chunks), headers }));
    });
    request.on("close", () => reject(new Error("the connection was closed")));
    request.end(sent ?? undefined);
  });
}

/** A document that was fetched, or the reason why it could not be. */
export type Fetched =
  | { body: Buffer; maxAgeSeconds: number | null; reason: null }
  | {
      body: null;
      reason: string;
      /** The Retry-After of a response with an error; null or absent without one. */
      retryAfter?: string | null;
    };

/** Fetches documents from servers that the bank does not control. */
export type Fetcher = {
  /** Fetches a document. Never throws. */
  get(url: string): Promise<Fetched>;
};

/** A request in the bank's own name. */
type OwnRequest = {
  client: ClientPair;
  /** The form to post; without one, the request is a GET. */
  form?: URLSearchParams;
  /** The access token. */
  token?: string;
};

/** A fetcher that can also prove who the bank is. */
export type OwnFetcher = Fetcher & {
  /** Fetches a document in the bank's own name, over mutual TLS. Never throws. */
  send(url: string, request: OwnRequest): Promise<Fetched>;
};

const limits: BodyLimits = {
  connectMs: 2_000,
  totalMs: 5_000,
  mostBytes: 512 * 1024,
  tooLarge: "the document is larger than 512 kB",
};

/**
 * Creates a fetcher. It connects only to addresses that the guard allows, verifies certificates
 * against the public roots and `roots`, does not follow redirects, and reads at most 512 kB. The
 * connection must be made within 2 s, and the response must be complete within 5 s. Source: R-120.
 */
export function createFetcher(guard: AddressGuard, roots: string): OwnFetcher {
  let secure: ReturnType<typeof secureOptions> | undefined;
  const lookup = guardedLookup(guard);
  async function fetch(text: string, own?: OwnRequest): Promise<Fetched> {
    const url = URL.parse(text);
    if (!url) return failed(`${text} is not a URL`);
    const isSecure = url.protocol === "https:";
    const mistake =
      own && !isSecure ? "the URL does not begin with https://" : mistakeOf(url, guard);
    if (mistake !== null) return failed(mistake);
    const { form, token, client } = own ?? {};
    const options = {
      agent: false as const,
      lookup,
      maxHeaderSize: 8_192,
      method: form ? "POST" : "GET",
      headers: {
        accept: "application/jwk-set+json, application/json",
        ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    };
    try {
      if (isSecure && !client) secure ??= secureOptions(roots);
      const request = isSecure
        ? https.request(url, { ...options, ...(client ? secureOptions(roots, client) : secure) })
        : http.request(url, options);
      return await documentOf(request, form);
    } catch (error) {
      return failed(reasonOf(error as Error));
    }
  }
  return { get: (url) => fetch(url), send: fetch };
}

const failed = (reason: string) => ({ body: null, reason });

async function documentOf(
  request: http.ClientRequest,
  form: URLSearchParams | undefined,
): Promise<Fetched> {
  try {
    const sent = form ? Buffer.from(form.toString()) : null;
    const { body, headers } = await wholeBodyOf(request, limits, sent);
    return { body, maxAgeSeconds: maxAgeOf(headers["cache-control"]), reason: null };
  } catch (error) {
    const retryAfter = error instanceof UnexpectedStatus ? error.retryAfter : null;
    return { ...failed(reasonOf(error as Error)), retryAfter };
  }
}

function maxAgeOf(header: string | undefined): number | null {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(header ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/** A request to a server that the bank does not trust. */
type GuardedPost = { url: string; body: string; headers: Readonly<Record<string, string>> };

/** The head of a response, or the reason why there was none. */
export type PostReply =
  | { status: number; headers: http.IncomingHttpHeaders }
  | { status: null; reason: string };

/** Sends requests to servers that the bank does not control. */
export type Sender = {
  /** Sends a request and returns at the end of the response. Never throws. */
  post(request: GuardedPost, signal: AbortSignal): Promise<PostReply>;
  /** Closes idle connections. */
  close(): void;
};

const connectMs = 5_000;
const totalMs = 10_000;
const idleMs = 4_000;
const mostBytes = 4_096;

/**
 * Creates a sender. It connects only to addresses that the guard allows, verifies certificates
 * against the public roots and `roots`, does not follow redirects, and reads at most 4 kB of a
 * response. The connection must be made within 5 s, and the response must arrive within 10 s.
 * Source: EV-10, EV-19.
 */
export function createSender(guard: AddressGuard, roots: string): Sender {
  const plain = new http.Agent({ keepAlive: true, timeout: idleMs });
  let secure: https.Agent | undefined;
  const secureAgent = (): https.Agent => {
    secure ??= new https.Agent({ keepAlive: true, timeout: idleMs, ...secureOptions(roots) });
    return secure;
  };
  const lookup = guardedLookup(guard);
  const send = (request: GuardedPost, signal: AbortSignal): Promise<PostReply> => {
    const url = new URL(request.url);
    const mistake = mistakeOf(url, guard);
    if (mistake !== null) return Promise.resolve({ status: null, reason: mistake });
    const isSecure = url.protocol === "https:";
    const made = (isSecure ? https : http).request(url, {
      method: "POST",
      agent: isSecure ? secureAgent() : plain,
      lookup,
      signal,
      maxHeaderSize: 8_192,
      headers: { ...request.headers, "content-length": Buffer.byteLength(request.body) },
    });
    return headOf(made, request.body);
  };
  return {
    async post(request, signal) {
      const reply = await send(request, signal);
      // the server closed the idle connection just before it was used, so the request did not
      // arrive
      return reply.status === null && reply.reason === lostIdle ? send(request, signal) : reply;
    },
    close() {
      plain.destroy();
      secure?.destroy();
    },
  };
}

const lostIdle = "the connection was closed while it was idle";

/**
 * Sends the body, and returns the head of the response. Waits for the end of the response, so that
 * the next request can use the connection.
 */
function headOf(request: http.ClientRequest, body: string): Promise<PostReply> {
  return new Promise((resolve) => {
    let head: PostReply | undefined;
    limitConnecting(request, { connectMs, totalMs });
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (head) return; // only the head of the response matters
      const isLost = request.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? "");
      resolve({ status: null, reason: isLost ? lostIdle : reasonOf(error) });
    });
    request.on("response", (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) response.destroy();
      });
      response.on("error", () => undefined);
      head = { status: response.statusCode ?? 0, headers: response.headers };
    });
    request.on("close", () => {
      resolve(head ?? { status: null, reason: "the connection was closed" });
    });
    request.end(body);
  });
}

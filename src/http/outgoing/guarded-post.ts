import { Resolver } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { type AddressGuard, addressOf, isLoopbackHost } from "./address-guard.ts";

/** A request to a server that the bank does not trust. */
export type GuardedPost = { url: string; body: string; headers: Readonly<Record<string, string>> };

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
const nameMs = 2_000;

/**
 * Creates a sender. It connects only to addresses that the guard allows, verifies certificates
 * against the public roots and `roots`, does not follow redirects, and reads at most 4 kB of a
 * response. The connection must be made within 5 s, and the response must arrive within 10 s.
 * Source: EV-10, EV-19.
 */
export function createSender(guard: AddressGuard, roots: string): Sender {
  const plain = new http.Agent({ keepAlive: true, timeout: idleMs });
  const secure = new https.Agent({
    keepAlive: true,
    timeout: idleMs,
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
    secureContext: createSecureContext({ ca: [...rootCertificates, roots] }),
  });
  const lookup = guardedLookup(guard);
  const send = (request: GuardedPost, signal: AbortSignal): Promise<PostReply> => {
    const url = new URL(request.url);
    const mistake = mistakeOf(url, guard);
    if (mistake !== null) return Promise.resolve({ status: null, reason: mistake });
    const isSecure = url.protocol === "https:";
    const made = (isSecure ? https : http).request(url, {
      method: "POST",
      agent: isSecure ? secure : plain,
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
      secure.destroy();
    },
  };
}

const lostIdle = "the connection was closed while it was idle";

/**
 * Returns why the bank must not send to a URL. Returns null if it may, or if the host is a name,
 * whose addresses are checked when it is looked up.
 */
function mistakeOf(url: URL, guard: AddressGuard): string | null {
  const isLocal = guard.allowsLoopback && isLoopbackHost(url);
  if (url.protocol !== "https:" && !isLocal) return "the URL does not begin with https://";
  const address = addressOf(url.hostname);
  if (isIP(address) === 0 || guard.allows(address)) return null; // a name is looked up first
  return `${address} is not a public address`;
}

/**
 * Sends the body, and returns the head of the response. Waits for the end of the response, so that
 * the next request can use the connection.
 */
function headOf(request: http.ClientRequest, body: string): Promise<PostReply> {
  return new Promise((resolve) => {
    let head: PostReply | undefined;
    const end = (milliseconds: number, what: string): NodeJS.Timeout =>
      setTimeout(() => request.destroy(new Error(what)), milliseconds);
    const total = end(totalMs, `no response within ${totalMs / 1000} s`);
    const connecting = end(connectMs, `no connection within ${connectMs / 1000} s`);
    request.on("socket", (socket) => {
      if (request.reusedSocket) return clearTimeout(connecting);
      const event = "encrypted" in socket ? "secureConnect" : "connect";
      return socket.once(event, () => clearTimeout(connecting));
    });
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
      clearTimeout(total);
      clearTimeout(connecting);
      resolve(head ?? { status: null, reason: "the connection was closed" });
    });
    request.end(body);
  });
}

/**
 * Returns the message of an error. If a connection failed at several addresses, it is the first
 * one's.
 */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return (first as Error).message || error.message || error.name;
}

/**
 * Resolves names without the thread pool that signatures use, so that a slow name server does not
 * delay other requests. The connection is made to the address that was checked.
 */
function guardedLookup(guard: AddressGuard): LookupFunction {
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

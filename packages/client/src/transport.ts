import * as http from "node:http";
import * as https from "node:https";

/** A request as this library sends it. */
export type FetchOptions = {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/** Sends a request and returns the answer. It follows no redirects. */
export type Fetch = (url: string, options: FetchOptions) => Promise<Response>;

/** Sends a request in place of the library, which it can still do with `send`. */
export type OwnFetch = (url: string, options: FetchOptions, send: Fetch) => Promise<Response>;

/** A client certificate and its key, in PEM. */
export type TransportKey = { certificate: string; privateKey: string };

/** The TLS settings of a transport; all in PEM. */
type TransportOptions = {
  /** The client certificate and its key, for mutual TLS. */
  transport?: TransportKey | undefined;
  /** The root that signed the bank's certificate, if it is not a public one. */
  ca?: string | undefined;
  fetch?: OwnFetch | undefined;
};

/** Connections to a bank. */
type Transport = {
  fetch: Fetch;
  /** Presents another client certificate from now on. */
  present(key: TransportKey): void;
  close(): void;
};

/** The connection failed before an answer was complete. */
export class ConnectionLost extends TypeError {
  override readonly name = "ConnectionLost";
  readonly method: string;
  readonly url: string;

  constructor(method: string, url: string, cause: Error) {
    // without an address that answers, Node's error has no message
    super(cause.message || (cause as NodeJS.ErrnoException).code, { cause });
    this.method = method;
    this.url = url;
  }
}

// Longer than any call takes.
const formerMs = 180_000;

/** Opens a transport that keeps its connections and presents the client certificate. */
export function openTransport({ transport, ca, fetch }: TransportOptions): Transport {
  const plain = new http.Agent({ keepAlive: true });
  const agentOf = (key: TransportKey | undefined): https.Agent =>
    new https.Agent({
      keepAlive: true,
      ...(ca === undefined ? {} : { ca }),
      ...(key ? { cert: key.certificate, key: key.privateKey } : {}),
    });
  let secure = agentOf(transport);
  const own: Fetch = (url, options) =>
    url.startsWith("https:")
      ? send(https.request, secure, url, options)
      : send(http.request, plain, url, options);
  return {
    fetch: fetch ? (url, options) => fetch(url, options, own) : own,
    present(key) {
      const former = secure;
      secure = agentOf(key);
      // calls in flight end on their own connections
      setTimeout(() => former.destroy(), formerMs).unref();
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

type Requester = typeof https.request | typeof http.request;

function send(
  request: Requester,
  agent: http.Agent,
  url: string,
  { method, headers, body, signal }: FetchOptions,
): Promise<Response> {
  const bytes = toBytes(body);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(signal?.aborted ? signal.reason : new ConnectionLost(method, url, error));
    const sent = request(url, {
      method,
      agent,
      headers: { ...headers, ...(bytes ? { "content-length": String(bytes.length) } : {}) },
      ...(signal ? { signal } : {}),
    });
    sent.on("error", fail);
    sent.on("response", (answer: http.IncomingMessage) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", fail);
      answer.on("end", () => resolve(toResponse(answer, Buffer.concat(chunks))));
    });
    sent.end(bytes);
  });
}

function toBytes(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  return body instanceof Uint8Array ? body : Buffer.from(String(body));
}

function toResponse({ statusCode = 0, rawHeaders }: http.IncomingMessage, body: Buffer): Response {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  // a Response with such a status must not have a body
  const isEmpty = [204, 205, 304].includes(statusCode);
  return new Response(isEmpty ? null : new Uint8Array(body), { status: statusCode, headers });
}

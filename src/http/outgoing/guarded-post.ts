import * as http from "node:http";
import * as https from "node:https";
import type { AddressGuard } from "./address-guard.ts";
import {
  guardedLookup,
  limitConnecting,
  mistakeOf,
  reasonOf,
  secureOptions,
} from "./guarded-connection.ts";

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
  const secure = new https.Agent({
    keepAlive: true,
    timeout: idleMs,
    ...secureOptions(roots),
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

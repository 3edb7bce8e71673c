import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { rootCertificates } from "node:tls";
import { isLoopbackHost } from "#src/http/outgoing/address-guard.ts";
import {
  type BodyLimits,
  type WholeBody,
  whenConnected,
  wholeBodyOf,
} from "#src/http/outgoing/guarded-request.ts";

/** Where a service of the bank is, and how Aldgate proves who it is. Files are PEM files. */
export type RemoteAddress = {
  url: string;
  /** The file with the bearer token. */
  tokenFile?: string | undefined;
  /** The roots that the service's certificate may chain to. Default: the public roots. */
  rootsFile?: string | undefined;
  /** The bank's client certificate and its key. */
  certificateFile?: string | undefined;
  keyFile?: string | undefined;
  /** The most connections to the service. */
  connections: number;
};

/** Sends a request and returns the JSON of its response. Rejects with an Error. */
export type CallRemote = (path: string, body: object | null, withinMs: number) => Promise<unknown>;

/** Connections to the signing service. */
type RemoteConnection = { call: CallRemote; close(): void };

// Renewed files are used within this time.
const rereadMs = 5_000;
const mostBytes = 16_384;
const tooLarge = `the response is larger than ${mostBytes} bytes`;

/** Returns why Aldgate must not use the URL of a service of the bank; null if it may. */
export function serviceUrlMistake(text: string): string | null {
  const url = URL.parse(text);
  if (!url) return `${text} is not a valid URL`;
  if (url.search !== "" || url.hash !== "") return "the URL must not have a query or a fragment";
  if (url.username !== "" || url.password !== "") {
    return "the URL must not have a user or a password, which Aldgate would not send";
  }
  if (url.protocol === "https:") return null;
  return isLoopbackHost(url)
    ? null
    : "the URL must begin with https://; only a service on this machine may use http";
}

/** The header that says how many milliseconds a service has for a request. */
export const deadlineHeader = "aldgate-deadline-ms";

/** A request over kept connections. The path is relative to the service's URL. */
type RemoteRequest = {
  method: "GET" | "POST";
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | null;
  limits: BodyLimits;
};

/** The request was not sent: there was no connection. */
export class NotSent extends Error {}

/** Kept connections to a service of the bank. */
type Connections = {
  /**
   * Returns the response. Rejects with NotSent if nothing was sent, and with another Error if the
   * service may have received the request.
   */
  exchange(request: RemoteRequest): Promise<WholeBody>;
  close(): void;
};

/** Opens connections to a service of the bank. They are made when needed and kept open. */
export function openConnections(address: RemoteAddress): Connections {
  const base = new URL(address.url.endsWith("/") ? address.url : `${address.url}/`);
  const isTls = base.protocol === "https:";
  const files = createFiles(address);
  let agent = makeAgent();
  let agentOf = files.tls();
  const agents = new Set([agent]);
  let isClosed = false;

  function makeAgent(): http.Agent {
    const limits = { keepAlive: true, maxSockets: address.connections };
    if (!isTls) return new http.Agent(limits);
    const { ca, cert, key } = files.tls();
    return new https.Agent({
      ...limits,
      minVersion: "TLSv1.2",
      ca: ca ?? [...rootCertificates],
      ...(cert && key ? { cert, key } : {}),
    });
  }

  async function send(given: RemoteRequest, isAgain = false): Promise<WholeBody> {
    const { method, path, headers, body, limits } = given;
    const began = performance.now();
    const tls = files.tls();
    if (tls !== agentOf) {
      retire(agent);
      agent = makeAgent();
      agents.add(agent);
      agentOf = tls;
    }
    const token = files.token();
    const request = (isTls ? https : http).request(new URL(path, base), {
      agent,
      method,
      maxHeaderSize: 8_192,
      headers: {
        accept: "application/json",
        ...headers,
        ...(body ? { "content-type": "application/json", "content-length": body.length } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    let [isConnected, isAnswered] = [false, false];
    request.on("response", () => {
      isAnswered = true;
    });
    whenConnected(request, () => {
      isConnected = true;
    });
    try {
      return await wholeBodyOf(request, limits, body);
    } catch (error) {
      // the service may close an idle connection at any time; every request may be sent twice
      const mayRepeat = request.reusedSocket && !isAgain && !isAnswered && !isClosed;
      const leftMs = Math.floor(limits.totalMs - (performance.now() - began));
      if (mayRepeat && leftMs > 0 && isCut(error as Error))
        return send(within(given, leftMs), true);
      if (isConnected) throw error;
      throw new NotSent((error as Error).message, { cause: error });
    }
  }

  return {
    exchange: (request) => send(request),
    close() {
      isClosed = true;
      for (const one of agents) one.destroy();
    },
  };
}

/** Closes the idle connections of an agent. Calls in flight end on theirs, which then close. */
function retire(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** The request with the time that is left, which its header of the deadline says too. */
const within = (request: RemoteRequest, leftMs: number): RemoteRequest => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      name === deadlineHeader ? String(leftMs) : value,
    ]),
  ),
  limits: { ...request.limits, connectMs: leftMs, totalMs: leftMs },
});

/** Opens connections to the signing service. */
export function connectRemote(address: RemoteAddress): RemoteConnection {
  const { exchange, close } = openConnections(address);
  return {
    async call(path, body, withinMs) {
      const { body: text } = await exchange({
        method: body === null ? "GET" : "POST",
        path,
        headers: {},
        body: body === null ? null : Buffer.from(JSON.stringify(body)),
        limits: { connectMs: withinMs, totalMs: withinMs, mostBytes, tooLarge },
      });
      try {
        return JSON.parse(text.toString()) as unknown;
      } catch {
        throw new Error("the response is not JSON");
      }
    },
    close,
  };
}

const isCut = (error: Error): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" || code === "EPIPE";
};

type TlsFiles = { ca: string | null; cert: string | null; key: string | null };

/** Reads the files again from time to time, so that a renewal needs no restart. */
function createFiles({ tokenFile, rootsFile, certificateFile, keyFile }: RemoteAddress) {
  const read = (path: string | undefined): string | null =>
    path === undefined ? null : readFileSync(path, "utf8");
  const readAll = () => ({
    token: read(tokenFile)?.trim() ?? null,
    tls: { ca: read(rootsFile), cert: read(certificateFile), key: read(keyFile) } as TlsFiles,
  });
  let files = readAll();
  let readAt = performance.now();
  const look = () => {
    if (performance.now() - readAt < rereadMs) return files;
    readAt = performance.now();
    try {
      const next = readAll();
      const isSame = JSON.stringify(next.tls) === JSON.stringify(files.tls);
      files = { token: next.token, tls: isSame ? files.tls : next.tls };
    } catch {
      // a file that is being replaced: the last texts stay in use
    }
    return files;
  };
  return { token: () => look().token, tls: () => look().tls };
}

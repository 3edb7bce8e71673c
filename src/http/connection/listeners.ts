import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import { type ClientTrust, createClientTrust } from "#src/certificates/client-trust.ts";
import { interactionHeader, interactionIdOf } from "#src/http/headers/request-headers.ts";
import { decodablePath } from "#src/http/hostile-text.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newUuid } from "#src/lib/ids.ts";
import { printableInteractionId } from "#src/standard/shared/header-forms.ts";
import {
  type ConnectionCounts,
  ConnectionGuard,
  type ConnectionLimits,
  type ConnectionTimes,
  defaultTimes,
} from "./connections.ts";
import type { Credentials } from "./credentials.ts";
import type { CertificateProxies } from "./handed-on.ts";
import { loggerOptions } from "./observe.ts";
import { beginPeer, peerOf, untilJudged } from "./peers.ts";

// Routes have no Fastify schemas, so its compilers, which take a tenth of a second to load, are not
// loaded.
const noCompiler = () => () => {
  throw new Error("a route's schema is validated by the kit, not by Fastify");
};
const noCompilers = { buildValidator: noCompiler, buildSerializer: noCompiler };

/**
 * Fastify's options for the bank: our own log lines, path parameters of any length that the
 * standard allows, and 404 without a body for a URL that cannot be decoded.
 */
export const appOptions = (options: {
  logLevel: string;
  bodyLimit: number;
  world?: { name: string } | undefined;
}): FastifyServerOptions => ({
  logger: loggerOptions(options.logLevel, options.world) ?? false,
  schemaController: { compilersFactory: noCompilers },
  logController: new LogController({ disableRequestLogging: true }),
  bodyLimit: options.bodyLimit,
  exposeHeadRoutes: true,
  routerOptions: { maxParamLength: 512 },
  rewriteUrl: ({ url = "/" }) => decodablePath(url),
  frameworkErrors: (_error, request, answer) => {
    const reply = answer as FastifyReply; // no schema of a route narrows this answer
    const { value: interactionId } = interactionIdOf(request.raw, reply, printableInteractionId);
    const { method } = request.raw;
    request.log.info({ method, route: "unknown", status: 404, interactionId }, "answered");
    reply.code(404).header("cache-control", "no-store").send();
  },
});

/**
 * A listening socket that somebody else owns. It hands its connections to the bank while the bank
 * is open.
 */
export type Door = {
  port: number;
  /** Calls the function with every connection from now on. Null ends this. */
  receive(handle: ((socket: Socket) => void) | null): void;
};

/** The doors of a bank that does not listen itself. */
export type Doors = { public: Door; mtls: Door };

/** Where and how the bank listens; keys and certificates are PEM text. */
type ListenerOptions = {
  /** Its `routing` serves both listeners; `openListeners` makes it ready. */
  app: FastifyInstance;
  host: string;
  /** 0 takes a free port. */
  publicPort: number;
  mtlsPort: number;
  /** Takes the connections of these in place of listening on the ports. */
  doors?: Doors | undefined;
  /** Puts TLS on the browsers' listener; null for plain HTTP. */
  publicTls: { key: string; cert: string } | null;
  /** `ca` are the roots and issuing authorities that client certificates must chain to. */
  mtls: { key: string; cert: string; ca: string };
  /** Judges client certificates. The default trusts `ca`, and does not check for revocation. */
  trust?: ClientTrust;
  /** The proxies that terminate TLS in front of the mutual TLS listener. The default is none. */
  proxies?: CertificateProxies | null;
  /** Refuses a request before the application sees it, and says whether it did. */
  shed?: (request: http.IncomingMessage, response: http.ServerResponse) => boolean;
  /** Largest request head in bytes. A larger one gets 431. Default 16384. */
  headerLimitBytes?: number;
  /** Default: 4,000 in all, 512 for each address. */
  limits?: ConnectionLimits;
  /** Replaces some of the time-outs. */
  times?: Partial<ConnectionTimes>;
};

/** Both listeners, open. */
export type Listeners = {
  publicPort: number;
  mtlsPort: number;
  /**
   * Serves another certificate, and trusts other roots if they are given, from the next connection
   * on; those that are open stay as they are.
   */
  renew(server: { key: string; cert: string }, clientCa?: string): void;
  /** The connections of both listeners. */
  counts(): ConnectionCounts;
  /** Stops accepting, lets requests in flight finish, and cuts those left after the grace. */
  close(graceSeconds: number): Promise<void>;
};

// TLS 1.2 suites that FAPI allows, and those of TLS 1.3. Source: FAPI 1.0 Advanced section 8.5.
const tlsOptions: https.ServerOptions = {
  minVersion: "TLSv1.2",
  honorCipherOrder: true,
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384",
  ].join(":"),
};

// a caller without a certificate, or with a foreign one, gets an answer that says so
const mtlsOptions: https.ServerOptions = { requestCert: true, rejectUnauthorized: false };

const drainIntervalMilliseconds = 50;
// How long a connection without a request may outlast the call to close.
const waitingMilliseconds = 1000;

/** Opens both listeners over one application; rejects when a port is taken. */
export async function openListeners(options: ListenerOptions): Promise<Listeners> {
  const { app, host, mtls, publicTls } = options;
  await app.ready();
  const times = { ...defaultTimes, ...options.times };
  const limits = options.limits ?? { total: 4000, perAddress: 512 };
  const guard = new ConnectionGuard(limits, times, (socket) => refuse(socket, slowStatus));
  const common: http.ServerOptions = {
    maxHeaderSize: options.headerLimitBytes ?? 16_384,
    headersTimeout: times.headSeconds * 1000,
    requestTimeout: 0, // bodies are timed by their progress: see ConnectionGuard
    connectionsCheckingInterval: times.checkSeconds * 1000,
    keepAliveTimeout: times.idleSeconds * 1000,
  };
  const secure = { ...common, ...tlsOptions, handshakeTimeout: times.handshakeSeconds * 1000 };
  const handle = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    if (!guard.begin(request, response) || options.shed?.(request, response)) return;
    app.routing(request, response);
  };
  const publicServer = publicTls
    ? https.createServer({ ...secure, ...publicTls }, handle)
    : http.createServer(common, handle);
  const mtlsServer = https.createServer(
    { ...secure, ...mtls, ...mtlsOptions },
    (request, response) => {
      const status = untilJudged(request);
      if (status === null) handle(request, response);
      else void status.then(() => request.socket.destroyed || handle(request, response));
    },
  );
  const trust = options.trust ?? createClientTrust(mtls.ca, { now: Temporal.Now.instant });
  const rules = { trust, proxies: options.proxies ?? null };
  mtlsServer.on("secureConnection", (socket) => beginPeer(socket, rules));
  const servers = [publicServer, mtlsServer];
  for (const server of servers) {
    server.on("connection", (socket) => guard.admit(socket));
    server.on("secureConnection", (socket) => guard.secured(socket));
    server.on("clientError", (error, socket) => answerBrokenRequest(guard, error, socket));
    server.on("checkExpectation", handle); // an Expect that node does not know is ignored
    server.setTimeout(times.stallSeconds * 1000, (socket) => guard.silent(socket as Socket));
  }
  try {
    const { doors } = options;
    const open = (server: Server, port: number, door: Door | undefined) =>
      door ? receive(server, door) : listen(server, port, host);
    const publicPort = await open(publicServer, options.publicPort, doors?.public);
    const mtlsPort = await open(mtlsServer, options.mtlsPort, doors?.mtls);
    return {
      publicPort,
      mtlsPort,
      renew(server, ca = trust.anchorsPem) {
        if (ca !== trust.anchorsPem) trust.setAnchors(ca);
        mtlsServer.setSecureContext({ ...tlsOptions, ...server, ca });
        if (publicServer instanceof https.Server) {
          publicServer.setSecureContext({ ...tlsOptions, ...server });
        }
      },
      counts: () => guard.counts,
      close(graceSeconds) {
        for (const door of doors ? [doors.public, doors.mtls] : []) door.receive(null);
        return close(servers, guard, graceSeconds);
      },
    };
  } catch (error) {
    for (const server of servers) server.close();
    guard.stop();
    throw error;
  }
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port); // it listens on a port, not a pipe
    });
  });
}

/** Takes the connections of a door. */
function receive(server: Server, door: Door): number {
  server.emit("listening"); // begins what Node does for the connections of a server that listens
  door.receive((socket) => server.emit("connection", socket));
  return door.port;
}

async function close(
  servers: readonly http.Server[],
  guard: ConnectionGuard,
  graceSeconds: number,
): Promise<void> {
  const grace = graceSeconds * 1000;
  const closed = servers.map(
    (server) => new Promise<void>((resolve) => server.close(() => resolve())),
  );
  // a kept connection turns idle when its request is answered
  const drain = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, drainIntervalMilliseconds);
  const leave = setTimeout(() => guard.closeWaiting(), Math.min(grace, waitingMilliseconds));
  const cut = setTimeout(() => guard.closeAll(), grace);
  // a server does not wait for the connections that it has from a door
  await Promise.all([...closed, untilEmpty(guard)]);
  clearInterval(drain);
  clearTimeout(leave);
  clearTimeout(cut);
  guard.stop();
}

async function untilEmpty(guard: ConnectionGuard): Promise<void> {
  while (guard.counts.open > 0) await sleep(drainIntervalMilliseconds);
}

const slowStatus = "408 Request Timeout";
const brokenStatus: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: slowStatus,
};
const farewellMilliseconds = 1000;

// Input that Node cannot parse never reaches the application. A socket without a finished handshake
// cannot carry a response: ending it would wait forever.
function answerBrokenRequest(
  guard: ConnectionGuard,
  error: NodeJS.ErrnoException,
  socket: Socket | object,
): void {
  const connection = socket as Socket; // node types it as any duplex stream
  if (error.code === "ECONNRESET" || !guard.canAnswer(connection)) connection.destroy();
  else refuse(connection, brokenStatus[error.code ?? ""] ?? "400 Bad Request");
}

/** Responds without a body, and closes the connection after the peer has, or after a second. */
function refuse(connection: Socket, status: string): void {
  connection.end(
    `HTTP/1.1 ${status}\r\n${interactionHeader}: ${newUuid()}\r\n` +
      "cache-control: no-store\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
  );
  const cut = setTimeout(() => connection.destroy(), farewellMilliseconds);
  connection.once("close", () => clearTimeout(cut));
}

const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/**
 * The credentials of a request: token hash, certificate thumbprint, loopback. A request that a
 * proxy forwarded is not from loopback, wherever the proxy runs.
 */
export function credentialsOf(request: http.IncomingMessage): Credentials {
  const { headers } = request;
  const peer = peerOf(request);
  const token = bearer.exec(headers.authorization ?? "")?.[1];
  return {
    tokenHash: token === undefined ? null : sha256(token),
    certificateThumbprint: peer.thumbprint,
    certificateFault: peer.judged.fault,
    loopback: peer.loopback && !wasPassedOn(request),
  };
}

// Headers that proxies, balancers and content networks add to the requests that they pass on.
const proxyHeaders =
  /^(forwarded|via|x-forwarded|x-(real|client|cluster-client|remote)-(ip|addr)|x-request-start|x-scheme|(true|fastly|do)-(client|connecting)-ip|cdn-loop|client-ip)$/;
const proxyPrefixes =
  /^(x-forwarded-|x-original-|x-proxy|x-envoy-|proxy-|fly-|cf-|x-amzn?-|x-azure-|x-appengine-)/;

// Proxies that add no header call with HTTP/1.0, unless they are set up otherwise.
function wasPassedOn({ httpVersionMinor, headers }: http.IncomingMessage): boolean {
  if (httpVersionMinor === 0) return true;
  for (const name in headers) {
    if (proxyHeaders.test(name) || proxyPrefixes.test(name)) return true;
  }
  return false;
}

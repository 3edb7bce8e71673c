import type { X509Certificate } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { sha256 } from "#src/lib/hash.ts";
import { newUuid } from "#src/lib/ids.ts";
import { type JudgedCertificate, judgeCertificate } from "./client-certificate.ts";
import { interactionHeader } from "./interaction-id.ts";
import type { Credentials } from "./operation.ts";

/** Where and how the bank listens; keys and certificates are PEM text. */
export type ListenerOptions = {
  /** Its `routing` serves both listeners; made ready here. */
  app: FastifyInstance;
  host: string;
  /** 0 takes a free port. */
  publicPort: number;
  mtlsPort: number;
  /** Puts TLS on the browsers' listener; null for plain HTTP. */
  publicTls: { key: string; cert: string } | null;
  /** `ca` are the roots that client certificates must chain to. */
  mtls: { key: string; cert: string; ca: string };
  /** Largest request head in bytes; more is answered 431. Default 16384. */
  headerLimitBytes?: number;
  /** How long a request may take to arrive; longer is answered 408. Default 30. */
  requestSeconds?: number;
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
  /** Stops accepting, lets requests in flight finish, then cuts what is left after the grace. */
  close(graceSeconds: number): Promise<void>;
};

// TLS 1.2 suites that FAPI allows, and those of TLS 1.3. Source: FAPI 1.0 Advanced section 8.5.
const tlsOptions: https.ServerOptions = {
  minVersion: "TLSv1.2",
  handshakeTimeout: 10_000,
  honorCipherOrder: true,
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "DHE-RSA-AES128-GCM-SHA256",
    "DHE-RSA-AES256-GCM-SHA384",
  ].join(":"),
};

const drainIntervalMilliseconds = 50;

/** Opens both listeners over one application; rejects when a port is taken. */
export async function openListeners(options: ListenerOptions): Promise<Listeners> {
  const { app, host, mtls, publicTls } = options;
  await app.ready();
  const limits: http.ServerOptions = {
    maxHeaderSize: options.headerLimitBytes ?? 16_384,
    requestTimeout: (options.requestSeconds ?? 30) * 1000,
    headersTimeout: Math.min(options.requestSeconds ?? 30, 15) * 1000,
    keepAliveTimeout: 72_000,
  };
  const handle = (request: http.IncomingMessage, response: http.ServerResponse): void =>
    app.routing(request, response);
  const publicServer = publicTls
    ? https.createServer({ ...limits, ...tlsOptions, ...publicTls }, handle)
    : http.createServer(limits, handle);
  // a caller without a certificate, or with a foreign one, gets an answer that says so
  const mtlsServer = https.createServer(
    { ...limits, ...tlsOptions, ...mtls, requestCert: true, rejectUnauthorized: false },
    handle,
  );
  mtlsServer.on("secureConnection", (socket) => mtlsSockets.add(socket));
  const servers = [publicServer, mtlsServer];
  for (const server of servers) {
    server.on("clientError", answerBrokenRequest);
    server.on("checkExpectation", handle); // an Expect that node does not know is ignored
  }
  try {
    const publicPort = await listen(publicServer, options.publicPort, host);
    const mtlsPort = await listen(mtlsServer, options.mtlsPort, host);
    return {
      publicPort,
      mtlsPort,
      renew(server, ca = mtls.ca) {
        mtlsServer.setSecureContext({ ...tlsOptions, ...server, ca });
        if (publicServer instanceof https.Server) {
          publicServer.setSecureContext({ ...tlsOptions, ...server });
        }
      },
      close: async (grace) => void (await Promise.all(servers.map((one) => close(one, grace)))),
    };
  } catch (error) {
    for (const server of servers) server.close();
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

async function close(server: http.Server | https.Server, graceSeconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // a kept connection turns idle when its request is answered
  const drain = setInterval(() => server.closeIdleConnections(), drainIntervalMilliseconds);
  const cut = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  await closed;
  clearInterval(drain);
  clearTimeout(cut);
}

const brokenStatus: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

// What node cannot parse never reaches the application, and is answered without body.
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket | object): void {
  const connection = socket as Socket; // node types it as any duplex stream
  if (error.code === "ECONNRESET" || !connection.writable) {
    connection.destroy();
    return;
  }
  const status = brokenStatus[error.code ?? ""] ?? "400 Bad Request";
  connection.end(
    `HTTP/1.1 ${status}\r\n${interactionHeader}: ${newUuid()}\r\n` +
      "cache-control: no-store\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
  );
}

type Peer = {
  judged: JudgedCertificate;
  thumbprint: string | null;
  loopback: boolean;
};

const mtlsSockets = new WeakSet<Socket>();
const peers = new WeakMap<Socket, Peer>();

function peerOf(socket: Socket): Peer {
  let peer = peers.get(socket);
  if (!peer) {
    const judged = judgeCertificate(socket);
    const { certificate } = judged;
    peer = {
      judged,
      thumbprint: certificate ? sha256(certificate.raw) : null,
      loopback: /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? ""),
    };
    peers.set(socket, peer);
  }
  return peer;
}

/** Whether a request came in over the mutual TLS listener, certificate or not. */
export const arrivedOverMtls = (request: http.IncomingMessage): boolean =>
  mtlsSockets.has(request.socket);

/** The client certificate of a request's connection; null unless it can be relied on. */
export const clientCertificateOf = (request: http.IncomingMessage): X509Certificate | null =>
  peerOf(request.socket).judged.certificate;

/** The client certificate of a request's connection, or why it has none. */
export const judgedCertificateOf = (request: http.IncomingMessage): JudgedCertificate =>
  peerOf(request.socket).judged;

/** Subject DN of the trusted client certificate, an attribute a line; null without one. */
export const certificateSubjectOf = (request: http.IncomingMessage): string | null =>
  clientCertificateOf(request)?.subject ?? null;

const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/**
 * What a request proves who it is with: token hash, certificate thumbprint, loopback. A request
 * that a proxy passed on is not from loopback, wherever the proxy stands.
 */
export function credentialsOf(request: http.IncomingMessage): Credentials {
  const { headers, socket } = request;
  const peer = peerOf(socket);
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
  /^(forwarded|via|x-forwarded(-.*)?|x-(real|client|cluster-client|remote)-(ip|addr)|x-original-.*|x-proxy.*|x-envoy-.*|x-request-start|x-scheme|proxy-.*|(true|fastly|fly|do)-(client|connecting)-ip|fly-.*|cf-.*|cdn-loop|x-amzn?-.*|x-azure-.*|x-appengine-.*|client-ip)$/;

// Proxies that add no header call with HTTP/1.0, unless they are set up otherwise.
function wasPassedOn({ httpVersionMinor, headers }: http.IncomingMessage): boolean {
  if (httpVersionMinor === 0) return true;
  for (const name in headers) if (proxyHeaders.test(name)) return true;
  return false;
}

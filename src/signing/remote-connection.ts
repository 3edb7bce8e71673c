import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { rootCertificates } from "node:tls";
import { isLoopbackHost } from "#src/http/outgoing/address-guard.ts";
import { wholeBodyOf } from "#src/http/outgoing/guarded-request.ts";

/** Where the signing service is, and how the bank proves who it is. Files are PEM files. */
type RemoteAddress = {
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

/** Returns why the bank must not use the URL of a signing service; null if it may. */
export function serviceUrlMistake(text: string): string | null {
  const url = URL.parse(text);
  if (!url) return `${text} is not a valid URL`;
  if (url.search !== "" || url.hash !== "") return "the URL must not have a query or a fragment";
  if (url.protocol === "https:") return null;
  return isLoopbackHost(url)
    ? null
    : "the URL must begin with https://; only a service on this machine may use http";
}

/** Opens connections to the signing service. They are made when needed and kept open. */
export function connectRemote(address: RemoteAddress): RemoteConnection {
  const base = new URL(address.url.endsWith("/") ? address.url : `${address.url}/`);
  const isTls = base.protocol === "https:";
  const files = createFiles(address);
  let agent = makeAgent();
  let agentOf = files.tls();

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

  function send(path: string, sent: Buffer | null, withinMs: number) {
    const tls = files.tls();
    if (tls !== agentOf) {
      agent.destroy();
      agent = makeAgent();
      agentOf = tls;
    }
    const token = files.token();
    const request = (isTls ? https : http).request(new URL(path, base), {
      agent,
      method: sent ? "POST" : "GET",
      maxHeaderSize: 8_192,
      headers: {
        accept: "application/json",
        ...(sent ? { "content-type": "application/json", "content-length": sent.length } : {}),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    const limits = { connectMs: withinMs, totalMs: withinMs, mostBytes, tooLarge };
    return { request, answer: wholeBodyOf(request, limits, sent) };
  }

  return {
    async call(path, body, withinMs) {
      const sent = body === null ? null : Buffer.from(JSON.stringify(body));
      const first = send(path, sent, withinMs);
      const { body: text } = await first.answer.catch((error: Error) => {
        // the service may close an idle connection at any time; a signature may be asked for twice
        if (first.request.reusedSocket && isClosed(error)) {
          return send(path, sent, withinMs).answer;
        }
        throw error;
      });
      try {
        return JSON.parse(text.toString()) as unknown;
      } catch {
        throw new Error("the response is not JSON");
      }
    },
    close: () => agent.destroy(),
  };
}

const isClosed = (error: Error): boolean => {
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

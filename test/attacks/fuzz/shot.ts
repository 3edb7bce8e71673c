import * as http from "node:http";
import * as https from "node:https";
import { present } from "#src/lib/assert.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { patienceMs } from "#test/until.ts";

/** One request of the fuzzer. */
export type Shot = {
  /** Its number in the run. With the seed, the number determines the request. */
  number: number;
  /** Its origin: an operation, an OAuth endpoint or a page. */
  from: string;
  /** The changes that were made to it. */
  changes: string[];
  method: string;
  /** The absolute URL with its query, exactly as it is sent. */
  url: string;
  headers: Record<string, string | string[]>;
  body: Buffer | undefined;
  /** The client id of the TPP whose certificate is used; by default, that of the first TPP. */
  sender?: string;
};

/** A response. */
export type Hit = {
  status: number;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
};

/** Sends shots over kept-alive connections. */
export type Gun = {
  /** Rejects if there is no response in time: the bank must respond or close the connection. */
  fire(shot: Shot): Promise<Hit>;
  close(): void;
};

/** Makes a gun with the TPPs' certificates for the mutual TLS listener. */
export function createGun(tpps: readonly TppCredentials[]): Gun {
  const options = { keepAlive: true, maxSockets: 32 };
  const plain = new http.Agent(options);
  const secure = new Map(
    tpps.map(({ clientId, caPem: ca, transport: { certificatePem: cert, privateKeyPem: key } }) => [
      clientId,
      new https.Agent({ ...options, ca, cert, key }),
    ]),
  );
  const [first] = secure.values();
  return {
    fire(shot) {
      const isSecure = shot.url.startsWith("https:");
      const agent = isSecure ? (secure.get(shot.sender ?? "") ?? first) : plain;
      return send(shot, present(agent, "a TPP"));
    },
    close() {
      for (const agent of [plain, ...secure.values()]) agent.destroy();
    },
  };
}

function send(shot: Shot, agent: http.Agent): Promise<Hit> {
  const { origin } = new URL(shot.url);
  const isSecure = origin.startsWith("https:");
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(
      {
        hostname,
        port,
        method: shot.method,
        // sent as it is, because invalid characters are intended
        path: shot.url.slice(origin.length) || "/",
        agent,
        // independent of the Host header
        servername: hostname,
        headers: {
          ...shot.headers,
          ...(shot.body ? { "content-length": String(shot.body.length) } : {}),
        },
        timeout: patienceMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const { statusCode = 0, headers } = response;
          resolve({ status: statusCode, headers, raw: Buffer.concat(chunks) });
        });
      },
    );
    request.on("timeout", () => request.destroy(new Error(`no answer in ${patienceMs} ms`)));
    request.on("error", reject);
    request.end(shot.body);
  });
}

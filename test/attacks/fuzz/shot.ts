import * as http from "node:http";
import * as https from "node:https";

/** One request of the fuzzer, as it is sent. */
export type Shot = {
  /** Its number in the run: with the seed it says what was sent. */
  number: number;
  /** What it began as: an operation, an OAuth endpoint or a page. */
  from: string;
  /** What was done to it. */
  changes: string[];
  method: string;
  /** Absolute, with the query, as it is written on the wire. */
  url: string;
  headers: Record<string, string | string[]>;
  body: Buffer | undefined;
};

/** What came back. */
export type Hit = {
  status: number;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
};

/** Sends shots over kept connections. */
export type Gun = {
  /** Rejects when there is no answer within the time: the bank must answer or close. */
  fire(shot: Shot): Promise<Hit>;
  close(): void;
};

const patienceMs = 30_000;

/** Makes what sends shots; `tls` has the client certificate for the listener with mutual TLS. */
export function createGun(tls: https.AgentOptions): Gun {
  const plain = new http.Agent({ keepAlive: true, maxSockets: 32 });
  const secure = new https.Agent({ keepAlive: true, maxSockets: 32, ...tls });
  return {
    fire: (shot) => send(shot, plain, secure),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function send(shot: Shot, plain: http.Agent, secure: https.Agent): Promise<Hit> {
  const { origin } = new URL(shot.url);
  const isSecure = origin.startsWith("https:");
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(
      {
        hostname,
        port,
        method: shot.method,
        // as it is: what no URL may hold is meant
        path: shot.url.slice(origin.length) || "/",
        agent: isSecure ? secure : plain,
        // whatever the Host header says
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

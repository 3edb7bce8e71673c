import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { signDigest } from "#src/signing/pss-digest.ts";
import { publicJwkOf } from "#src/signing/public-jwk.ts";

type Reply = (response: ServerResponse, digest: Buffer) => void;

/** A signing service that can be made to fail in every way. */
export type FakeRemote = {
  url: string;
  /** What the service does with requests for signatures. */
  mode: Mode;
  /** The number of signatures that were asked for. */
  asked: number;
  close(): Promise<void>;
};

const key: KeyObject = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const other: KeyObject = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

const send = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(text);
};
const signed = (signature: Buffer): string =>
  JSON.stringify({ signature: signature.toString("base64url") });

const replies = {
  works: (response, digest) => send(response, 200, signed(signDigest(key, digest))),
  "is slow": (response, digest) =>
    void setTimeout(() => send(response, 200, signed(signDigest(key, digest))), 4000).unref(),
  hangs: () => undefined,
  "sends half a response": (response) => {
    response.writeHead(200, { "content-length": 400 });
    response.write('{"signature":"');
  },
  "closes connections": (response) => response.destroy(),
  "returns 500": (response) => send(response, 500, "{}"),
  "returns 429": (response) => send(response, 429, "{}"),
  "refuses the token": (response) => send(response, 401, "{}"),
  "has lost the key": (response) => send(response, 404, '{"message":"there is no key"}'),
  "redirects elsewhere": (response) => {
    response.writeHead(302, { location: "http://127.0.0.1:1/" });
    response.end();
  },
  "signs with another key": (response, digest) =>
    send(response, 200, signed(signDigest(other, digest))),
  "signs another digest": (response) =>
    send(response, 200, signed(signDigest(key, Buffer.alloc(32)))),
  "returns a short signature": (response, digest) =>
    send(response, 200, signed(signDigest(key, digest).subarray(1))),
  "returns a huge signature": (response) => send(response, 200, signed(Buffer.alloc(4_000_000, 1))),
  "returns no JSON": (response) => send(response, 200, "<html>signed</html>"),
  "returns null": (response) => send(response, 200, "null"),
  "returns an object as signature": (response) => send(response, 200, '{"signature":{}}'),
} satisfies Record<string, Reply>;

/** A way to answer. */
export type Mode = keyof typeof replies;

/** The ways to fail. */
export const failures = Object.keys(replies).filter((mode) => mode !== "works") as Mode[];

/** Starts the service, with the key `bank`. */
export async function startFakeRemote(): Promise<FakeRemote> {
  const server: Server = createServer(async (request, response) => {
    if (request.method === "GET") return send(response, 200, JSON.stringify(publicJwkOf(key)));
    let text = "";
    for await (const chunk of request) text += chunk;
    const { alg, digest } = JSON.parse(text) as { alg: string; digest: string };
    service.asked += 1;
    if (alg !== "PS256" || request.url !== "/keys/bank/sign") return send(response, 400, "{}");
    return replies[service.mode](response, Buffer.from(digest, "base64url"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const service: FakeRemote = {
    url: `http://127.0.0.1:${port}`,
    mode: "works",
    asked: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

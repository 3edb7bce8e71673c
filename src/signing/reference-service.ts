import { createPrivateKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { sha256 } from "#src/lib/hash.ts";
import { signDigest } from "./pss-digest.ts";
import { publicJwkOf } from "./public-jwk.ts";

/** The keys and the token of a reference service. */
type ReferenceOptions = {
  /** A folder of private keys: the key `NAME` is the file `NAME.pem`. */
  folder: string;
  /** The bearer token that callers must send; null for none. */
  token: string | null;
};

type Answer = { status: number; body: object };

const mostBytes = 4096;
const route = /^\/keys\/([\w.-]{1,100})(\/sign)?$/;

/**
 * Makes a small signing service: the reference of the contract between the bank and a service that
 * has its keys. It listens on this machine only, over plain HTTP.
 */
export function createReferenceServer({ folder, token }: ReferenceOptions): Server {
  const keys = new Map<string, { changedAt: number; key: KeyObject }>();

  function keyNamed(name: string): KeyObject | null {
    const path = join(folder, `${name}.pem`);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (changedAt === undefined) return null;
    const known = keys.get(name);
    if (known?.changedAt === changedAt) return known.key;
    const key = createPrivateKey(readFileSync(path, "utf8"));
    keys.set(name, { changedAt, key });
    return key;
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (token !== null && !isSame(request.headers.authorization ?? "", `Bearer ${token}`)) {
      return refusal(401, "send the bearer token of this service");
    }
    const [, name, action] = route.exec(request.url ?? "") ?? [];
    if (name === undefined) return refusal(404, "there are only /keys/NAME and /keys/NAME/sign");
    const key = keyNamed(name);
    if (!key) return refusal(404, `there is no key ${name}`);
    if (action === undefined) {
      if (request.method !== "GET") return refusal(405, "read the public key with GET");
      return { status: 200, body: publicJwkOf(key) };
    }
    if (request.method !== "POST") return refusal(405, "ask for a signature with POST");
    const digest = digestIn(await textOf(request));
    if (!digest) {
      return refusal(400, 'send {"alg":"PS256","digest":"the SHA-256 digest in base64url"}');
    }
    const signature = signDigest(key, digest).toString("base64url");
    return { status: 200, body: { signature } };
  }

  return createServer((request, response) => {
    answer(request).then(
      (made) => send(response, made),
      (error: Error) => send(response, refusal(500, error.message)),
    );
  });
}

const refusal = (status: number, message: string): Answer => ({ status, body: { message } });

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "content-type": "application/json", "content-length": length });
  response.end(text);
}

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > mostBytes) throw new Error("the request is too large");
  }
  return text;
}

function digestIn(text: string): Buffer | null {
  try {
    const { alg, digest } = JSON.parse(text) as { alg?: unknown; digest?: unknown };
    if (alg !== "PS256" || typeof digest !== "string") return null;
    const bytes = Buffer.from(digest, "base64url");
    return bytes.length === 32 ? bytes : null;
  } catch {
    return null;
  }
}

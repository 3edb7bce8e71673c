import { createPrivateKey, randomUUID, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SignJWT } from "jose";
import Type from "typebox";
import Value from "typebox/value";
import { ConfigError } from "#src/config/config.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import {
  type Fetched,
  type Fetcher,
  type OwnFetcher,
  secureOptions,
} from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";

const text = Type.String({ minLength: 1 });

const clientFile = Type.Object(
  {
    tokenUrl: Type.String({ pattern: "^https://" }),
    clientId: text,
    certificateFile: text,
    certificateKeyFile: text,
    signingKeyFile: text,
    signingKeyId: text,
  },
  { additionalProperties: false },
);

type ClientFile = Type.Static<typeof clientFile>;

/** The texts of the files that a client file names. */
type DirectoryClient = Pick<ClientFile, "tokenUrl" | "clientId" | "signingKeyId"> & {
  pair: { cert: string; key: string };
  signingKey: string;
};

const scope = "MLAReadAccess";
const assertionMinutes = 5;

/**
 * Makes a fetcher that reads a document of the directory as one of its clients: it authenticates
 * with `private_key_jwt` over mutual TLS, gets a token and sends it. Documents are read minutes
 * apart, so each reading gets a token of its own, and reads the files again, which may have been
 * renewed. Throws ConfigError if the files cannot be used now. Source: CV-10.
 */
export function createDirectoryClient(
  path: string,
  { fetcher, machineClock }: { fetcher: OwnFetcher; machineClock: Clock },
): Fetcher {
  readClient(path);
  return {
    async get(url) {
      let client: DirectoryClient;
      try {
        client = readClient(path);
      } catch (error) {
        return { body: null, reason: (error as Error).message };
      }
      const { tokenUrl, pair } = client;
      const form = await tokenRequest(client, machineClock.now());
      const answer = await fetcher.send(tokenUrl, { client: pair, form });
      const token = tokenOf(answer);
      if (typeof token !== "string") return { ...token, reason: `${tokenUrl}: ${token.reason}` };
      return fetcher.send(url, { client: pair, token });
    },
  };
}

/** Reads the file that VRP_SCHEME_CLIENT names, and the files that it names. */
function readClient(path: string): DirectoryClient {
  const refuse = (why: string): never => {
    throw new ConfigError([`VRP_SCHEME_CLIENT: ${why}`]);
  };
  const attempt = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      return refuse(`${what}: ${(error as Error).message}`);
    }
  };
  const content: unknown = attempt(`${path} cannot be read`, () =>
    JSON.parse(readFileSync(path, "utf8")),
  );
  if (!Value.Check(clientFile, content)) {
    const [first] = Value.Errors(clientFile, content);
    const where = `${first?.instancePath} ${first?.message}`;
    return refuse(`${path} does not have the form in ${page}: ${where}`);
  }
  const { tokenUrl, clientId, signingKeyId } = content;
  // a file beside this one can be named without its folder
  const read = (name: keyof typeof files): string => {
    const file = resolve(dirname(path), content[name]);
    return attempt(`${file} (${name}) cannot be used`, () => {
      const pem = readFileSync(file, "utf8");
      files[name](pem);
      return pem;
    });
  };
  const signingKey = read("signingKeyFile");
  const pair = { cert: read("certificateFile"), key: read("certificateKeyFile") };
  attempt("the certificate and its key cannot be used", () => secureOptions("", pair));
  return { tokenUrl, clientId, signingKeyId, pair, signingKey };
}

const page = "docs/commercial-vrp.md";

/** How each file is checked. */
const files = {
  certificateFile: (pem: string) => void new X509Certificate(pem),
  certificateKeyFile: (pem: string) => void createPrivateKey(pem),
  signingKeyFile(pem: string) {
    const { asymmetricKeyType } = createPrivateKey(pem);
    if (asymmetricKeyType !== "rsa") throw new Error("PS256 needs an RSA key");
  },
};

/** The form of a token request. Source: RFC 7523 section 3. */
async function tokenRequest(client: DirectoryClient, now: Temporal.Instant) {
  const { tokenUrl, clientId, signingKeyId, signingKey } = client;
  const seconds = Math.floor(now.epochMilliseconds / 1000);
  const assertion = await new SignJWT({ iss: clientId, sub: clientId, aud: tokenUrl })
    .setProtectedHeader({ alg: "PS256", kid: signingKeyId, typ: "JWT" })
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + assertionMinutes * 60)
    .sign(createPrivateKey(signingKey));
  return new URLSearchParams({
    grant_type: "client_credentials",
    scope,
    client_id: clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  });
}

/** The access token of a token endpoint's answer, or why there is none. */
function tokenOf(answer: Fetched): string | Extract<Fetched, { body: null }> {
  if (answer.body === null) return answer;
  try {
    const { access_token: token } = parseJsonObject(
      answer.body,
      (why) => new Error(`the answer ${why}`),
    );
    if (typeof token === "string" && /^[\w.~+/-]+=*$/.test(token)) return token;
    return { body: null, reason: "the answer has no access_token" };
  } catch (error) {
    return { body: null, reason: (error as Error).message };
  }
}

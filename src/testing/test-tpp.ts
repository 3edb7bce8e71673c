import { inspect } from "node:util";
import type { JWTPayload } from "jose";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { AuthorizationRequest } from "#src/sandbox/test-tpp/authorization-flow.ts";
import type { Answer, Call, Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { isScope, type Scope, scopes } from "#src/standard/api-version.ts";

/** The body of an answer that accepts a request. */
type ApiBody = { Data: Record<string, unknown> };

/** A TPP that is registered with the bank, with its keys. */
export type TestTpp = {
  clientId: string;
  /** Its registration, private keys and certificates, for the program that you test. */
  credentials: IssuedTpp;
  /**
   * `fetch` with the TPP's certificate. It sends what it is given and adds nothing; a path is
   * relative to the bank's base URL for TPPs. Redirects are not followed.
   */
  fetch: typeof fetch;
  /** Gets an access token with the client credentials grant. */
  token(scope: Scope): Promise<string>;
  /**
   * Calls an API, and adds what the operation requires: the signature of the body, a random
   * idempotency key, the headers of JSON. Give the type of the body if you read further into it.
   */
  call<Body = ApiBody>(call: Call): Promise<Answer<Body>>;
  /** Returns the detached signature of a body, for the header `x-jws-signature`. */
  sign(body: string | Uint8Array): Promise<string>;
  /** Signs claims as a JWT with the signing key (PS256). */
  signJwt(claims: JWTPayload): Promise<string>;
  /** Returns the URL to which the TPP sends the customer's browser. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>;
  /** Exchanges the code in the URL to which the customer was sent back. */
  exchange(redirectUrl: string): Promise<Tokens>;
  /** Exchanges a refresh token. */
  refresh(refreshToken: string): Promise<Tokens>;
  /** Whether the answer has the bank's signature over its exact bytes. */
  verifies(answer: Answer): Promise<boolean>;
};

/** Makes the public face of a TPP. */
export function createTestTpp(client: TppClient<IssuedTpp>): TestTpp {
  const { tpp } = client;
  return {
    clientId: tpp.clientId,
    credentials: tpp,
    fetch: fetchOf(client),
    async token(scope) {
      if (isScope(scope)) return client.clientToken(scope);
      const wanted = `scope: must be one of ${scopes.join(", ")}; it is ${inspect(scope)}`;
      throw new TypeError(`tpp.token() does not accept this:\n${wanted}`);
    },
    call: (call) => client.call(call),
    sign: (body) => client.signature(Buffer.from(body)),
    signJwt: (claims) => client.signJwt(claims),
    authorizationUrl: (request) => client.authorizationUrl(request),
    exchange: (redirectUrl) => client.exchangeCode(redirectUrl),
    refresh: (refreshToken) => client.refresh(refreshToken),
    verifies: (answer) => client.verifySignature(answer),
  };
}

const withoutBody = [204, 205, 304];

/** Makes a `fetch` that sends requests over the TPP's connections. */
function fetchOf(client: TppClient): typeof fetch {
  return async (input, init) => {
    const isRequest = input instanceof Request;
    const request = new Request(isRequest ? input : new URL(input, client.base), init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    const answer = await client.send(request.url, request.method, body, headers);
    const { status } = answer;
    const contents = withoutBody.includes(status) ? null : new Uint8Array(answer.raw);
    return new Response(contents, { status, headers: headersOf(answer) });
  };
}

function headersOf({ headers }: Answer): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) all.append(name, one);
  }
  return all;
}

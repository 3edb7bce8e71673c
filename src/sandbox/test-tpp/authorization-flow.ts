import { createHash, createHmac, randomUUID } from "node:crypto";
import type { JWTPayload } from "jose";
import type { ProfileId } from "#src/clients/security-profile.ts";
import { present } from "#src/lib/assert.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { BankAddress, TppCredentials } from "./tpp-credentials.ts";

/** The contents of an authorization request. */
export type AuthorizationRequest = {
  scope: Scope;
  consentId: string;
  redirectUri?: string;
  state?: string;
  nonce?: string;
  /** Claims of the request object to replace or, with undefined, to leave out. */
  overrides?: Record<string, unknown>;
};

/** The parts of a TPP that the flow needs. */
type Tpp = {
  tpp: TppCredentials;
  bank: BankAddress;
  signJwt(claims: JWTPayload): Promise<string>;
  verifyToken(token: string): Promise<JWTPayload>;
};

/** How a TPP sends authorization requests, by its security profile. */
type Flow = {
  /** Whether it pushes the request, with PKCE, instead of sending it with the browser. */
  pushes: boolean;
  /** Whether it sends a signed request object. */
  signs: boolean;
  /** The `response_type` and, if it is not the default, the `response_mode`. */
  response: { response_type: string; response_mode?: string };
};

const flows: Readonly<Record<ProfileId, Flow>> = {
  fapi1: { pushes: false, signs: true, response: { response_type: "code id_token" } },
  fapi2: { pushes: true, signs: false, response: { response_type: "code" } },
  "fapi2-message-signing": {
    pushes: true,
    signs: true,
    response: { response_type: "code", response_mode: "jwt" },
  },
};

/** Returns the way in which a TPP sends authorization requests. */
export const flowOf = ({ profile = "fapi1" }: TppCredentials): Flow => flows[profile];

/** Returns the parameters of an authorization request, signed if the TPP's profile signs. */
export async function requestParameters(
  client: Tpp,
  request: AuthorizationRequest,
): Promise<Record<string, string>> {
  const { tpp, bank } = client;
  const { signs, pushes, response } = flowOf(tpp);
  const state = request.state ?? randomUUID();
  const scope = `openid ${request.scope}`;
  const redirect_uri = request.redirectUri ?? present(tpp.redirectUris[0], "a redirect URI");
  const intent = { openbanking_intent_id: { value: request.consentId, essential: true } };
  const members = {
    ...response,
    redirect_uri,
    scope,
    state,
    nonce: request.nonce ?? randomUUID(),
    ...(pushes ? challengeOf(tpp, state) : {}),
    claims: {
      id_token: { ...intent, acr: { essential: true, values: ["urn:openbanking:psd2:sca"] } },
      userinfo: intent,
    },
  };
  if (!signs) return asForm({ ...members, ...request.overrides });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: tpp.clientId,
    client_id: tpp.clientId,
    aud: bank.publicUrl,
    ...members,
    nbf: now - 5,
    iat: now,
    exp: now + 300,
    ...request.overrides,
  };
  return {
    client_id: tpp.clientId,
    // OpenID Connect needs these outside of a request object that is not pushed
    ...(pushes ? {} : { response_type: response.response_type, scope, redirect_uri }),
    request: await client.signJwt(claims as JWTPayload),
  };
}

/** The contents of a request without a browser. */
export type BackchannelRequest = Pick<AuthorizationRequest, "scope" | "consentId"> & {
  /** Claims of the request object to add or replace or, with undefined, to leave out. */
  claims?: Record<string, unknown>;
};

/** Returns the signed request object of a request without a browser. */
export function signBackchannel(
  { tpp, bank, signJwt }: Pick<Tpp, "tpp" | "bank" | "signJwt">,
  { scope, consentId, claims }: BackchannelRequest,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return signJwt({
    iss: tpp.clientId,
    aud: bank.publicUrl,
    iat: now,
    nbf: now - 5,
    exp: now + 300,
    jti: randomUUID(),
    scope: `openid ${scope}`,
    "openbanking-intent-id": consentId,
    ...claims,
  } as JWTPayload);
}

const asForm = (members: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );

// The verifier comes from the state and the key, so that another process can exchange the code.
const verifierFor = ({ signing }: TppCredentials, state: string): string =>
  createHmac("sha256", signing.privateKeyPem).update(`pkce ${state}`).digest("base64url");

const challengeOf = (tpp: TppCredentials, state: string) => ({
  code_challenge: createHash("sha256").update(verifierFor(tpp, state)).digest("base64url"),
  code_challenge_method: "S256",
});

/** Returns the PKCE verifier of the request that was answered. */
export const verifierOf = (tpp: TppCredentials, answer: URLSearchParams): string =>
  verifierFor(tpp, answer.get("state") ?? "");

/**
 * Reads the response in the URL to which the customer was sent back. Verifies it if it is signed,
 * and throws if the signature is invalid.
 */
export async function readAuthorization(
  client: Tpp,
  redirectUrl: string,
): Promise<URLSearchParams> {
  const { hash, search } = new URL(redirectUrl);
  const answer = new URLSearchParams((hash || search).slice(1));
  const signed = answer.get("response");
  if (signed === null) return answer;
  const claims = await client.verifyToken(signed);
  return new URLSearchParams(
    Object.entries(claims).map(([name, value]): [string, string] => [name, textOf(value)]),
  );
}

/** Returns the redirect URI of a URL to which the customer was sent back. */
export function redirectUriOf({ redirectUris }: TppCredentials, redirectUrl: string): string {
  const [beforeFragment = ""] = redirectUrl.split("#");
  if (beforeFragment !== redirectUrl) return beforeFragment;
  const known = redirectUris.filter((uri) => redirectUrl.startsWith(uri));
  const [longest = redirectUrl] = known.sort((one, other) => other.length - one.length);
  return longest;
}

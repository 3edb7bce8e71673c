import { UnsecuredJWT } from "jose";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { foreignKey, keyOf, now, type Place, sign, type Wrong } from "./wrong-requests.ts";

type Overrides = Record<string, unknown>;

const redirected = async (
  { bed, tpp }: Place,
  given: Overrides | ((consentId: string) => Overrides),
) => {
  const consentId = await bed.lodge(tpp, "account-access");
  const overrides = typeof given === "function" ? given(consentId) : given;
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
  return follow(tpp, url);
};
/** Returns the URL to which a browser is redirected, or the response that it is shown. */
export const follow = async (tpp: TppClient, url: string): Promise<Answer | string> => {
  const answer = await tpp.send(url, "GET", undefined, { accept: "application/json" });
  return answer.status === 303 ? String(answer.headers.location) : answer;
};
const forged = async (
  { bed, tpp }: Place,
  forge: (claims: Record<string, unknown>) => Promise<string> | string,
) => {
  const consentId = await bed.lodge(tpp, "account-access");
  const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId }));
  const [, claims = ""] = (url.searchParams.get("request") ?? "").split(".");
  const request = await forge(JSON.parse(Buffer.from(claims, "base64url").toString()));
  url.searchParams.set("request", request);
  return follow(tpp, url.href);
};

/** Authorization requests that must be refused before any page is shown. */
export const requests: Wrong[] = [
  {
    name: "an audience other than the bank",
    send: (place) => redirected(place, { aud: "https://elsewhere.example" }),
    error: "invalid_request_object",
    says: /^aud of the Request Object is https:\/\/elsewhere\.example; .* one of http:\/\/local/,
  },
  {
    name: "an expiry in the past",
    send: (place) => redirected(place, { nbf: now() - 700, exp: now() - 300 }),
    error: "invalid_request_object",
    says: /^exp of the Request Object is 20.*Z, which has passed/,
  },
  {
    name: "a start time in the future",
    send: (place) => redirected(place, { nbf: now() + 600, exp: now() + 900 }),
    error: "invalid_request_object",
    says: /^nbf of the Request Object is 20.*Z, which is in the future/,
  },
  {
    name: "no nbf",
    send: (place) => redirected(place, { nbf: undefined }),
    error: "invalid_request_object",
    says: /^The Request Object lacks a claim: Request Object is missing the 'nbf' claim/,
  },
  {
    name: "an expiry more than an hour after its start time",
    send: (place) => redirected(place, { nbf: now() - 5, exp: now() + 3700 }),
    error: "invalid_request_object",
    says: /^exp of the Request Object is 20.* and nbf is 20.*; exp must be 1 to 3600 seconds/,
  },
  {
    name: "an expiry beyond all dates",
    send: (place) => redirected(place, { exp: 1e300 }),
    error: "invalid_request_object",
    says: /^exp of the Request Object is 1e\+300 and nbf is 20/,
  },
  {
    name: "another issuer",
    send: (place) => redirected(place, { iss: "someone" }),
    error: "invalid_request_object",
    says: /^iss of the Request Object is someone; it must be the client_id, tpp/,
  },
  {
    name: "no signature",
    send: (place) => forged(place, (claims) => new UnsecuredJWT(claims).encode()),
    error: "invalid_request_object",
    says: /^The Request Object is signed with alg none; it must be PS256\./,
  },
  {
    name: "a kid that the client does not have",
    send: (place) =>
      forged(place, async (claims) =>
        sign(claims, { alg: "PS256", kid: "unknown-kid" }, await keyOf(place.tpp)),
      ),
    error: "invalid_request_object",
    says: {
      sandbox: /^The Request Object names kid unknown-kid .* Its keys: [\w-]{43}\.$/,
      production: /^The Request Object names kid unknown-kid .*no such key\.$/,
    },
  },
  {
    name: "the signature of another key",
    send: (place) => forged(place, (claims) => sign(claims, { alg: "PS256" }, foreignKey)),
    error: "invalid_request_object",
    says: /^The signature of the Request Object does not verify/,
  },
  {
    name: "no consent in its claims",
    send: (place) => redirected(place, { claims: undefined }),
    error: "invalid_request",
    says: /^The claims must name exactly one consent\./,
  },
  {
    name: "the consent of another client",
    send: async ({ bed, tpp, other }) => {
      const consentId = await bed.lodge(other, "account-access");
      return follow(tpp, await tpp.authorizationUrl({ scope: "accounts", consentId }));
    },
    error: "invalid_request",
    says: /^The consent test-\w+ does not exist, or it belongs to another client/,
  },
  {
    name: "a consent that needs another scope",
    send: async ({ bed, tpp }) => {
      const consentId = await bed.lodge(tpp, "domestic-payment");
      return follow(tpp, await tpp.authorizationUrl({ scope: "accounts", consentId }));
    },
    error: "invalid_request",
    says: /^scope is openid accounts; the consent needs: openid payments\.$/,
  },
  {
    name: "a consent that was not authorised in time",
    send: async ({ bed, tpp }) => {
      const consentId = await bed.lodge(tpp, "account-access");
      const createdAt = bed.clock.now().subtract({ hours: 2 });
      await setConsent(bed.database, consentId, { createdAt });
      return follow(tpp, await tpp.authorizationUrl({ scope: "accounts", consentId }));
    },
    error: "invalid_request",
    says: /^The consent was not authorised within 1 hour of its creation: this time ended at 20/,
  },
  {
    name: "a consent that has expired",
    send: async ({ bed, tpp }) => {
      const expiresAt = bed.clock.now().subtract({ seconds: 1 });
      const consentId = await bed.lodge(tpp, "account-access", { expiresAt });
      return follow(tpp, await tpp.authorizationUrl({ scope: "accounts", consentId }));
    },
    error: "invalid_request",
    says: /: its own ExpirationDateTime .* 20.*Z; .* time is 20.*Z\. Create a new consent\.$/,
  },
  {
    name: "an essential acr that the bank does not offer",
    send: (place) => {
      const acr = { essential: true, values: ["urn:openbanking:psd2:ca"] };
      return redirected(place, (consentId) => ({
        claims: { id_token: { openbanking_intent_id: { value: consentId }, acr } },
      }));
    },
    error: "access_denied",
    says: /^acr is essential and asks for urn:openbanking:psd2:ca; this bank offers urn:.*:sca/,
  },
  {
    name: "a redirect URI that is not registered",
    send: async ({ bed, tpp }) => {
      const consentId = await bed.lodge(tpp, "account-access");
      const redirectUri = "https://elsewhere.example/callback";
      return follow(tpp, await tpp.authorizationUrl({ scope: "accounts", consentId, redirectUri }));
    },
    error: "invalid_redirect_uri",
    says: {
      sandbox: /^redirect_uri is https:\/\/elsewhere.*not registered\. Registered: http:\/\/loc/,
      production: /^redirect_uri is https:\/\/elsewhere.*not registered for the client\.$/,
    },
  },
];

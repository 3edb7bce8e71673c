import { SignJWT, UnsecuredJWT } from "jose";
import { present } from "#src/lib/assert.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { elsewhere, foreignKey, now } from "./constants.ts";
import type { Mistake } from "./place.ts";

const follow = async (tpp: TppClient, url: string): Promise<Answer | string> => {
  const answer = await tpp.send(url, "GET", undefined, { accept: "application/json" });
  return answer.headers.location ? String(answer.headers.location) : answer;
};

/** A request object with other claims. */
const object = (
  name: string,
  overrides: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `authorize: ${name}`,
  async send({ tpp }) {
    const consentId = await lodgeAccess(tpp);
    const given = JSON.stringify(overrides, (_name, value) => value ?? absent);
    const wrong = JSON.parse(given.replace("CONSENT", consentId), (_name, value) =>
      value === absent ? undefined : value,
    );
    const changes = { ...wrong };
    for (const name of Object.keys(overrides)) changes[name] = wrong[name];
    const request = { scope: "accounts", consentId, overrides: changes } as const;
    const url = new URL(await tpp.authorizationUrl(request));
    // the parameter must equal the member, and a difference would be another mistake
    if (changes.response_type) url.searchParams.set("response_type", changes.response_type);
    return follow(tpp, url.href);
  },
  says,
});

const forged = (
  name: string,
  forge: (claims: Record<string, unknown>) => Promise<string> | string,
  ...says: Mistake["says"]
): Mistake => ({
  name: `authorize: ${name}`,
  async send({ tpp }) {
    const consentId = await lodgeAccess(tpp);
    const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId }));
    const [, payload = ""] = (url.searchParams.get("request") ?? "").split(".");
    url.searchParams.set(
      "request",
      await forge(JSON.parse(Buffer.from(payload, "base64url").toString())),
    );
    return follow(tpp, url.href);
  },
  says,
});

const absent = "ABSENT";

const objectParts = ["PS256", "iss", "aud, http://localhost", "exp", "openbanking_intent_id"];

const intent = (value: unknown) => ({ claims: { id_token: { openbanking_intent_id: { value } } } });

export const requestObjectMistakes: readonly Mistake[] = [
  object(
    "another aud",
    { aud: elsewhere },
    "invalid_request_object",
    "aud",
    elsewhere,
    "localhost",
  ),
  object("no aud", { aud: undefined }, "invalid_request_object", "aud", "localhost"),
  object("expired", { nbf: now - 700, exp: now - 300 }, "exp", "passed", /time is 20/),
  object("no exp", { exp: undefined }, "exp"),
  object("no nbf", { nbf: undefined }, "nbf"),
  object("nbf in the future", { nbf: now + 600, exp: now + 900 }, "nbf", "future"),
  object("valid for a day", { nbf: now, exp: now + 86_400 }, "exp", "3600"),
  object(
    "times in milliseconds",
    { nbf: now * 1000, exp: (now + 300) * 1000 },
    "milliseconds",
    "seconds",
  ),
  object("another iss", { iss: "someone" }, "iss", "someone", "tpp-"),
  object("another client_id", { client_id: "someone" }, "client_id", "tpp-"),
  object("no scope", { scope: undefined }, "The Request Object lacks scope"),
  object("scope without openid", { scope: "accounts" }, "scope", "openid"),
  object("two APIs", { scope: "openid accounts payments" }, "scope", "openid accounts"),
  object("scope of another API", { scope: "openid payments" }, "scope", "openid accounts"),
  object("response_type token", { response_type: "token" }, "response_type", "code id_token"),
  object(
    "response_type code without a mode",
    { response_type: "code" },
    "response_type",
    "code id_token",
  ),
  object("response_mode query", { response_mode: "query" }, "response_mode", "fragment"),
  object(
    "no response_type",
    { response_type: undefined },
    "The Request Object lacks response_type",
    /state: [\da-f-]{36}/,
  ),
  object("no nonce", { nonce: undefined }, "The Request Object lacks nonce"),
  object(
    "redirect URI with a slash more",
    { redirect_uri: "http://localhost:7878/callback/" },
    "redirect_uri",
    "http://localhost:7878/callback/,",
    "Registered",
  ),
  object("no redirect URI", { redirect_uri: undefined }, "The Request Object lacks redirect_uri"),
  object(
    "no claims",
    { claims: undefined },
    "{id_token: {openbanking_intent_id: {value: CONSENT_ID}}}",
    "ConsentId",
  ),
  object(
    "the consent in another claim",
    { claims: { id_token: { intent: { value: "x" } } } },
    "openbanking_intent_id",
  ),
  object(
    "an unknown consent",
    intent("none"),
    "none",
    "does not exist",
    "POST /account-access-consents",
  ),
  object(
    "an acr that the bank lacks",
    {
      claims: {
        id_token: {
          openbanking_intent_id: { value: "CONSENT" },
          acr: { essential: true, value: "urn:x" },
        },
      },
    },
    "access_denied",
    "acr",
    "urn:x",
    "urn:openbanking:psd2:sca",
  ),
  object("claims as text that is not JSON", { claims: "{" }, "claims", "JSON"),
  object("max_age as text", { max_age: "soon" }, "max_age"),
  object(
    "code_challenge plain",
    { code_challenge: "c".repeat(43), code_challenge_method: "plain" },
    "code_challenge_method",
    "S256",
  ),
  forged("alg none", (given) => new UnsecuredJWT(given).encode(), "none", "PS256"),
  forged(
    "RS256",
    (given) => new SignJWT(given).setProtectedHeader({ alg: "RS256" }).sign(foreignKey),
    "RS256",
    "PS256",
  ),
  forged(
    "signed by another key",
    (given) => new SignJWT(given).setProtectedHeader({ alg: "PS256" }).sign(foreignKey),
    "signature",
    /client's key/,
  ),
  forged(
    "unknown kid",
    (given) =>
      new SignJWT(given).setProtectedHeader({ alg: "PS256", kid: "none" }).sign(foreignKey),
    "kid none",
    /Its keys: [\w-]{43}/,
  ),
  forged("not a JWT", () => "abc", "Request Object", "not a JWT", "PS256", "dots"),
  {
    name: "authorize: parameters without a request object",
    send: ({ tpp, bank }) =>
      follow(
        tpp,
        `${bank.publicUrl}/auth?${new URLSearchParams({ client_id: tpp.tpp.clientId, response_type: "code id_token", scope: "openid accounts", redirect_uri: tpp.tpp.redirectUris[0] ?? "", nonce: "n", state: "s" })}`,
      ),
    says: ["not signed", "Request Object", "in the parameter request", ...objectParts],
  },
  {
    name: "authorize: an unknown client",
    send: ({ tpp, bank }) => follow(tpp, `${bank.publicUrl}/auth?client_id=ghost`),
    says: ["invalid_client", "ghost", "that the registration returned"],
  },
  {
    name: "authorize: no client_id",
    send: ({ tpp, bank }) => follow(tpp, `${bank.publicUrl}/auth`),
    says: ["client_id"],
  },
  {
    name: "authorize: a consent that is already authorised for payment",
    async send({ tpp, authorised }) {
      const { consentId } = authorised.lodged;
      return follow(tpp, await tpp.authorizationUrl({ scope: "payments", consentId }));
    },
    says: ["AUTH", "consent", "new"],
  },
  {
    name: "authorize: a consent that was used up",
    async send({ tpp, paid }) {
      const { consentId } = paid.lodged;
      return follow(tpp, await tpp.authorizationUrl({ scope: "payments", consentId }));
    },
    says: ["COND", "consent", "new"],
  },
  {
    name: "authorize: FAPI 2 without pushing",
    send: ({ fapi2, bank }) =>
      follow(
        fapi2,
        `${bank.publicUrl}/auth?client_id=${fapi2.tpp.clientId}&scope=openid&response_type=code`,
      ),
    says: ["pushed", /endpoint, https:\/\/localhost:\d+\/request\./, "request_uri"],
  },
  {
    name: "authorize: an unknown request_uri",
    send: ({ fapi2, bank }) =>
      follow(
        fapi2,
        `${bank.publicUrl}/auth?client_id=${fapi2.tpp.clientId}&request_uri=${encodeURIComponent("urn:ietf:params:oauth:request_uri:none")}`,
      ),
    says: ["request_uri", /expired|60 seconds|unknown/],
  },
];

/** A pushed request with other claims. */
const pushed = (
  name: string,
  overrides: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `PAR: ${name}`,
  async send({ fapi2, bank }) {
    const { clientId, redirectUris } = fapi2.tpp;
    const consentId = await lodgeAccess(fapi2);
    const request = await fapi2.signJwt({
      iss: clientId,
      client_id: clientId,
      aud: bank.publicUrl,
      nbf: now,
      exp: now + 300,
      response_type: "code",
      response_mode: "jwt",
      scope: "openid accounts",
      redirect_uri: present(redirectUris[0], "a redirect URI"),
      code_challenge: "c".repeat(43),
      code_challenge_method: "S256",
      ...intent(consentId),
      ...overrides,
    });
    return fapi2.push({ request });
  },
  says,
});

export const pushMistakes: readonly Mistake[] = [
  pushed(
    "no code_challenge",
    { code_challenge: undefined, code_challenge_method: undefined },
    "code_challenge",
    "S256",
  ),
  pushed(
    "code_challenge_method plain",
    { code_challenge_method: "plain" },
    "code_challenge_method",
    "S256",
  ),
  pushed(
    "a challenge of 10 characters",
    { code_challenge: "c".repeat(10) },
    "code_challenge",
    "43",
  ),
  pushed("hybrid", { response_type: "code id_token" }, "response_type", "code with jwt"),
  pushed("JARM left out", { response_mode: undefined }, "response_mode", "jwt"),
  pushed(
    "response_mode fragment.jwt",
    { response_mode: "fragment.jwt" },
    "response_mode",
    "code with jwt",
  ),
  pushed(
    "another redirect URI",
    { redirect_uri: elsewhere },
    "redirect_uri",
    elsewhere,
    "Registered",
  ),
  pushed("dpop_jkt", { dpop_jkt: "x".repeat(43) }, "dpop_jkt", "DPoP", "without"),
  pushed("a request_uri inside", { request_uri: "urn:x" }, "request_uri"),
  pushed("another aud", { aud: elsewhere }, "aud", elsewhere, "localhost"),
  pushed(
    "an unknown consent",
    intent("none"),
    "none",
    "does not exist",
    "POST /account-access-consents",
  ),
  {
    name: "PAR: without a request object",
    send: ({ fapi2 }) => fapi2.push({ scope: "openid accounts", response_type: "code" }),
    says: ["not signed", "Request Object", "in the parameter request", ...objectParts],
  },
];

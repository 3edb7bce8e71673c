import { UnsecuredJWT } from "jose";
import type { ProfileId } from "#src/clients/security-profile.ts";
import type { Answer } from "#src/sandbox/test-tpp/tpp-client.ts";
import { fapi2Profiles, type Place, parametersOf, pushed, sendForm } from "./fapi2-bed.ts";
import { foreignKey, keyOf, now, sign } from "./wrong-requests.ts";

/** A pushed request that must be refused. */
export type WrongPush = {
  /** The rule and the fault. */
  name: string;
  /** The profiles for which it is a fault. */
  profiles: readonly ProfileId[];
  send(place: Place): Promise<Answer>;
  error: string;
  says?: RegExp;
};

const signing = ["fapi2-message-signing"] as const;
const plain = ["fapi2"] as const;

/** A request with changed members. */
const changed = (
  name: string,
  overrides: Record<string, unknown>,
  error: string,
  says?: RegExp,
  profiles: readonly ProfileId[] = fapi2Profiles,
): WrongPush => ({
  name,
  profiles,
  send: (place) => pushed(place, overrides),
  error,
  ...(says ? { says } : {}),
});

/** A Message Signing request whose request object is made from its claims. */
const forged = (
  name: string,
  forge: (claims: Record<string, unknown>, place: Place) => Promise<string> | string,
  says: RegExp,
): WrongPush => ({
  name,
  profiles: signing,
  async send(place) {
    const { request = "" } = await parametersOf(place);
    const [, claims = ""] = request.split(".");
    const object = JSON.parse(Buffer.from(claims, "base64url").toString());
    return place.tpp.push({ request: await forge(object, place) });
  },
  error: "invalid_request_object",
  says,
});

const requestObject = (name: string, overrides: Record<string, unknown>, says: RegExp): WrongPush =>
  changed(name, overrides, "invalid_request_object", says, signing);

const authentication: WrongPush[] = [
  {
    name: "S-011: without client authentication",
    profiles: fapi2Profiles,
    send: async (place) =>
      sendForm(place, "/request", {
        client_id: place.tpp.tpp.clientId,
        ...(await parametersOf(place)),
      }),
    error: "invalid_client",
  },
  {
    name: "S-011: without any client",
    profiles: plain,
    send: async (place) => sendForm(place, "/request", await parametersOf(place)),
    error: "invalid_request",
  },
  {
    name: "S-011: with the assertion of another client",
    profiles: fapi2Profiles,
    send: async (place) =>
      place.tpp.push({
        ...(await parametersOf(place)),
        client_assertion: await place.other.assertion(),
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      }),
    error: "invalid_request",
  },
  {
    name: "S-011: with an assertion that another key has signed",
    profiles: fapi2Profiles,
    send: async (place) => {
      const { clientId } = place.tpp.tpp;
      const claims = { iss: clientId, sub: clientId, aud: place.bed.publicUrl, exp: now() + 60 };
      return place.tpp.push({
        ...(await parametersOf(place)),
        client_assertion: await sign({ ...claims, jti: `j${now()}` }, { alg: "PS256" }, foreignKey),
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      });
    },
    error: "invalid_client",
  },
];

const needsFapi2 = /; FAPI 2\.0 .* allows: code with /;

const contents: WrongPush[] = [
  changed(
    "S-014: without PKCE",
    { code_challenge: undefined, code_challenge_method: undefined },
    "invalid_request",
    /^code_challenge is missing; .* S256\.$/,
  ),
  changed("S-014: with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"),
  changed(
    "S-014: with a challenge of no method",
    { code_challenge_method: undefined },
    "invalid_request",
  ),
  changed("S-014: with a method of no challenge", { code_challenge: undefined }, "invalid_request"),
  changed(
    "S-014: with a challenge that is too short",
    { code_challenge: "abc" },
    "invalid_request",
  ),
  changed("S-015: without redirect_uri", { redirect_uri: undefined }, "invalid_request"),
  changed(
    "S-015: with an unregistered redirect_uri",
    { redirect_uri: "https://elsewhere.example/callback" },
    "invalid_request",
    /^redirect_uri is https:\/\/elsewhere\.example\/callback, which is not registered/,
  ),
  changed(
    "S-015: with a longer redirect_uri",
    { redirect_uri: "http://localhost:9/callback/more" },
    "invalid_request",
  ),
  changed("S-018: without response_type", { response_type: undefined }, "invalid_request"),
  changed(
    "S-018: with response_type code id_token",
    { response_type: "code id_token", response_mode: undefined },
    "invalid_request",
    needsFapi2,
  ),
  changed(
    "S-018: with response_type code id_token and a signed response",
    { response_type: "code id_token", response_mode: "jwt" },
    "invalid_request",
    needsFapi2,
  ),
  changed(
    "S-018: with response_type token",
    { response_type: "token", response_mode: "jwt" },
    "unsupported_response_type",
  ),
  changed(
    "S-018: with response_mode fragment",
    { response_mode: "fragment" },
    "invalid_request",
    needsFapi2,
  ),
  changed(
    "S-018: with response_mode fragment.jwt",
    { response_mode: "fragment.jwt" },
    "invalid_request",
    needsFapi2,
  ),
  changed(
    "S-018: with an unknown response_mode",
    { response_mode: "x" },
    "unsupported_response_mode",
  ),
  changed(
    "S-021: without response_mode",
    { response_mode: undefined },
    "invalid_request",
    /^response_type is code and response_mode is query; FAPI .* allows: code with jwt/,
    signing,
  ),
  changed(
    "S-021: with response_mode query",
    { response_mode: "query" },
    "invalid_request",
    needsFapi2,
    signing,
  ),
  changed("without scope", { scope: undefined }, "invalid_request"),
  changed("with two scopes of APIs", { scope: "openid accounts payments" }, "invalid_request"),
  changed(
    "with an unknown consent",
    { claims: { id_token: { openbanking_intent_id: { value: "x" } } } },
    "invalid_request",
    /does not exist/,
  ),
  changed("P-107: without a consent", { claims: undefined }, "invalid_request", /exactly one/),
  changed("with claims that are not JSON", { claims: "{" }, "invalid_request", undefined, plain),
  changed("with claims that are a list", { claims: "[]" }, "invalid_request", undefined, plain),
  {
    name: "P-107: with the consent of another client",
    profiles: fapi2Profiles,
    send: async (place) =>
      pushed(place, {}, { consentId: await place.bed.lodge(place.other, "account-access") }),
    error: "invalid_request",
    says: /belongs to another client/,
  },
  {
    name: "S-019: with a request_uri",
    profiles: fapi2Profiles,
    send: async (place) => {
      const first = await pushed(place);
      const { request_uri: uri } = first.body as { request_uri: string };
      return place.tpp.push({ ...(await parametersOf(place)), request_uri: uri });
    },
    error: "request_uri_not_supported",
  },
  {
    name: "with a repeated parameter",
    profiles: plain,
    send: async (place) => {
      const form = new URLSearchParams({
        ...(await parametersOf(place)),
        client_id: place.tpp.tpp.clientId,
        client_assertion: await place.tpp.assertion(),
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      });
      form.append("state", "another");
      return sendForm(place, "/request", form);
    },
    error: "invalid_request",
  },
];

const signatures: WrongPush[] = [
  {
    name: "S-012: without a request object",
    profiles: ["fapi2-message-signing", "fapi1"],
    async send(place) {
      const { request = "" } = await parametersOf(place);
      const [, text = ""] = request.split(".");
      const claims = JSON.parse(Buffer.from(text, "base64url").toString());
      const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
      const { iss: _iss, aud: _aud, nbf: _nbf, iat: _iat, exp: _exp, ...members } = claims;
      return place.tpp.push({
        ...challenge,
        ...members,
        claims: JSON.stringify(claims.claims),
      });
    },
    error: "invalid_request",
    says: /^The request is not signed\. FAPI (1\.0 Advanced|2\.0 Message Signing) needs a signed/,
  },
  requestObject("S-013: for another audience", { aud: "https://elsewhere.example" }, /^aud of the/),
  requestObject("S-013: without an audience", { aud: undefined }, /^The Request Object lacks|^aud/),
  requestObject("S-013: without exp", { exp: undefined }, /lacks a claim: .*exp/),
  requestObject("S-013: without nbf", { nbf: undefined }, /lacks a claim: .*nbf/),
  requestObject("S-013: that has expired", { nbf: now() - 700, exp: now() - 300 }, /has passed/),
  requestObject(
    "S-013: whose nbf is more than an hour ago",
    { nbf: now() - 3700, exp: now() + 60 },
    /exp must be 1 to 3600 seconds after nbf/,
  ),
  requestObject(
    "S-013: whose exp is more than an hour after nbf",
    { nbf: now() - 5, exp: now() + 3700 },
    /exp must be 1 to 3600 seconds after nbf/,
  ),
  requestObject(
    "S-013: whose nbf is more than a minute in the future",
    { nbf: now() + 90, exp: now() + 300 },
    /is in the future/,
  ),
  requestObject("S-013: of another issuer", { iss: "someone" }, /^iss of the Request Object/),
  requestObject("S-013: without client_id", { client_id: undefined }, /client_id/),
  requestObject("S-013: with another client_id", { client_id: "someone" }, /client_id/),
  requestObject("S-019: that contains a request_uri", { request_uri: "urn:x" }, /request_uri/),
  forged("S-013: with alg none", (claims) => new UnsecuredJWT(claims).encode(), /alg none/),
  forged(
    "S-013: with RS256",
    (claims) => sign(claims, { alg: "RS256" }, foreignKey),
    /alg RS256; it must be PS256/,
  ),
  forged(
    "S-013: with HS256",
    (claims) => sign(claims, { alg: "HS256" }, Buffer.alloc(32, 1)),
    /alg HS256; it must be PS256/,
  ),
  forged(
    "S-013: that another key has signed",
    (claims) => sign(claims, { alg: "PS256" }, foreignKey),
    /does not verify/,
  ),
  forged(
    "S-013: that names an unknown key",
    async (claims, { tpp }) => sign(claims, { alg: "PS256", kid: "unknown" }, await keyOf(tpp)),
    /names kid unknown/,
  ),
  forged("S-013: that is not a JWT", () => "abc", /is not a JWT/),
  {
    name: "S-013: with the request object of another client",
    profiles: signing,
    async send(place) {
      const { request = "" } = await parametersOf({ ...place, tpp: place.other });
      return place.tpp.push({ request });
    },
    error: "invalid_request_object",
  },
  {
    ...forged("S-013: with alg none", (claims) => new UnsecuredJWT(claims).encode(), /alg none/),
    name: "S-013: of the Security Profile with a request object of alg none",
    profiles: plain,
    async send(place) {
      const { tpp } = place;
      const members = await parametersOf(place);
      const { clientId } = tpp.tpp;
      const claims = { ...members, iss: clientId, client_id: clientId, aud: place.bed.publicUrl };
      return tpp.push({ request: new UnsecuredJWT(claims).encode() });
    },
  },
];

/** Pushed requests that must be refused. */
export const wrongPushes: readonly WrongPush[] = [...authentication, ...contents, ...signatures];

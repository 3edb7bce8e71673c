import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { longSalt, resigned } from "#test/registration/sign-any.ts";
import { assertionType, credentials, elsewhere, foreignKey, now } from "./constants.ts";
import type { Mistake, Place } from "./place.ts";

/** A token request with a wrong form. */
const token = (
  name: string,
  form: (place: Place) => Promise<Record<string, string>> | Record<string, string>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `token: ${name}`,
  send: async (place) => place.tpp.tokenAnswer(await form(place)),
  says,
});

/** A token request whose client assertion is wrong. */
const assertion = (
  name: string,
  make: (place: Place) => Promise<string> | string,
  ...says: Mistake["says"]
): Mistake =>
  token(
    `client assertion ${name}`,
    async (place) => ({
      ...credentials,
      client_assertion_type: assertionType,
      client_assertion: await make(place),
    }),
    ...says,
  );

const claims = (name: string, change: Record<string, unknown>, ...says: Mistake["says"]) =>
  assertion(name, ({ tpp }) => tpp.assertion(change), ...says);

const signWith =
  (alg: string, key: Parameters<SignJWT["sign"]>[0], kid?: string) => (place: Place) => {
    const { clientId, signing } = place.tpp.tpp;
    return new SignJWT({
      iss: clientId,
      sub: clientId,
      aud: place.bank.publicUrl,
      jti: randomUUID(),
      exp: now + 300,
    })
      .setProtectedHeader({ alg, kid: kid ?? signing.kid })
      .sign(key);
  };

export const assertionMistakes: readonly Mistake[] = [
  claims("with another aud", { aud: elsewhere }, "invalid_client", "aud", elsewhere, "localhost"),
  claims("that has expired", { exp: now - 300 }, "exp", "passed", /time is 20/),
  claims("with an exp in 2100", { exp: 4_102_444_800 }, "exp", "60 minutes"),
  claims(
    "with an exp in milliseconds",
    { exp: (now + 300) * 1000 },
    "exp",
    "milliseconds",
    "seconds",
  ),
  claims("with an iat in milliseconds", { iat: now * 1000 }, "iat", "milliseconds", "seconds"),
  claims("with an iat in the future", { iat: now + 900 }, "iat", "future", /time is 20/),
  claims("with an nbf in the future", { nbf: now + 900 }, "nbf", "future", /time is 20/),
  claims("without exp", { exp: undefined }, "invalid_client", "exp"),
  claims("without jti", { jti: undefined }, "jti"),
  claims("without aud", { aud: undefined }, "aud"),
  claims("with another iss", { iss: "someone" }, "iss", "someone", "client_id", "tpp-"),
  claims("with another sub", { sub: "someone" }, "sub", "someone", "client_id", "tpp-"),
  claims("with exp as text", { exp: "soon" }, "exp", "numbers of seconds"),
  assertion("that is not a JWT", () => "abc", "client assertion", "not a JWT", "PS256", "dots"),
  assertion("signed with RS256", signWith("RS256", foreignKey), "RS256", "PS256"),
  assertion(
    "with a long salt",
    async ({ tpp }) => resigned(await tpp.assertion({}), tpp.tpp.signing.privateKeyPem, longSalt),
    "salt of another length than 32",
    "PS256",
  ),
  assertion("signed with another key", signWith("PS256", foreignKey), "signature", "kid"),
  assertion(
    "with an unknown kid",
    signWith("PS256", foreignKey, "none"),
    "kid none",
    /Its keys: [\w-]{43}/,
  ),
  assertion(
    "used twice",
    async ({ tpp }) => {
      const jwt = await tpp.assertion({ jti: "twice" });
      await tpp.tokenAnswer({
        ...credentials,
        client_assertion_type: assertionType,
        client_assertion: jwt,
      });
      return jwt;
    },
    "jti",
    "twice",
    "new jti",
  ),
  {
    name: "token: FAPI 2 with a list as aud",
    send: async ({ fapi2, bank }) =>
      fapi2.tokenAnswer({
        ...credentials,
        client_assertion_type: assertionType,
        client_assertion: await fapi2.assertion({ aud: [bank.publicUrl] }),
      }),
    says: ["aud", /one string, the issuer of the bank: http:\/\/localhost:\d+\./],
  },
  {
    name: "token: FAPI 2 with the token endpoint as aud",
    send: async ({ fapi2, bank }) =>
      fapi2.tokenAnswer({
        ...credentials,
        client_assertion_type: assertionType,
        client_assertion: await fapi2.assertion({ aud: `${bank.mtlsUrl}/token` }),
      }),
    says: ["aud", "issuer", "/token"],
  },
];

export const tokenMistakes: readonly Mistake[] = [
  token(
    "no grant type",
    () => ({ scope: "accounts" }),
    "invalid_request",
    "grant_type",
    "client_credentials",
  ),
  token(
    "an unknown grant type",
    () => ({ grant_type: "password" }),
    "unsupported_grant_type",
    "password",
    "authorization_code",
  ),
  token(
    "an unknown scope",
    () => ({ ...credentials, scope: "everything" }),
    "invalid_scope",
    "everything",
    "accounts",
  ),
  token(
    "a wrong assertion type",
    async ({ tpp }) => ({
      ...credentials,
      client_assertion_type: "jwt",
      client_assertion: await tpp.assertion(),
    }),
    "client_assertion_type",
    assertionType,
  ),
  token(
    "an unknown code",
    () => ({
      grant_type: "authorization_code",
      code: "abc",
      redirect_uri: "http://localhost:7878/callback",
    }),
    "invalid_grant",
    "code",
  ),
  token(
    "no code",
    () => ({ grant_type: "authorization_code", redirect_uri: "http://localhost:7878/callback" }),
    "invalid_request",
    "code",
  ),
  token(
    "no redirect URI",
    () => ({ grant_type: "authorization_code", code: "abc" }),
    /redirect_uri|code/,
  ),
  token(
    "an unknown refresh token",
    () => ({ grant_type: "refresh_token", refresh_token: "abc" }),
    "invalid_grant",
    "refresh token",
  ),
  token(
    "no refresh token",
    () => ({ grant_type: "refresh_token" }),
    "invalid_request",
    "refresh_token",
  ),
  token(
    "a refresh with another scope",
    ({ access }) => ({
      grant_type: "refresh_token",
      refresh_token: access.refresh,
      scope: "openid payments",
    }),
    "invalid_scope",
    "payments",
  ),
  {
    name: "token: a refresh token of another client",
    send: ({ other, access }) =>
      other.tokenAnswer({ grant_type: "refresh_token", refresh_token: access.refresh }),
    says: ["invalid_grant", "another client", "that this client got"],
  },
  {
    name: "token: an unknown client",
    async send({ tpp, bank }) {
      const form = new URLSearchParams({
        ...credentials,
        client_id: "ghost",
        client_assertion_type: assertionType,
        client_assertion: await tpp.assertion({ iss: "ghost", sub: "ghost" }),
      });
      return tpp.send(`${bank.mtlsUrl}/token`, "POST", Buffer.from(form.toString()), {
        "content-type": "application/x-www-form-urlencoded",
        accept: "application/json",
      });
    },
    says: ["invalid_client", "client_id ghost", "that the registration returned"],
  },
  {
    name: "token: JSON in place of a form",
    send: ({ tpp, bank }) =>
      tpp.send(`${bank.mtlsUrl}/token`, "POST", Buffer.from(JSON.stringify(credentials)), {
        "content-type": "application/json",
        accept: "application/json",
      }),
    says: [/400|415/, "application/x-www-form-urlencoded"],
  },
  {
    name: "token: GET",
    send: ({ tpp, bank }) =>
      tpp.send(`${bank.mtlsUrl}/token`, "GET", undefined, { accept: "application/json" }),
    says: [/40[45]/, "POST"],
  },
];

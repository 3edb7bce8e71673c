import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { requestOf } from "#test/registration/request-claims.ts";
import { longSalt, oldPadding, resigned, type SignOptions } from "#test/registration/sign-any.ts";
import { assertionType, credentials, elsewhere, now } from "./constants.ts";
import type { Mistake } from "./place.ts";

/** A registration request with other claims. */
const registration = (
  name: string,
  changes: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `registration: ${name}`,
  async send({ tpp, bank }) {
    const { softwareStatement: statement = "" } = tpp.tpp as { softwareStatement?: string };
    const body = await requestOf(tpp.tpp, { audience: bank.publicUrl, statement }, changes);
    return register(tpp, bank.mtlsUrl, body);
  },
  says,
});

const register = (tpp: TppClient, base: string, body: string, type = "application/jwt") =>
  tpp.send(`${base}/register`, "POST", Buffer.from(body), { "content-type": type });

/** A registration request whose signature has the form of another algorithm or library. */
const otherwiseSigned = (name: string, form: SignOptions, ...says: Mistake["says"]): Mistake => ({
  name: `registration: signed with ${name}`,
  async send({ tpp, bank }) {
    const { softwareStatement: statement = "" } = tpp.tpp as { softwareStatement?: string };
    const body = await requestOf(tpp.tpp, { audience: bank.publicUrl, statement }, {});
    return register(tpp, bank.mtlsUrl, resigned(body, tpp.tpp.signing.privateKeyPem, form));
  },
  says,
});

export const registrationMistakes: readonly Mistake[] = [
  otherwiseSigned("a long salt", longSalt, "PS256", "salt of another length than 32"),
  otherwiseSigned("PKCS #1 v1.5", oldPadding, "PS256", "PKCS #1 v1.5 padding", "as RS256"),
  registration("another aud", { aud: elsewhere }, "aud", elsewhere, "localhost"),
  registration("expired", { iat: now - 900, exp: now - 300 }, "exp", /time, 20/),
  registration("iat in the future", { iat: now + 900, exp: now + 1200 }, "iat"),
  registration("times in milliseconds", { iat: now * 1000, exp: (now + 300) * 1000 }, "seconds"),
  registration("another iss", { iss: "someone" }, "iss", "someone"),
  registration("jti not a UUID", { jti: "1" }, "jti", "UUID"),
  registration(
    "no software statement",
    { software_statement: undefined },
    "software_statement",
    "The bank trusts",
    "directory",
  ),
  registration(
    "a statement that is not a JWT",
    { software_statement: "abc" },
    "software statement",
    "compact",
    "as the directory has issued it",
  ),
  registration(
    "a redirect URI outside the statement",
    { redirect_uris: [elsewhere] },
    "redirect_uris",
    elsewhere,
  ),
  registration(
    "redirect URIs as text",
    { redirect_uris: "https://x.example" },
    "redirect_uris",
    "list",
  ),
  registration(
    "client_secret_basic",
    { token_endpoint_auth_method: "client_secret_basic" },
    "token_endpoint_auth_method",
    "client_secret_basic",
    "private_key_jwt",
  ),
  registration(
    "RS256",
    { token_endpoint_auth_signing_alg: "RS256" },
    "token_endpoint_auth_signing_alg",
    "RS256",
    "PS256",
  ),
  registration(
    "an implicit grant",
    { grant_types: ["implicit"] },
    "grant_types",
    "implicit",
    "authorization_code",
  ),
  registration(
    "response type token",
    { response_types: ["token"] },
    "response_types",
    "token",
    "code id_token",
  ),
  registration("an unknown scope", { scope: "openid everything" }, "scope", "everything"),
  registration(
    "id_token alg",
    { id_token_signed_response_alg: "RS256" },
    "id_token_signed_response_alg",
    "PS256",
  ),
  registration(
    "no request_object_signing_alg",
    { request_object_signing_alg: undefined },
    "request_object_signing_alg",
    "PS256",
  ),
  {
    name: "registration: a request that is not a JWT",
    send: ({ tpp, bank }) => register(tpp, bank.mtlsUrl, "{}"),
    says: [
      "registration request",
      "compact",
      "Sign it with PS256",
      ...["iss", "aud", "iat and exp", "jti", "software_statement", "grant_types"],
    ],
  },
  {
    name: "registration: JSON",
    send: ({ tpp, bank }) => register(tpp, bank.mtlsUrl, "{}", "application/json"),
    says: [/415|400/, /application\/(jwt|jose)/],
  },
];

export const certificateMistakes: readonly Mistake[] = [
  {
    name: "certificates: the token endpoint without one",
    async send({ tpp, bank, changedTpp }) {
      const bare = changedTpp({ certificateBound: false });
      try {
        const form = {
          ...credentials,
          client_assertion_type: assertionType,
          client_assertion: await tpp.assertion(),
        };
        return await bare.send(
          `${bank.mtlsUrl}/token`,
          "POST",
          Buffer.from(new URLSearchParams(form).toString()),
          {
            "content-type": "application/x-www-form-urlencoded",
          },
        );
      } finally {
        bare.close();
      }
    },
    says: ["no client certificate", /mutual TLS address, https:\/\/localhost:\d+\/token,/],
  },
  {
    name: "certificates: that of another client",
    async send({ other, changedTpp }) {
      const mixed = changedTpp({ transport: other.tpp.transport });
      try {
        return await mixed.tokenAnswer(credentials);
      } finally {
        mixed.close();
      }
    },
    says: ["CN in its subject", "it must be"],
  },
  {
    name: "certificates: the public address in place of mutual TLS",
    send: ({ tpp, bank, access }) =>
      tpp.send(`${bank.publicUrl}/api/open-banking/v3.1/aisp/accounts`, "GET", undefined, {
        authorization: `Bearer ${access.token}`,
        accept: "application/json",
      }),
    says: ["401", "bound to the client certificate", /call https:\/\/localhost:\d+ /, "absent"],
  },
];

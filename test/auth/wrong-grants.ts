import assert from "node:assert/strict";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { fragmentOf } from "./auth-bed.ts";
import { credentials, type Place, type Wrong, withAssertion } from "./wrong-requests.ts";

const withoutCertificate = async ({ tpp }: Place, parameters: Record<string, string>) => {
  const bare = new TppClient(tpp.bank, { ...tpp.tpp, certificateBound: false });
  const form = new URLSearchParams({
    ...withAssertion(await tpp.assertion()),
    ...parameters,
  });
  return bare
    .send(`${tpp.bank.mtlsUrl}/token`, "POST", Buffer.from(form.toString()), {
      "content-type": "application/x-www-form-urlencoded",
    })
    .finally(() => bare.close());
};

const codeOf = async ({ bed, tpp }: Place, overrides: Record<string, unknown> = {}) => {
  const consentId = await bed.lodge(tpp, "account-access");
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId, overrides });
  const code = present(fragmentOf(await bed.authorise({ authorizationUrl: url })).code, "a code");
  return {
    consentId,
    grant: {
      grant_type: "authorization_code",
      code,
      redirect_uri: present(tpp.tpp.redirectUris[0], "a redirect URI"),
    },
  };
};
const challenge = { code_challenge: sha256("v".repeat(50)), code_challenge_method: "S256" };

/** Token requests with correct client authentication that must fail. */
export const grants: Wrong[] = [
  {
    name: "a connection without a certificate",
    send: (place) => withoutCertificate(place, {}),
    error: "invalid_grant",
    says: /^The connection has no client certificate\. Use the mutual TLS address/,
  },
  {
    name: "an unknown code",
    send: ({ tpp }) =>
      tpp.tokenAnswer({
        grant_type: "authorization_code",
        code: "abc",
        redirect_uri: tpp.tpp.redirectUris[0] ?? "",
      }),
    error: "invalid_grant",
    says: /^The code is unknown/,
  },
  {
    name: "a code that was used before",
    send: async (place) => {
      const { grant } = await codeOf(place);
      assert.equal((await place.tpp.tokenAnswer(grant)).status, 200);
      return place.tpp.tokenAnswer(grant);
    },
    error: "invalid_grant",
    says: /^The code was used before\. Its tokens are revoked now/,
  },
  {
    name: "a redirect_uri other than the request's",
    send: async (place) => {
      const { grant } = await codeOf(place);
      return place.tpp.tokenAnswer({ ...grant, redirect_uri: "https://tpp.example/other" });
    },
    error: "invalid_grant",
    says: /^redirect_uri is https:\/\/tpp\.example\/other; it must be the redirect_uri of/,
  },
  {
    name: "a wrong code_verifier",
    send: async (place) => {
      const { grant } = await codeOf(place, challenge);
      return place.tpp.tokenAnswer({ ...grant, code_verifier: "w".repeat(50) });
    },
    error: "invalid_grant",
    says: /^code_verifier does not match/,
  },
  {
    name: "no code_verifier",
    send: async (place) => {
      const { grant } = await codeOf(place, challenge);
      return place.tpp.tokenAnswer(grant);
    },
    error: "invalid_grant",
    says: /^code_verifier is missing/,
  },
  {
    name: "the code of another client",
    send: async (place) => {
      const { grant } = await codeOf(place);
      return place.other.tokenAnswer(grant);
    },
    error: "invalid_grant",
    says: {
      sandbox: /^The code or refresh token belongs to another client/,
      production: /^The code or refresh token is unknown/,
    },
  },
  {
    name: "the code of a consent that was deleted",
    send: async (place) => {
      const { grant, consentId } = await codeOf(place);
      const deletedAt = place.bed.clock.now();
      await setConsent(place.bed.database, consentId, { deletedAt });
      return place.tpp.tokenAnswer(grant);
    },
    error: "invalid_grant",
    says: /^The consent has ended/,
  },
  {
    name: "an unknown refresh token",
    send: ({ tpp }) => tpp.tokenAnswer({ grant_type: "refresh_token", refresh_token: "abc" }),
    error: "invalid_grant",
    says: /^The refresh token is unknown/,
  },
  {
    name: "an unknown scope together with a known one",
    send: ({ tpp }) => tpp.tokenAnswer({ ...credentials, scope: "accounts everything" }),
    error: "invalid_scope",
    says: /^scope is accounts everything, which contains an unknown value/,
  },
  {
    name: "a scope that the client's roles do not include",
    send: async ({ bed }) => {
      const reader = await bed.createTpp({ roles: ["AISP"] });
      return reader.tokenAnswer({ ...credentials, scope: "payments" });
    },
    error: "invalid_scope",
    says: /^scope is payments; the client's roles do not include all of it/,
  },
];

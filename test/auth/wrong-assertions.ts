import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import {
  claimsOf,
  credentials,
  foreignKey,
  keyOf,
  now,
  type Place,
  sign,
  type Wrong,
  withAssertion,
} from "./wrong-requests.ts";

const assertionWith =
  (change: object) =>
  async ({ tpp }: Place) =>
    tpp.tokenAnswer(withAssertion(await tpp.assertion({ ...change })));

/** Token requests whose client authentication must fail. */
export const assertions: Wrong[] = [
  {
    name: "an audience other than the bank",
    send: assertionWith({ aud: "https://elsewhere.example" }),
    error: "invalid_client",
    says: /^aud of the client assertion is https:\/\/elsewhere\.example; it must be .* http:/,
  },
  {
    name: "an expiry in the past",
    send: assertionWith({ exp: 1_700_000_000 }),
    error: "invalid_client",
    says: /^exp of the client assertion is 2023-11-14T22:13:20Z, which has passed; .* is 20\d\d/,
  },
  {
    name: "an expiry in the year 2100",
    send: assertionWith({ exp: 4_102_444_800 }),
    error: "invalid_client",
    says: /^exp of the client assertion is 2100-01-01T00:00:00Z; it must be at most 60 minutes/,
  },
  {
    name: "an expiry beyond all dates",
    send: assertionWith({ exp: 1e300 }),
    error: "invalid_client",
    says: /^exp of the client assertion is 1e\+300; it must be at most 60 minutes/,
  },
  {
    name: "an issue time in milliseconds",
    send: assertionWith({ iat: now() * 1000 }),
    error: "invalid_client",
    says: /^iat of the client assertion is \d{13} \(milliseconds; send seconds\)/,
  },
  {
    name: "an issue time in the future",
    send: assertionWith({ iat: now() + 600 }),
    error: "invalid_client",
    says: /^iat of the client assertion is 20.*Z, which is in the future/,
  },
  {
    name: "a start time in the future",
    send: assertionWith({ nbf: now() + 600 }),
    error: "invalid_client",
    says: /^nbf of the client assertion is 20.*Z, which is in the future/,
  },
  {
    name: "an expiry that is not a number",
    send: assertionWith({ exp: "soon" as unknown as number }),
    error: "invalid_client",
    says: /^A claim of the client assertion has the wrong type: invalid exp value/,
  },
  {
    name: "no jti",
    send: assertionWith({ jti: undefined }),
    error: "invalid_client",
    says: /^The client assertion lacks a claim: unique jti/,
  },
  {
    name: "another issuer",
    send: assertionWith({ iss: "someone" }),
    error: "invalid_client",
    says: /^iss of the client assertion is someone; it must be the client_id, tpp/,
  },
  {
    name: "another subject",
    send: assertionWith({ sub: "someone" }),
    error: "invalid_request",
    says: /^sub of the client assertion is someone; it must be the client_id, tpp/,
  },
  {
    name: "a kid that the client does not have",
    send: async ({ tpp }) => {
      const header = { alg: "PS256", kid: "unknown-kid" };
      return tpp.tokenAnswer(withAssertion(await sign(claimsOf(tpp), header, await keyOf(tpp))));
    },
    error: "invalid_client",
    says: {
      sandbox: /names kid unknown-kid with alg PS256; .* no such key\. Its keys: [\w-]{43}\.$/,
      production: /names kid unknown-kid with alg PS256; the client has no such key\.$/,
    },
  },
  {
    name: "the signature of another key",
    send: async ({ tpp }) => {
      const header = { alg: "PS256", kid: tpp.tpp.signing.kid };
      return tpp.tokenAnswer(withAssertion(await sign(claimsOf(tpp), header, foreignKey)));
    },
    error: "invalid_client",
    says: /^The signature of the client assertion does not verify/,
  },
  {
    name: "RS256",
    send: async ({ tpp }) =>
      tpp.tokenAnswer(withAssertion(await sign(claimsOf(tpp), { alg: "RS256" }, foreignKey))),
    error: "invalid_client",
    says: /^The client assertion is signed with alg RS256; it must be PS256\./,
  },
  {
    name: "an assertion that is not a JWT",
    send: ({ tpp }) => tpp.tokenAnswer(withAssertion("not a token")),
    error: "invalid_request",
    says: /^The client assertion is not a JWT/,
  },
  {
    name: "an assertion that was used before",
    send: async ({ tpp }) => {
      const parameters = withAssertion(await tpp.assertion({ jti: "the-only-one" }));
      await tpp.tokenAnswer(parameters);
      return tpp.tokenAnswer(parameters);
    },
    error: "invalid_client",
    says: /^jti of the client assertion is the-only-one, which was used before/,
  },
  {
    name: "an unknown client",
    send: async ({ tpp }) => {
      const ghost = new TppClient(tpp.bank, { ...tpp.tpp, clientId: "ghost" });
      return ghost.tokenAnswer(credentials).finally(() => ghost.close());
    },
    error: "invalid_client",
    says: {
      sandbox:
        /^No active client has the client_id ghost\. Send the client_id that the registration/,
      production: /^The client is unknown\.$/,
    },
  },
  {
    name: "a method other than the registered one",
    send: async ({ bed, tpp }) => {
      const mutual = await bed.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
      const { clientId } = mutual.tpp;
      const assertion = await tpp.assertion({ iss: clientId, sub: clientId });
      return mutual.tokenAnswer(withAssertion(assertion));
    },
    error: "invalid_client",
    says: {
      sandbox: /^The client is registered for tls_client_auth;/,
      production: /^The request does not use the authentication method/,
    },
  },
  {
    name: "the certificate of another client",
    send: async ({ tpp, other }) => {
      const mixed = new TppClient(tpp.bank, { ...tpp.tpp, transport: other.tpp.transport });
      return mixed.tokenAnswer(credentials).finally(() => mixed.close());
    },
    error: "invalid_client",
    says: {
      sandbox: /CN in its subject is \w+; it must be \w+\.$/,
      production: /CN in its subject is \w+\.$/,
    },
  },
];

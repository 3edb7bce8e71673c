// Client authentication, codes and tokens of clients of FAPI 2.0.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, test } from "node:test";
import { UnsecuredJWT } from "jose";
import { type ProfileId, profileIds } from "#src/clients/security-profile.ts";
import {
  readAuthorization,
  redirectUriOf,
  verifierOf,
} from "#src/sandbox/test-tpp/authorization-flow.ts";
import { type Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import {
  approved,
  fapi2Profiles,
  openPlaces,
  type Place,
  parametersOf,
  titleOf,
} from "./fapi2-bed.ts";
import { claimsOf, foreignKey, now, sign, withAssertion } from "./wrong-requests.ts";

let bed: AuthBed;
let placeOf: Awaited<ReturnType<typeof openPlaces>>;
before(async () => {
  bed = await openAuthBed();
  placeOf = await openPlaces(bed);
});
after(() => bed.close());

const audiences: [name: string, aud: () => unknown, allowed: readonly ProfileId[]][] = [
  ["the issuer", () => bed.publicUrl, profileIds],
  ["a list with the issuer", () => [bed.publicUrl], ["fapi1"]],
  ["a list with the issuer and another", () => [bed.publicUrl, "https://x.example"], ["fapi1"]],
  ["the token endpoint", () => `${bed.mtlsUrl}/token`, ["fapi1"]],
  ["the token endpoint of the issuer's host", () => `${bed.publicUrl}/token`, ["fapi1"]],
  ["the issuer with a slash", () => `${bed.publicUrl}/`, []],
  ["another server", () => "https://elsewhere.example", []],
  ["nobody", () => undefined, []],
  ["a number", () => 7, []],
  ["an empty list", () => [], []],
];
for (const [name, aud, allowed] of audiences) {
  for (const profile of profileIds) {
    const isAllowed = allowed.includes(profile);
    const outcome = isAllowed ? "accepted" : "refused";
    test(`S-030, S-050: at every endpoint, a profile accepts only its own values of aud in a client assertion (${name}, ${outcome}, ${titleOf(profile)})`, async () => {
      const place = placeOf(profile);
      const { tpp } = place;
      const asserted = async () => withAssertion(await tpp.assertion({ aud: aud() as string }));
      const { grant_type: _grant, scope: _scope, ...authentication } = await asserted();
      const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
      const answers: [string, Answer, number][] = [
        ["token", await tpp.tokenAnswer(await asserted()), 200],
        [
          "request",
          await tpp.push({ ...(await parametersOf(place, challenge)), ...authentication }),
          201,
        ],
        ["revocation", await revoke(tpp, await tpp.assertion({ aud: aud() as string })), 200],
      ];
      for (const [endpoint, { status, body, raw }, success] of answers) {
        const text = `${endpoint} ${raw}`;
        assert.equal(status, isAllowed ? success : 401, text);
        if (isAllowed) continue;
        const { error, error_description: words } = body as Record<string, string>;
        assert.equal(error, "invalid_client", text);
        assert.match(words ?? "", /\baud\b|lacks a claim|wrong type/, text);
      }
    });
  }
}

for (const profile of profileIds.filter((id) => id !== "fapi1")) {
  test(`S-030: a wrong aud is told what FAPI 2.0 wants (${titleOf(profile)})`, async () => {
    const { tpp } = placeOf(profile);
    const aud = `${bed.mtlsUrl}/token`;
    const { body } = await tpp.tokenAnswer(withAssertion(await tpp.assertion({ aud })));
    const { error_description: words = "" } = body as Record<string, string>;
    const wanted = `for ${titleOf(profile)} it must be the issuer of the bank as one string`;
    assert.ok(words.includes(`${wanted}: ${bed.publicUrl}.`), words);
  });
}

const revoke = (tpp: TppClient, assertion: string): Promise<Answer> =>
  tpp.send(
    `${tpp.bank.mtlsUrl}/token/revocation`,
    "POST",
    Buffer.from(
      new URLSearchParams({
        client_id: tpp.tpp.clientId,
        client_assertion: assertion,
        client_assertion_type: withAssertion("").client_assertion_type,
        token: "unknown",
      }).toString(),
    ),
    { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
  );

const assertions: [name: string, make: (place: Place) => Promise<string> | string][] = [
  ["with alg none", ({ tpp }) => new UnsecuredJWT(claimsOf(tpp)).encode()],
  ["with RS256", ({ tpp }) => sign(claimsOf(tpp), { alg: "RS256" }, foreignKey)],
  ["with HS256", ({ tpp }) => sign(claimsOf(tpp), { alg: "HS256" }, Buffer.alloc(32, 1))],
  ["that another key has signed", ({ tpp }) => sign(claimsOf(tpp), { alg: "PS256" }, foreignKey)],
  ["without exp", ({ tpp }) => tpp.assertion({ exp: undefined as unknown as number })],
  ["without jti", ({ tpp }) => tpp.assertion({ jti: undefined as unknown as string })],
  ["that has expired", ({ tpp }) => tpp.assertion({ exp: now() - 60 })],
  [
    "whose nbf is more than a minute in the future",
    ({ tpp }) => tpp.assertion({ nbf: now() + 90 }),
  ],
  [
    "whose iat is more than a minute in the future",
    ({ tpp }) => tpp.assertion({ iat: now() + 90 }),
  ],
  ["of another issuer", ({ tpp }) => tpp.assertion({ iss: "someone" })],
];
for (const [name, make] of assertions) {
  for (const profile of fapi2Profiles) {
    test(`S-034: an invalid client assertion is refused (${name}, ${titleOf(profile)})`, async () => {
      const place = placeOf(profile);
      const answer = await place.tpp.tokenAnswer(withAssertion(await make(place)));
      assert.equal(answer.status, 401, answer.raw.toString());
      assert.equal((answer.body as { error: string }).error, "invalid_client");
    });
  }
}

for (const profile of fapi2Profiles) {
  test(`S-034: a client assertion whose iat and nbf are eight seconds in the future is accepted once (${titleOf(profile)})`, async () => {
    const { tpp } = placeOf(profile);
    const form = withAssertion(await tpp.assertion({ iat: now() + 8, nbf: now() + 8 }));
    assert.equal((await tpp.tokenAnswer(form)).status, 200);
    assert.equal((await tpp.tokenAnswer(form)).status, 401);
  });
}

/** The token request with which a client exchanges the code that a customer's approval gave. */
async function exchangeOf(place: Place): Promise<Record<string, string>> {
  const back = await approved(place);
  const answer = await readAuthorization(place.tpp, back);
  return {
    grant_type: "authorization_code",
    code: answer.get("code") ?? "",
    redirect_uri: redirectUriOf(place.tpp.tpp, back),
    code_verifier: verifierOf(place.tpp.tpp, answer),
  };
}

const without = (form: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(form).filter(([one]) => one !== name));

/** An exchange that must be refused. */
type WrongExchange = {
  name: string;
  send(place: Place, form: Record<string, string>): Promise<Answer>;
  error: string;
};

const wrongExchanges: WrongExchange[] = [
  {
    name: "S-014: a code without the PKCE verifier",
    send: ({ tpp }, form) => tpp.tokenAnswer(without(form, "code_verifier")),
    error: "invalid_grant",
  },
  {
    name: "S-014: a code with another PKCE verifier",
    send: ({ tpp }, form) => tpp.tokenAnswer({ ...form, code_verifier: "v".repeat(43) }),
    error: "invalid_grant",
  },
  {
    name: "S-014: a code with the challenge as PKCE verifier",
    send: ({ tpp }, form) =>
      tpp.tokenAnswer({
        ...form,
        code_verifier: hash("sha256", form.code_verifier ?? "", "base64url"),
      }),
    error: "invalid_grant",
  },
  {
    name: "S-014: a code with a PKCE verifier that is too short",
    send: ({ tpp }, form) => tpp.tokenAnswer({ ...form, code_verifier: "short" }),
    error: "invalid_request",
  },
  {
    name: "S-031: a code without redirect_uri",
    send: ({ tpp }, form) => tpp.tokenAnswer(without(form, "redirect_uri")),
    error: "invalid_request",
  },
  {
    name: "S-031: a code with another redirect_uri",
    send: ({ tpp }, form) =>
      tpp.tokenAnswer({ ...form, redirect_uri: "https://tpp.example/other" }),
    error: "invalid_grant",
  },
  {
    name: "S-031: a code that another client sends",
    send: ({ other }, form) => other.tokenAnswer(form),
    error: "invalid_grant",
  },
  {
    name: "S-031: a code that is a minute old",
    send({ tpp }, form) {
      bed.advance({ seconds: 61 });
      return tpp.tokenAnswer(form);
    },
    error: "invalid_grant",
  },
  {
    name: "S-031: a code that was used before",
    async send({ tpp }, form) {
      assert.equal((await tpp.tokenAnswer(form)).status, 200);
      return tpp.tokenAnswer(form);
    },
    error: "invalid_grant",
  },
  {
    name: "S-032: a code without a client certificate",
    async send({ tpp }, form) {
      const bare = new TppClient(tpp.bank, { ...tpp.tpp, certificateBound: false });
      try {
        return await bare.tokenAnswer(form);
      } finally {
        bare.close();
      }
    },
    error: "invalid_grant",
  },
  {
    name: "S-032: a code with the certificate of another client",
    async send({ tpp, other }, form) {
      const { transport } = other.tpp;
      const mixed = new TppClient(tpp.bank, { ...tpp.tpp, transport });
      try {
        return await mixed.tokenAnswer(form);
      } finally {
        mixed.close();
      }
    },
    error: "invalid_client",
  },
];
for (const { name, send, error } of wrongExchanges) {
  for (const profile of fapi2Profiles) {
    test(`${name} is refused (${titleOf(profile)})`, async () => {
      const place = placeOf(profile);
      const form = await exchangeOf(place);
      const answer = await send(place, form);
      assert.ok(answer.status === 400 || answer.status === 401, answer.raw.toString());
      const refusal = answer.body as Record<string, string>;
      assert.equal(refusal.error, error, answer.raw.toString());
    });
  }
}

for (const profile of fapi2Profiles) {
  test(`S-031: a code that is used twice ends the tokens of its first use (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    const { tpp } = place;
    const form = await exchangeOf(place);
    const { access_token: token } = await tpp.token(form);
    const me = () =>
      tpp.send(`${bed.mtlsUrl}/me`, "GET", undefined, { authorization: `Bearer ${token}` });
    assert.equal((await me()).status, 200);
    assert.equal((await tpp.tokenAnswer(form)).status, 400);
    assert.equal((await me()).status, 401);
  });

  test(`S-033: a refresh keeps the refresh token, and needs the token's client and a certificate (${titleOf(profile)})`, async () => {
    const { tpp, other } = placeOf(profile);
    const { refresh_token: kept = "" } = await tpp.token(await exchangeOf(placeOf(profile)));
    const form = { grant_type: "refresh_token", refresh_token: kept };
    assert.equal((await tpp.refresh(kept)).refresh_token, kept);
    assert.equal((await tpp.refresh(kept)).refresh_token, kept);
    const foreign = await other.tokenAnswer(form);
    assert.equal((foreign.body as { error: string }).error, "invalid_grant");
    const bare = new TppClient(tpp.bank, { ...tpp.tpp, certificateBound: false });
    const unbound = await bare.tokenAnswer(form);
    bare.close();
    assert.equal((unbound.body as { error: string }).error, "invalid_grant");
  });
}

test("S-032: the sandbox does not create FAPI 2.0 clients whose tokens are not bound", async () => {
  for (const profile of fapi2Profiles) {
    const request = { profile, certificateBound: false };
    await assert.rejects(bed.createTpp(request), /certificateBound: must be true for .*FAPI 2\.0/);
  }
});

test("S-040: discovery has the members that clients of FAPI 2.0 need, and does not add requirements for other clients", async () => {
  const url = `${bed.publicUrl}/.well-known/openid-configuration`;
  const document = (await (await fetch(url)).json()) as Record<string, unknown>;
  const has = (name: string, ...values: string[]) => {
    for (const value of values) assert.ok((document[name] as string[]).includes(value), name);
  };
  has("response_types_supported", "code", "code id_token");
  has("response_modes_supported", "query", "jwt");
  has("code_challenge_methods_supported", "S256");
  has("token_endpoint_auth_methods_supported", "private_key_jwt", "tls_client_auth");
  has("request_object_signing_alg_values_supported", "PS256");
  has("authorization_signing_alg_values_supported", "PS256");
  assert.equal(document.pushed_authorization_request_endpoint, `${bed.mtlsUrl}/request`);
  assert.equal(document.authorization_response_iss_parameter_supported, true);
  assert.equal(document.tls_client_certificate_bound_access_tokens, true);
  assert.equal(document.require_pushed_authorization_requests, undefined);
  assert.equal(document.require_signed_request_object, true);
});

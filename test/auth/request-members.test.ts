// Every member of a signed request object, missing or of a wrong type, at both endpoints.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ProfileId } from "#src/clients/security-profile.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import {
  authUrl,
  openPlaces,
  type Place,
  parametersOf,
  pushed,
  refusalOf,
  titleOf,
  visit,
} from "./fapi2-bed.ts";

let bed: AuthBed;
let placeOf: Awaited<ReturnType<typeof openPlaces>>;
before(async () => {
  bed = await openAuthBed();
  placeOf = await openPlaces(bed);
});
after(() => bed?.close());

type Overrides = Record<string, unknown>;

const opened = async (place: Place, overrides: Overrides) => {
  const { request = "" } = await parametersOf(place, overrides);
  const { clientId } = place.tpp.tpp;
  const query = { client_id: clientId, response_type: "code id_token", scope: "openid", request };
  return visit(place, authUrl(place, query));
};

// a pushed request needs PKCE
const challenge = { code_challenge: "c".repeat(43), code_challenge_method: "S256" };
const push = (place: Place, overrides: Overrides) => pushed(place, { ...challenge, ...overrides });

const ways = [
  { name: "at /auth", profile: "fapi1", send: opened },
  { name: "pushed", profile: "fapi1", send: push },
  { name: "pushed", profile: "fapi2-message-signing", send: push },
] as const;

const values = { null: null, true: true, "an object": { toString: 1 }, "a list": ["a"], "5": 5 };
const texts = [
  ...["response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "response_mode"],
  ...["code_challenge", "code_challenge_method", "prompt", "acr_values", "login_hint"],
  ...["id_token_hint", "request_uri", "registration", "dpop_jkt"],
];
/** Members of each type, the wrong values, and the words of the refusal. */
const types: { members: string[]; wrong: Overrides; words: string }[] = [
  { members: texts, wrong: values, words: "a string" },
  {
    members: ["max_age"],
    wrong: { null: null, true: true, "an object": {}, "a list": [5] },
    words: "a number of seconds",
  },
  {
    members: ["claims"],
    wrong: { null: null, true: true, "a list": [{}], "5": 5 },
    words: "a JSON object",
  },
];

for (const { name, profile, send } of ways) {
  for (const { members, wrong, words } of types) {
    for (const member of members) {
      test(`a Request Object whose ${member} is not ${words} is refused, ${name} (${titleOf(profile)})`, async () => {
        const place = placeOf(profile);
        for (const [value, given] of Object.entries(wrong)) {
          const refusal = await refusalOf(place, await send(place, { [member]: given }));
          assert.equal(refusal.error, "invalid_request_object", value);
          assert.equal(
            refusal.error_description,
            `${member} of the Request Object must be ${words}.`,
            value,
          );
        }
      });
    }
  }

  test(`a Request Object without response_type is refused, ${name} (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    for (const responseType of [undefined, ""]) {
      const refusal = await refusalOf(place, await send(place, { response_type: responseType }));
      assert.equal(refusal.error, "invalid_request");
      assert.match(refusal.error_description ?? "", /^The Request Object lacks response_type\./);
    }
  });

  test(`a Request Object with odd times, issuers or audiences is refused, ${name} (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    for (const member of ["iss", "aud", "exp", "nbf"]) {
      for (const value of [null, {}, [5], true, "x", -1e300]) {
        const answer = await send(place, { [member]: value });
        const { error } = await refusalOf(place, answer);
        assert.equal(error, "invalid_request_object", `${member}: ${JSON.stringify(value)}`);
      }
    }
  });

  test(`P-106: a request that names no consent is refused, ${name} (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    for (const claims of [
      undefined,
      { id_token: {} },
      { id_token: { openbanking_intent_id: null } },
    ]) {
      const refusal = await refusalOf(place, await send(place, { claims }));
      assert.equal(refusal.error, "invalid_request");
      assert.match(refusal.error_description ?? "", /^The claims must name exactly one consent\./);
    }
  });

  test(`dpop_jkt is refused, ${name} (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    const refusal = await refusalOf(place, await send(place, { dpop_jkt: "A".repeat(43) }));
    assert.equal(refusal.error, "invalid_request");
    assert.match(refusal.error_description ?? "", /^dpop_jkt is present, but the bank does not/);
  });
}

// a browser brings the request_uri of a pushed request
const broughtByBrowser = async (place: Place, beside: Record<string, string>) => {
  const consentId = await bed.lodge(place.tpp, "account-access");
  const url = new URL(await place.tpp.authorizationUrl({ scope: "accounts", consentId }));
  for (const [name, value] of Object.entries(beside)) url.searchParams.set(name, value);
  return visit(place, url.href);
};

const beside: [where: string, profile: ProfileId, send: typeof broughtByBrowser][] = [
  ["a Request Object at /auth", "fapi1", broughtByBrowser],
  [
    "a pushed Request Object",
    "fapi1",
    async (place, more) => place.tpp.push({ ...(await parametersOf(place, challenge)), ...more }),
  ],
  [
    "a pushed Request Object",
    "fapi2-message-signing",
    async (place, more) => place.tpp.push({ ...(await parametersOf(place)), ...more }),
  ],
  ["a request_uri", "fapi2-message-signing", broughtByBrowser],
  ["a request_uri", "fapi2", broughtByBrowser],
];
for (const [where, profile, send] of beside) {
  test(`dpop_jkt beside ${where} is refused (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    const refusal = await refusalOf(place, await send(place, { dpop_jkt: "A".repeat(43) }));
    assert.equal(refusal.error, "invalid_request");
    assert.match(refusal.error_description ?? "", /^dpop_jkt is present, but the bank does not/);
    // a parameter without a value counts as absent
    const { status, headers } = await send(place, { dpop_jkt: "" });
    const goesOn = status === 201 || String(headers.location).includes("/journey/");
    assert.ok(goesOn, `${status} ${headers.location}`);
  });
}

test("P-106: a pushed request of the Security Profile that names no consent, or has dpop_jkt, is refused", async () => {
  const place = placeOf("fapi2");
  for (const [overrides, words] of [
    [{ claims: undefined }, /^The claims must name exactly one consent\./],
    [{ dpop_jkt: "A".repeat(43) }, /^dpop_jkt is present/],
  ] as const) {
    const refusal = await refusalOf(place, await pushed(place, overrides));
    assert.equal(refusal.error, "invalid_request");
    assert.match(refusal.error_description ?? "", words);
  }
});

// Authorization requests of clients of FAPI 2.0, in the order in which a client makes them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ProfileId } from "#src/clients/security-profile.ts";
import { readAuthorization } from "#src/sandbox/test-tpp/authorization-flow.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import {
  approved,
  authUrl,
  fapi2Profiles,
  openPlaces,
  type Place,
  parametersOf,
  pushed,
  refusalOf,
  titleOf,
  visit,
} from "./fapi2-bed.ts";
import { wrongPushes } from "./wrong-pushed-requests.ts";
import { now } from "./wrong-requests.ts";

let bed: AuthBed;
let placeOf: Awaited<ReturnType<typeof openPlaces>>;
before(async () => {
  bed = await openAuthBed();
  placeOf = await openPlaces(bed);
});
after(() => bed.close());

const requestUriOf = ({ body, raw, status }: { body: unknown; raw: Buffer; status: number }) => {
  assert.equal(status, 201, raw.toString());
  return (body as { request_uri: string }).request_uri;
};

test("P-107, S-011, S-012, S-013, S-014, S-015, S-018, S-019, S-021: a pushed request that breaks this rule is refused", ({
  name: title,
}) => {
  const broken = new Set(wrongPushes.flatMap(({ name }) => name.match(/^[PS]-\d{3}(?=:)/) ?? []));
  assert.deepEqual([...broken].sort(), title.split(": ")[0]?.split(", "));
});

for (const { name, profiles, send, error, says } of wrongPushes) {
  for (const profile of profiles) {
    test(`${name}, a pushed request is refused (${titleOf(profile)})`, async () => {
      const place = placeOf(profile);
      const answer = await send(place);
      assert.ok(answer.status === 400 || answer.status === 401, `${answer.status} ${answer.raw}`);
      const refusal = await refusalOf(place, answer);
      assert.equal(refusal.error, error, answer.raw.toString());
      if (says) assert.match(refusal.error_description ?? "", says);
    });
  }
}

const good: [name: string, profile: ProfileId, overrides: () => Record<string, unknown>][] = [
  [
    "S-013: with an aud list that contains the issuer",
    "fapi2-message-signing",
    () => ({ aud: ["https://elsewhere.example", bed.publicUrl] }),
  ],
  [
    "S-013: with an nbf eight seconds in the future",
    "fapi2-message-signing",
    () => ({ nbf: now() + 8 }),
  ],
  ["S-018: with response_mode query", "fapi2", () => ({ response_mode: "query" })],
  ["S-018: with response_mode jwt", "fapi2", () => ({ response_mode: "jwt" })],
  ["S-018: without nonce", "fapi2", () => ({ nonce: undefined })],
  ["S-020: without state", "fapi2", () => ({ state: undefined })],
  [
    "S-021: with response_mode query.jwt",
    "fapi2-message-signing",
    () => ({ response_mode: "query.jwt" }),
  ],
];
for (const [name, profile, overrides] of good) {
  test(`${name}, a pushed request succeeds (${titleOf(profile)})`, async () => {
    const place = placeOf(profile);
    const answer = await readAuthorization(place.tpp, await approved(place, overrides()));
    assert.ok(answer.get("code"), String(answer));
  });
}

test("S-012: a client of the Security Profile may sign its pushed request", async () => {
  const place = placeOf("fapi2");
  const { tpp } = place;
  const { claims, ...members } = await parametersOf(place);
  const { clientId } = tpp.tpp;
  const object = {
    ...members,
    ...{ iss: clientId, client_id: clientId, aud: bed.publicUrl, nbf: now(), exp: now() + 300 },
    claims: JSON.parse(claims ?? ""),
  };
  const request_uri = requestUriOf(await tpp.push({ request: await tpp.signJwt(object) }));
  const url = authUrl(place, { client_id: clientId, request_uri });
  const answer = await readAuthorization(tpp, await bed.authorise({ authorizationUrl: url }));
  assert.ok(answer.get("code"), String(answer));
});

/** A request to the authorization endpoint that must be refused. */
type WrongVisit = {
  name: string;
  open(place: Place): Promise<string>;
  error: string;
  says?: RegExp;
};

const clientId = ({ tpp }: Place) => ({ client_id: tpp.tpp.clientId });
const pushedUri = async (place: Place) => ({ request_uri: requestUriOf(await pushed(place)) });

const wrongVisits: WrongVisit[] = [
  {
    name: "S-010: with the parameters in the query",
    open: async (place) =>
      authUrl(place, {
        ...clientId(place),
        ...(await parametersOf({ ...place, tpp: placeOf("fapi2").tpp })),
      }),
    error: "invalid_request",
    says: /^The client is registered for FAPI 2\.0 .*: POST the request to the pushed auth/,
  },
  {
    name: "S-010: with a signed request object",
    open: async (place) => {
      const { request = "" } = await parametersOf({ ...place, tpp: placeOf("fapi1").tpp });
      const redirect_uri = place.tpp.tpp.redirectUris[0] ?? "";
      const more = { response_type: "code", scope: "openid accounts", redirect_uri };
      return authUrl(place, { ...clientId(place), ...more, request });
    },
    error: "invalid_request",
    says: /^The client is registered for FAPI 2\.0/,
  },
  {
    name: "S-010: with client_id only",
    open: async (place) => authUrl(place, clientId(place)),
    error: "invalid_request",
  },
  {
    name: "S-016: with an unknown request_uri",
    open: async (place) =>
      authUrl(place, {
        ...clientId(place),
        request_uri: `urn:ietf:params:oauth:request_uri:${"x".repeat(43)}`,
      }),
    error: "invalid_request_uri",
  },
  {
    name: "S-016: with the request_uri of another client",
    open: async (place) =>
      authUrl(place, {
        ...clientId(place),
        ...(await pushedUri({ ...place, tpp: place.other })),
      }),
    error: "invalid_request_uri",
    says: /was issued to another client/,
  },
  {
    name: "S-016: with the request_uri of another client and all its parameters",
    open: async (place) => {
      const other = { ...place, tpp: place.other };
      const { request: _, ...repeated } = await parametersOf(other);
      const parameters = { ...repeated, response_type: "none", state: "mine" };
      return authUrl(place, { ...parameters, ...clientId(place), ...(await pushedUri(other)) });
    },
    error: "invalid_request_uri",
    says: /was issued to another client/,
  },
  {
    name: "S-016: with a request_uri that is a URL",
    open: async (place) =>
      authUrl(place, { ...clientId(place), request_uri: "https://tpp.example/request" }),
    error: "request_uri_not_supported",
  },
  {
    name: "S-016: with a request_uri that has expired",
    open: async (place) => {
      const uri = await pushedUri(place);
      bed.advance({ seconds: 61 });
      return authUrl(place, { ...clientId(place), ...uri });
    },
    error: "invalid_request_uri",
  },
  {
    name: "S-016: with a request_uri that led to an approval",
    open: async (place) => {
      const url = authUrl(place, { ...clientId(place), ...(await pushedUri(place)) });
      await bed.authorise({ authorizationUrl: url });
      return url;
    },
    error: "invalid_request_uri",
  },
  {
    name: "S-019: with a request_uri and a request object",
    open: async (place) => {
      const { request = "" } = await parametersOf({ ...place, tpp: placeOf("fapi1").tpp });
      return authUrl(place, { ...clientId(place), ...(await pushedUri(place)), request });
    },
    error: "invalid_request",
  },
  {
    name: "S-016: with a request_uri but without client_id",
    open: async (place) => authUrl(place, await pushedUri(place)),
    error: "invalid_request",
  },
];
for (const { name, open, error, says } of wrongVisits) {
  for (const profile of fapi2Profiles) {
    test(`${name}, the authorization endpoint refuses the request (${titleOf(profile)})`, async () => {
      const place = placeOf(profile);
      const refusal = await refusalOf(place, await visit(place, await open(place)));
      assert.equal(refusal.error, error, String(refusal.error_description));
      if (says) assert.match(refusal.error_description ?? "", says);
    });
  }
}

for (const profile of fapi2Profiles) {
  const title = titleOf(profile);

  test(`S-016: a request_uri is valid for a minute (${title})`, async () => {
    const answer = await pushed(placeOf(profile));
    assert.equal((answer.body as { expires_in: number }).expires_in, 60);
  });

  test(`S-016: a customer who reloads the page continues with the same request_uri (${title})`, async () => {
    const place = placeOf(profile);
    const url = authUrl(place, { ...clientId(place), ...(await pushedUri(place)) });
    const first = await visit(place, url);
    assert.match(String(first.headers.location), /\/journey\//);
    const answer = await readAuthorization(
      place.tpp,
      await bed.authorise({ authorizationUrl: url }),
    );
    assert.ok(answer.get("code"), String(answer));
  });

  test(`S-017: parameters outside of the request_uri change nothing (${title})`, async () => {
    const place = placeOf(profile);
    const request_uri = requestUriOf(await pushed(place, { state: "pushed" }));
    const url = authUrl(place, {
      ...clientId(place),
      request_uri,
      state: "outside",
      scope: "openid payments",
      nonce: "outside",
      redirect_uri: "https://elsewhere.example/callback",
      code_challenge: "c".repeat(43),
      claims: JSON.stringify({ id_token: { openbanking_intent_id: { value: "outside" } } }),
    });
    const back = await bed.authorise({ authorizationUrl: url });
    assert.ok(back.startsWith("http://localhost:9/callback?"), back);
    assert.equal((await readAuthorization(place.tpp, back)).get("state"), "pushed");
  });

  test(`S-020, S-021: approvals and refusals return state and issuer, signed if the profile signs responses (${title})`, async () => {
    const place = placeOf(profile);
    const isSigned = profile === "fapi2-message-signing";
    for (const decision of ["approve", "deny"] as const) {
      const back = await approved(place, { state: "s 1" }, decision);
      const outside = new URL(back).searchParams;
      assert.equal(outside.has("response"), isSigned, back);
      assert.deepEqual(isSigned ? [...outside.keys()] : ["response"], ["response"]);
      const answer = await readAuthorization(place.tpp, back); // verifies the signature
      assert.equal(answer.get("iss"), bed.publicUrl);
      assert.equal(answer.get("state"), "s 1");
      assert.equal(answer.get("error"), decision === "deny" ? "access_denied" : null);
      assert.equal(answer.has("code"), decision === "approve");
      assert.equal(answer.has("id_token"), false);
    }
  });

  test(`S-020, S-021: an error before the customer's journey returns state and issuer, signed if the profile signs responses (${title})`, async () => {
    const place = placeOf(profile);
    const consentId = await bed.lodge(place.tpp, "account-access");
    const request_uri = requestUriOf(await pushed(place, { state: "s" }, { consentId }));
    const createdAt = bed.clock.now().subtract({ hours: 2 });
    await setConsent(bed.database, consentId, { createdAt });
    const { headers } = await visit(place, authUrl(place, { ...clientId(place), request_uri }));
    const back = String(headers.location);
    const isSigned = profile === "fapi2-message-signing";
    assert.equal(new URL(back).searchParams.has("response"), isSigned, back);
    const answer = await readAuthorization(place.tpp, back);
    assert.deepEqual(
      [answer.get("error"), answer.get("state"), answer.get("iss")],
      ["invalid_request", "s", bed.publicUrl],
    );
  });

  test(`S-010, S-021: a request that was not pushed is refused in the profile's response mode (${title})`, async () => {
    const place = placeOf(profile);
    const redirect_uri = place.tpp.tpp.redirectUris[0] ?? "";
    for (const response_type of ["code", "code id_token"]) {
      const url = authUrl(place, { ...clientId(place), response_type, redirect_uri, state: "s" });
      const { status, headers } = await visit(place, url);
      assert.equal(status, 303);
      const back = new URL(String(headers.location));
      const members = new URLSearchParams(back.search || back.hash.slice(1));
      assert.equal(members.has("response"), profile === "fapi2-message-signing", back.href);
      const answer = await readAuthorization(place.tpp, back.href);
      assert.equal(answer.get("error"), "invalid_request");
      assert.equal(answer.get("state"), "s");
    }
  });
}

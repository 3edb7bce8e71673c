import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { importPKCS8, type JWTPayload, SignJWT } from "jose";
import { listAppChallenges } from "#src/auth/login/challenges.ts";
import { present } from "#src/lib/assert.ts";
import {
  type BackchannelRequest,
  signBackchannel,
} from "#src/sandbox/test-tpp/authorization-flow.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { fixedRing } from "#test/signing/fixed-ring.ts";
import { openAuthBed } from "./auth-bed.ts";
import {
  anna,
  type BackchannelBed,
  begin,
  expectError,
  hintToken,
  openBackchannelBed,
  tokensOf,
} from "./backchannel-bed.ts";

// What a TPP may send to begin a journey without a browser, and what the bank refuses before the
// customer learns of it.

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  bed = await openBackchannelBed();
  tpp = await bed.createTpp();
});
after(() => bed?.close());
// so that the tests do not reach the limit of requests that a customer has not approved
beforeEach(() => bed.advance({ hours: 1 }));

const payment = (client = tpp) =>
  bed.lodge(client, "domestic-payment", { data: { debtor: "20201012345101" } });

/** Sends the request of a new payment, with these claims in place of a hint from the app. */
async function send(
  claims: Record<string, unknown>,
  given: Partial<BackchannelRequest> = {},
): Promise<Answer> {
  const consentId = given.consentId ?? (await payment());
  return tpp.backchannel({ scope: "payments", ...given, consentId, claims });
}

const nobodyAsked = async (work: () => Promise<void>): Promise<void> => {
  const before = bed.challenges.length;
  await work();
  assert.equal(bed.challenges.length, before, "a customer was asked");
};

const now = () => Math.floor(Date.now() / 1000);

const faultyRequests: [title: string, claims: () => Record<string, unknown>, says?: RegExp][] = [
  ["CB-41, CB-45: without aud", () => ({ aud: undefined })],
  ["CB-41, CB-45: without iss", () => ({ iss: undefined })],
  ["CB-41, CB-45: without exp", () => ({ exp: undefined })],
  ["CB-41, CB-45: without iat", () => ({ iat: undefined })],
  ["CB-41, CB-45: without nbf", () => ({ nbf: undefined })],
  ["CB-41, CB-45: without jti", () => ({ jti: undefined })],
  ["CB-41, CB-45: for another audience", () => ({ aud: "https://other.example" })],
  ["CB-41, CB-45: of another issuer", () => ({ iss: "another" })],
  ["CB-41, CB-45: that has expired", () => ({ exp: now() - 60, nbf: now() - 120 })],
  ["CB-65: that lives for 70 minutes", () => ({ exp: now() + 4200 })],
  ["CB-41, CB-45: that begins in 10 minutes", () => ({ nbf: now() + 600 })],
  ["CB-42: with a negative requested_expiry", () => ({ requested_expiry: -1 }), /whole number/],
  ["CB-42: with a requested_expiry of another type", () => ({ requested_expiry: ["10"] })],
  ["CB-67: with a request_context that is a text", () => ({ request_context: "till 4" })],
  ["CB-44: with a user_code", () => ({ user_code: "1234" })],
  ["CB-81: without openbanking-intent-id", () => ({ "openbanking-intent-id": undefined })],
  ["CB-81: with an intent that is a number", () => ({ "openbanking-intent-id": 7 })],
  [
    "CB-81: with another consent in its claims",
    () => ({ claims: { id_token: { openbanking_intent_id: { value: "another" } } } }),
  ],
  ["CB-40: with two hints", () => ({ id_token_hint: "a", login_hint_token: "b" }), /than one hint/],
  ["CB-87: with a wrong id_token_hint", () => ({ id_token_hint: "a" }), /id_token_hint must be/],
  ["CB-84: with a login_hint", () => ({ login_hint: "anna" })],
  ["CB-84: with an address of e-mail", () => ({ login_hint_token: hintToken({ email: "a@b.c" }) })],
  [
    "CB-84: with a telephone number",
    () => ({ login_hint_token: hintToken({ phone_number: "+447700900000" }) }),
  ],
  [
    "CB-63, CB-84: with a hint of two kinds",
    () => ({ login_hint_token: hintToken({ sub: "a", ephemeral_sub: "b" }) }),
  ],
  ["CB-84: with a hint that is not a JWT", () => ({ login_hint_token: "anna" })],
  ["CB-40, CB-92: with the scope of another API", () => ({ scope: "openid accounts" })],
  ["CB-40: without openid in its scope", () => ({ scope: "payments" })],
];
for (const [title, claims, says = /./] of faultyRequests) {
  test(`${title}, a request is invalid_request, and nobody is asked`, () =>
    nobodyAsked(async () => {
      const hint = title.includes("hint") || /CB-84/.test(title) ? {} : await bed.hint(anna);
      const answer = await send({ ...hint, ...claims() });
      expectError(answer, 400, "invalid_request");
      assert.match(answer.raw.toString(), says);
    }));
}

test("CB-66: an unsigned request is refused", () =>
  nobodyAsked(async () => {
    const consentId = await payment();
    const form = { scope: "openid payments", "openbanking-intent-id": consentId };
    const answer = await tpp.backchannelForm({ ...form, ...(await bed.hint(anna)) });
    expectError(answer, 400, "invalid_request");
    const { error_description: says } = answer.body as { error_description: string };
    const needed = [
      ...["iss", "aud", "iat", "nbf", "exp", "jti", "openbanking-intent-id"],
      ...["login_hint_token", "id_token_hint", "scans the ConsentId"],
    ];
    for (const member of needed) assert.ok(says.includes(member), `${member} in ${says}`);
    assert.ok(!says.includes("client_id"), says);
  }));

test("CB-46: an unknown grant_type is told those that the client may use, polling among them", async () => {
  const answer = await tpp.tokenAnswer({ grant_type: "password" });
  const { error_description: says } = answer.body as { error_description: string };
  assert.match(says, /one of .*urn:openid:params:grant-type:ciba/);
});

test("CB-66: an unsigned request of a client of FAPI 2.0 is refused, and its signed one works", async () => {
  const client = await bed.createTpp({ profile: "fapi2" });
  const consentId = await payment(client);
  const form = { scope: "openid payments", "openbanking-intent-id": consentId };
  const hint = await bed.hint(anna);
  expectError(await client.backchannelForm({ ...form, ...hint }), 400, "invalid_request");
  const { auth_req_id } = await begin(client, { scope: "payments", consentId, claims: hint });
  await bed.answer("approved");
  await tokensOf(client, auth_req_id);
});

for (const alg of ["RS256", "PS384"]) {
  test(`CB-68: a request that is signed with ${alg} is invalid_request`, () =>
    nobodyAsked(async () => {
      const consentId = await payment();
      const claims = await bed.hint(anna);
      const { kid, privateKeyPem } = tpp.tpp.signing;
      const signJwt = async (given: JWTPayload) =>
        new SignJWT(given)
          .setProtectedHeader({ alg, kid })
          .sign(await importPKCS8(privateKeyPem, alg));
      const { bank } = tpp;
      const given = { scope: "payments", consentId, claims } as const;
      const request = await signBackchannel({ tpp: tpp.tpp, bank, signJwt }, given);
      expectError(await tpp.backchannelForm({ request }), 400, "invalid_request");
    }));
}

test("CB-41: parameters outside of the signed request change nothing", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const request = { scope: "payments", consentId, claims } as const;
  const answer = await tpp.backchannel(request, { requested_expiry: "10", login_hint: "ben" });
  assert.equal((answer.body as { expires_in: number }).expires_in, 300);
});

test("CB-41: a signed request works once", async () => {
  const jti = "a-jti-that-is-used-twice";
  const claims = { jti, ...(await bed.hint(anna)) };
  assert.equal((await send(claims)).status, 200);
  await bed.answer("declined");
  await nobodyAsked(async () => {
    expectError(await send({ jti, ...(await bed.hint(anna)) }), 400, "invalid_request");
  });
});

test("CB-60: a client that is not authenticated is invalid_client", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const assertion = {
    client_assertion: await tpp.assertion({ aud: "https://other.example" }),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  const answer = await tpp.backchannel({ scope: "payments", consentId, claims }, assertion);
  expectError(answer, 401, "invalid_client");
});

test("CB-60: a client that authenticates by its certificate can begin a journey", async () => {
  const client = await bed.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
  const consentId = await payment(client);
  const claims = await bed.hint(anna);
  const { auth_req_id } = await begin(client, { scope: "payments", consentId, claims });
  await bed.answer("approved");
  await tokensOf(client, auth_req_id);
});

const messages: [message: string, isAccepted: boolean][] = [
  ["1234", true],
  ["Till 4, no. 17", true],
  ["x".repeat(21), false],
  ["1234 👍🏿", false],
  ["<b>1234</b>", false],
];
for (const [message, isAccepted] of messages) {
  test(`CB-44, CB-62: the binding message ${message} is ${isAccepted ? "accepted" : "refused"}`, async () => {
    const answer = await send({ ...(await bed.hint(anna)), binding_message: message });
    if (isAccepted) assert.equal(answer.status, 200, answer.raw.toString());
    else expectError(answer, 400, "invalid_binding_message");
    if (isAccepted) await bed.answer("approved");
  });
}

test("CB-70: the app shows the binding message, and learns which journey it goes on with", async () => {
  const consentId = await payment();
  const claims = { ...(await bed.hint(anna)), binding_message: "1234" };
  await begin(tpp, { scope: "payments", consentId, claims });
  const { expiresAt: _, ...journey } = present(bed.challenges.at(-1)?.journey, "the journey");
  assert.deepEqual(journey, {
    journeyId: await bed.journeyOf(consentId),
    bindingMessage: "1234",
  });
});

test("CB-93: the core learns when the request ends, and the challenge ends with it", async () => {
  for (const seconds of [60, 600]) {
    const consentId = await payment();
    const claims = { ...(await bed.hint(anna)), requested_expiry: seconds };
    await begin(tpp, { scope: "payments", consentId, claims });
    const { expiresAt } = await bed.app.show(await bed.journeyOf(consentId));
    assert.equal(bed.challenges.at(-1)?.journey?.expiresAt.toString(), expiresAt);
    const [asked] = await listAppChallenges(bed.database, bed.clock.now());
    const end = Temporal.Instant.from(expiresAt);
    // the app of the paper bank asks for 5 minutes
    const own = bed.clock.now().add({ minutes: 5 });
    const earlier = Temporal.Instant.compare(end, own) < 0 ? end : own;
    const given = present(asked, "the challenge").expiresAt;
    assert.ok(Temporal.Instant.compare(given, earlier) <= 0, `${given} is after ${earlier}`);
    await bed.answer("approved");
  }
});

test("CB-85: an identifier of the app names its customer once, for 5 minutes", async () => {
  const claims = await bed.hint(anna);
  assert.equal((await send(claims)).status, 200);
  expectError(await send(claims), 400, "expired_login_hint_token");
  const unknown = { login_hint_token: hintToken({ ephemeral_sub: "cust-unknown" }) };
  expectError(await send(unknown), 400, "unknown_user_id");
  const late = await bed.hint(anna);
  bed.advance({ minutes: 6 });
  await bed.auth.sweep();
  expectError(await send(late), 400, "expired_login_hint_token");
});

test("CB-84: a hint with an exp that has passed is expired_login_hint_token", async () => {
  const token = hintToken({ sub: anna, exp: 1_700_000_000 });
  expectError(await send({ login_hint_token: token }), 400, "expired_login_hint_token");
});

test("CB-44, CB-69, CB-84: sub names only the client's own customers, and others cannot be told apart", async () => {
  const client = await bed.createTpp();
  const named = async (sub: string) =>
    client.backchannel({
      scope: "payments",
      consentId: await payment(client),
      claims: { login_hint_token: hintToken({ sub }) },
    });
  await nobodyAsked(async () => {
    const [known, unknown] = [await named(anna), await named("cust-nobody")];
    expectError(known, 400, "unknown_user_id");
    assert.deepEqual(known.body, unknown.body);
  });
  // after the first approval, the client knows the customer
  const claims = await bed.hint(anna);
  const consentId = await payment(client);
  const { auth_req_id } = await begin(client, { scope: "payments", consentId, claims });
  await bed.answer("approved");
  await tokensOf(client, auth_req_id);
  assert.equal((await named(anna)).status, 200);
});

test("CB-87: id_token_hint names the customer of the client's own id_token", async () => {
  const consentId = await payment();
  const claims = await bed.hint(anna);
  const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims });
  await bed.answer("approved");
  const { id_token } = await tokensOf(tpp, auth_req_id);
  const answer = await send({ id_token_hint: id_token });
  assert.equal(answer.status, 200, answer.raw.toString());
  assert.equal(bed.challenges.at(-1)?.customerId, anna);
  const other = await bed.createTpp();
  const foreign = await other.backchannel({
    scope: "payments",
    consentId: await payment(other),
    claims: { id_token_hint: id_token },
  });
  expectError(foreign, 400, "invalid_request");
  assert.match(
    foreign.raw.toString(),
    /id_token_hint must be an id_token that the bank has issued/,
  );
});

test("CB-69, CB-87: id_token_hint of a customer who has approved nothing for the client is unknown_user_id", async () => {
  const { signing } = bed.directory;
  const claims = { iss: bed.publicUrl, sub: "cust-ben", aud: tpp.tpp.clientId, iat: now() };
  const key = await importPKCS8(signing.privateKeyPem, "PS256");
  const hint = await new SignJWT({ ...claims, exp: now() + 600 })
    .setProtectedHeader({ alg: "PS256", kid: fixedRing(signing).current().kid })
    .sign(key);
  await nobodyAsked(async () => {
    expectError(await send({ id_token_hint: hint }), 400, "unknown_user_id");
  });
});

const closed: [title: string, consent: () => Promise<string>][] = [
  ["that does not exist", async () => "test-unknown"],
  ["of another client", async () => payment(await bed.createTpp())],
  [
    "that was not authorised in time",
    async () => {
      const consentId = await payment();
      bed.advance({ hours: 2 });
      return consentId;
    },
  ],
  [
    "that has been authorised and is used once",
    async () => {
      const consentId = await payment();
      await begin(tpp, { scope: "payments", consentId, claims: await bed.hint(anna) });
      await bed.answer("approved");
      return consentId;
    },
  ],
];
for (const [title, lodge] of closed) {
  test(`CB-91: a consent ${title} is invalid_request, and nobody is asked`, async () => {
    const consentId = await lodge();
    const claims = await bed.hint(anna);
    await nobodyAsked(async () => {
      const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
      expectError(answer, 400, "invalid_request");
    });
  });
}

test("CB-83: a second request for a consent is refused while one is open, also if both come at once", async () => {
  const consentId = await payment();
  const requests = await Promise.all(
    [1, 2, 3].map(async () => ({
      scope: "payments" as const,
      consentId,
      claims: await bed.hint(anna),
    })),
  );
  const answers = await Promise.all(requests.map((request) => tpp.backchannel(request)));
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 2);
  for (const answer of refused) expectError(answer, 400, "invalid_request");
});

test("CB-51, CB-61, CB-154: discovery has the endpoint with its alias, poll and ping, the algorithms and the grant", async () => {
  const { body } = await tpp.send(
    `${bed.publicUrl}/.well-known/openid-configuration`,
    "GET",
    undefined,
    {},
  );
  const document = body as Record<string, unknown>;
  const url = `${bed.mtlsUrl}/backchannel`;
  assert.equal(document.backchannel_authentication_endpoint, url);
  const aliases = document.mtls_endpoint_aliases as Record<string, string>;
  assert.equal(aliases.backchannel_authentication_endpoint, url);
  assert.deepEqual(document.backchannel_token_delivery_modes_supported, ["poll", "ping"]);
  const algorithms = document.backchannel_authentication_request_signing_alg_values_supported;
  assert.deepEqual(algorithms, ["PS256"]);
  assert.equal(document.backchannel_user_code_parameter_supported, false);
  const grants = document.grant_types_supported as string[];
  assert.ok(grants.includes("urn:openid:params:grant-type:ciba"));
});

test("CB-80: a bank without approvals in its app has no endpoint, and its clients go on", async () => {
  const without = await openAuthBed();
  try {
    const client = await without.createTpp();
    const consentId = await without.lodge(client, "domestic-payment");
    const answer = await client.backchannel({ scope: "payments", consentId });
    assert.equal(answer.status, 404);
    expectError(await client.poll("an-id"), 400, "unsupported_grant_type");
    assert.ok(await client.clientToken("accounts"));
    const { body } = await client.send(
      `${without.publicUrl}/.well-known/openid-configuration`,
      "GET",
      undefined,
      {},
    );
    assert.ok(!JSON.stringify(body).includes("backchannel"), JSON.stringify(body));
    assert.ok(!JSON.stringify(body).includes("ciba"));
  } finally {
    await without.close();
  }
});

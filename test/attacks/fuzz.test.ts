import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ProfileId, profileIds } from "#src/clients/security-profile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { createDraw } from "./fuzz/draw.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { mutateStructure, toJson } from "./fuzz/mutate-body.ts";
import { createOAuthOracle } from "./fuzz/oauth-oracle.ts";
import { createOracle } from "./fuzz/oracle.ts";
import type { Hit, Shot } from "./fuzz/shot.ts";

// The short form. `npm run soak -- fuzz` sends 100,000 requests to a bank in a separate process.

let bank: TestBank;
before(async () => {
  bank = await openBank({ EVENT_LONG_POLL_SECONDS: 1, REGISTRATION_PER_MINUTE: 0 });
});
after(() => bank?.close());

test("1,500 hostile requests to APIs, OAuth and registration endpoints and pages get only declared responses", async (context) => {
  const { findings, sent, statuses, origins, senders, responses } = await fuzz(bank, {
    requests: 1500,
    seed: 20261122,
  });
  const lines = findings.map(({ fault, count, first }) => `${count} times: ${fault}\n    ${first}`);
  assert.deepEqual(lines, [], lines.join("\n"));
  assert.ok(sent >= 1500);
  context.diagnostic(`authorization responses: ${[...responses].join(" ")}`);
  // requests get past the first checks and reach the whole interface
  for (const status of [200, 201, 400, 401, 404]) assert.ok(statuses.has(status), `${status}`);
  for (const method of ["POST", "PUT", "GET", "DELETE"]) {
    assert.ok(origins.has(`${method} /register`), `${method} /register`);
  }
  assert.ok(origins.size > 80, `${origins.size} kinds of request`);
  for (const id of profileIds) {
    for (const endpoint of ["POST /token", "POST /request", "GET /auth"]) {
      assert.ok(senders.has(`${endpoint} of ${id}`), `${endpoint} of ${id}`);
    }
  }
});

const path = "/api/open-banking/v3.1/aisp/accounts";
const aimed: Shot = {
  number: 0,
  from: "GetAccounts",
  changes: [],
  method: "GET",
  url: `https://bank.example${path}`,
  headers: {},
  body: undefined,
};
const refused: Hit = {
  status: 401,
  headers: { "x-fapi-interaction-id": "93bac548-d2de-4546-b106-880a5018460d" },
  raw: Buffer.alloc(0),
};
const error = { Code: "400 BadRequest", Id: "1", Message: "m", Errors: [] };
const json = (value: unknown): Partial<Hit> => ({
  raw: Buffer.from(JSON.stringify(value)),
  headers: { ...refused.headers, "content-type": "application/json" },
});

const wrong: Record<string, [change: Partial<Hit>, fault: RegExp]> = {
  "a 500": [{ status: 500 }, /the status is 500/],
  "a 503 without Retry-After": [{ status: 503 }, /no Retry-After/],
  "an undeclared status": [{ status: 409 }, /409 is not declared/],
  "a response without interaction id": [{ headers: {} }, /no interaction id/],
  "a success response that does not match its schema": [
    { status: 200, ...json({ Data: 1 }) },
    /our schema/,
  ],
  "a stack trace": [json({ ...error, Message: "\n    at run (x.ts:1:2)" }), /a leak/],
  "an internal address": [json({ ...error, Message: "connect ECONNREFUSED" }), /a leak/],
  "broken JSON": [{ ...json({}), raw: Buffer.from("{") }, /not JSON/],
};

for (const [what, [change, fault]] of Object.entries(wrong)) {
  test(`the fuzzer finds ${what}`, () => {
    const responses = { 200: {}, 400: {}, 401: {} };
    const documents = new Map([["aisp-v3.1", { paths: { "/accounts": { get: { responses } } } }]]);
    const judge = createOracle(listOperations(paymentKinds), documents);
    assert.deepEqual(judge(aimed, refused), []);
    assert.match(judge(aimed, { ...refused, ...change }).join("\n"), fault);
  });
}

const tppOf = (profile: ProfileId) =>
  ({
    clientId: profile,
    profile,
    redirectUris: [`https://tpp.example/${profile}`],
  }) as TppCredentials;
const judgeOAuth = createOAuthOracle("https://bank.example", profileIds.map(tppOf));
const signed = (claims: object): string =>
  `response=e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
const answered = {
  fapi1: "#code=c&id_token=i",
  fapi2: "?code=c&state=s&iss=https://bank.example",
  "fapi2-message-signing": `?${signed({
    iss: "https://bank.example",
    aud: "fapi2-message-signing",
    code: "c",
  })}`,
};
const sentTo = (profile: string, answer: string): Hit => ({
  status: 303,
  headers: { location: `https://tpp.example/${profile}${answer}` },
  raw: Buffer.alloc(0),
});

const wrongAnswers: [what: string, profile: ProfileId, answer: string, fault: RegExp][] = [
  ["in the fragment", "fapi2", "#code=c&iss=https://bank.example", /fragment/],
  ["without iss", "fapi2", "?code=c", /iss of/],
  ["of another issuer", "fapi2", "?code=c&iss=https://other.example", /iss of/],
  ["with an id_token", "fapi2", `${answered.fapi2}&id_token=i`, /with id_token/],
  ["with a code and an error", "fapi2", `${answered.fapi2}&error=e`, /without code or error/],
  ["that is not signed", "fapi2-message-signing", answered.fapi2, /unsigned/],
  [
    "for another TPP",
    "fapi2-message-signing",
    `?${signed({ iss: "https://bank.example", aud: "x", code: "c" })}`,
    /aud of/,
  ],
];

for (const [what, profile, answer, fault] of wrongAnswers) {
  test(`the fuzzer finds an authorization response to a TPP of ${profile} ${what}`, () => {
    assert.deepEqual(judgeOAuth(aimed, sentTo(profile, answered[profile])), []);
    assert.match(judgeOAuth(aimed, sentTo(profile, answer)).join("\n"), fault);
  });
}

test("the fuzzer finds an OAuth error without a code", () => {
  const token: Shot = { ...aimed, method: "POST", url: "https://bank.example/token" };
  const error = (body: object): Hit => ({ ...refused, ...json(body), status: 400 });
  assert.deepEqual(judgeOAuth(token, error({ error: "invalid_grant" })), []);
  for (const body of [{}, { error: 1 }, { error: "invalid_grant", error_description: '"' }]) {
    assert.equal(judgeOAuth(token, error(body)).length, 1);
  }
});

test("the fuzzer makes the same body from the same seed and number", () => {
  const make = (seed: number): string => {
    const body = { Data: { Initiation: { Amount: "1.00" } }, Risk: {} };
    mutateStructure(body, createDraw(seed, 7));
    return toJson(body);
  };
  assert.equal(make(1), make(1));
  assert.notEqual(make(1), make(2));
});

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { flattenedVerify, importJWK } from "jose";
import { jwsClaims } from "#src/http/message-signer.ts";
import { addConsent, type FakeBank, openFakeBank, sign } from "./fake-bank.ts";

const things = "/api/open-banking/v4.0/thing";
const views = "/api/open-banking/v3.1/view";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const id = "1f4c2c0e-6a51-4f59-9a2e-111111111111";

let bank: FakeBank;
let payToken: string;
let viewToken: string;
let lodgeToken: string;

before(async () => {
  bank = await openFakeBank();
  payToken = await bank.addToken({});
  lodgeToken = await bank.addToken({ scope: "accounts" });
  const { grantId } = await addConsent(bank);
  viewToken = await bank.addToken({ kind: "authorization_code", scope: "accounts", grantId });
});
after(() => bank.close());

type Headers = Record<string, string>;

const call = (
  method: InjectOptions["method"] & string,
  url: string,
  headers: Headers = {},
  payload?: string | Buffer,
): Promise<LightMyRequestResponse> =>
  bank.app.inject({
    method: method as "GET",
    url,
    headers,
    ...(payload === undefined ? {} : { payload }),
  });

const bearer = (token: string, more: Headers = {}): Headers => ({
  authorization: `Bearer ${token}`,
  ...more,
});

const postThing = async (change: Headers = {}, body = '{"Data":{}}') =>
  call(
    "POST",
    `${things}/things`,
    bearer(payToken, {
      "content-type": "application/json",
      "x-idempotency-key": "key-1",
      "x-jws-signature": await sign(bank.tpp, body),
      ...change,
    }),
    body,
  );

const getViews = (headers: Headers = {}) =>
  call("GET", `${views}/views`, bearer(viewToken, headers));

function assertBare(answer: LightMyRequestResponse, status: number): void {
  assert.equal(answer.statusCode, status);
  assert.equal(answer.body, "");
  assert.equal(answer.headers["content-type"], undefined);
  assert.equal(answer.headers["x-jws-signature"], undefined);
  assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid);
}

function assertFault(answer: LightMyRequestResponse, status: number, code: string, path?: string) {
  assert.equal(answer.statusCode, status, answer.body);
  const [fault] = answer.json().Errors;
  assert.equal(fault.ErrorCode, code);
  assert.equal(fault.Path, path);
  assert.ok(fault.Message.length > 0);
}

describe("interaction id", () => {
  test("P-010, A-001: a UUID comes back as it was, with every status", async () => {
    const headers = { "x-fapi-interaction-id": id };
    const upper = { "x-fapi-interaction-id": id.toUpperCase().replace("1F4C", "ABCD") };
    for (const answer of [
      await postThing(headers),
      await postThing({ ...headers, "x-idempotency-key": "k".repeat(41) }),
      await call("GET", `${things}/things/1`, headers),
      await call("GET", `${things}/nothing`, headers),
      await call("PATCH", `${things}/things`, headers),
      await call("GET", `${things}/broken`, bearer(payToken, headers)),
      await call("DELETE", `${views}/view-consents/1`, bearer(lodgeToken, headers)),
    ]) {
      assert.equal(answer.headers["x-fapi-interaction-id"], id, String(answer.statusCode));
    }
    const answer = await postThing(upper);
    assert.equal(answer.headers["x-fapi-interaction-id"], upper["x-fapi-interaction-id"]);
  });

  test("P-011, A-002, A-003: without one, every answer has a fresh UUID", async () => {
    const seen = new Set();
    for (const url of [`${things}/nothing`, `${things}/things/1`, "/api", "/api/%zz", "/api/x"]) {
      const answer = await call("GET", url);
      assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid, url);
      seen.add(answer.headers["x-fapi-interaction-id"]);
    }
    assert.equal(seen.size, 5);
  });

  test("P-012: one id serves many requests", async () => {
    for (let count = 0; count < 3; count++) {
      assert.equal((await postThing({ "x-fapi-interaction-id": id })).statusCode, 201);
    }
  });

  test("P-013: v4 refuses one that is no UUID, before the token, with a fresh one", async () => {
    const answer = await call("GET", `${things}/things/1`, { "x-fapi-interaction-id": "run-7" });
    assertFault(answer, 400, "U006", "x-fapi-interaction-id");
    assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid);
    assert.ok(answer.headers["x-jws-signature"]);
  });

  test("A-004: v3.1 echoes any printable one of up to 128 characters", async () => {
    for (const value of ["run-7", "x".repeat(128)]) {
      const answer = await getViews({ "x-fapi-interaction-id": value });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers["x-fapi-interaction-id"], value);
      const missing = await call("GET", `${views}/no`, { "x-fapi-interaction-id": value });
      assert.equal(missing.headers["x-fapi-interaction-id"], value);
    }
  });

  test("A-004: v3.1 refuses others after the token, with a fresh UUID", async () => {
    for (const value of ["x".repeat(129), "caf\u00e9"]) {
      const headers = { "x-fapi-interaction-id": value };
      const answer = await getViews(headers);
      assertFault(answer, 400, "U006", "x-fapi-interaction-id");
      assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid);
      assertBare(await call("GET", `${views}/views`, headers), 401);
    }
  });
});

describe("routes", () => {
  test("P-020, A-022, A-023: a wrong method is 405 with Allow and no body", async () => {
    for (const [method, url, allow] of [
      ["DELETE", `${things}/things`, "POST"],
      ["PUT", `${things}/things/1`, "GET"],
      ["PATCH", `${things}/things/1/`, "GET"],
      ["GET", `${things}/things`, "POST"],
      ["HEAD", `${views}/views`, "GET"],
      ["OPTIONS", `${views}/views`, "GET"],
      ["POST", `${views}/views`, "GET"],
    ] as const) {
      const answer = await call(method, url, { "content-type": "nonsense/" }, undefined);
      assertBare(answer, 405);
      assert.equal(answer.headers.allow, allow);
    }
    assertBare(await call("PUT", `${things}/things`, { "content-type": "x/" }, "{"), 405);
  });

  test("P-021, A-027, A-037: a path that is not there is 404 with no body", async () => {
    for (const url of [
      `${things}/bulk`,
      `${things}/things/1/more`,
      `${views}/views/1`,
      "/api/open-banking/v3.1.11/view/views",
      "/api/open-banking/v4.0.1/thing/things",
      "/api/%zz",
      "/api",
    ]) {
      assertBare(await call("GET", url, bearer(viewToken)), 404);
      if (!url.includes("%")) assertBare(await call("POST", url, {}, "{}"), 404);
    }
  });

  test("A-036: a slash at the end changes nothing", async () => {
    const answer = await call("GET", `${views}/views/?a=1`, bearer(viewToken));
    assert.equal(answer.statusCode, 200);
    const posted = await call(
      "POST",
      `${things}/things/?x=/`,
      bearer(payToken, {
        "content-type": "application/json",
        "x-idempotency-key": "k",
        "x-jws-signature": await sign(bank.tpp, "{}"),
      }),
      "{}",
    );
    assert.equal(posted.json().Links.Self, `http://bank.test${things}/things?x=//1`);
  });

  test("an id of 128 characters reaches its handler", async () => {
    const long = "a".repeat(128);
    const answer = await call("GET", `${things}/things/${long}`, bearer(payToken));
    assert.equal(answer.json().id, long);
  });
});

describe("token, grant and scope", () => {
  test("P-001, P-002, A-040, A-041, A-042, A-049, A-051: no usable token is a bare 401", async () => {
    for (const headers of [
      {},
      bearer("unknown"),
      { authorization: "Basic abc" },
      { authorization: "Bearer" },
      { authorization: `Bearer ${payToken} ${payToken}` },
      { authorization: payToken },
    ] as Headers[]) {
      for (const url of [`${things}/things/1`, `${views}/views`, `${views}/views?access_token=x`]) {
        const answer = await call("GET", url, headers);
        assertBare(answer, 401);
        assert.match(String(answer.headers["www-authenticate"]), /^Bearer/);
      }
    }
  });

  test("the scheme is read in any case", async () => {
    const answer = await call("GET", `${views}/views`, { authorization: `bEARER ${viewToken}` });
    assert.equal(answer.statusCode, 200);
  });

  test("P-003, A-043: an expired token has a signed body in v4 and none in v3.1", async () => {
    const expiresAt = bank.clock.now().subtract({ seconds: 1 });
    const old = await bank.addToken({ expiresAt });
    const answer = await call("GET", `${things}/things/1`, bearer(old));
    assertFault(answer, 401, "TKXP", "Authorization");
    assert.ok(answer.headers["x-jws-signature"]);
    const oldLodge = await bank.addToken({ expiresAt, scope: "accounts" });
    const headers = bearer(oldLodge, { "content-type": "application/json" });
    assertBare(await call("POST", `${views}/view-consents`, headers, "{}"), 401);
  });

  test("P-004, A-048: a token of another certificate or place is 401", async () => {
    const bound = await bank.addToken({ thumbprint: "x".repeat(43) });
    assertBare(await call("GET", `${things}/things/1`, bearer(bound)), 401);
    const remote = await bank.app.inject({
      url: `${things}/things/1`,
      headers: bearer(payToken),
      remoteAddress: "192.0.2.1",
    });
    assertBare(remote, 401);
    const proxied = bearer(payToken, { "x-forwarded-for": "192.0.2.1" });
    assertBare(await call("GET", `${things}/things/1`, proxied), 401);
  });

  test("P-005, A-044: a token without the scope is 403", async () => {
    const answer = await call("GET", `${things}/things/1`, bearer(lodgeToken));
    assertFault(answer, 403, "U006", "Authorization");
    assert.match(String(answer.headers["www-authenticate"]), /insufficient_scope/);
  });

  test("P-009: the wrong grant is 403 in v4", async () => {
    const { grantId } = await addConsent(bank);
    const customer = await bank.addToken({ kind: "authorization_code", grantId });
    assertFault(
      await call("GET", `${things}/things/1`, bearer(customer)),
      403,
      "U006",
      "Authorization",
    );
  });

  test("A-045, A-046, A-047: the wrong grant is a bare 401 in v3.1", async () => {
    assertBare(await call("GET", `${views}/views`, bearer(lodgeToken)), 401);
    assertBare(await call("DELETE", `${views}/view-consents/1`, bearer(viewToken)), 401);
  });

  test("a token whose consent is over, rejected or replaced is 401", async () => {
    const past = bank.clock.now().subtract({ hours: 1 });
    for (const consent of [{ status: "CANC" }, { status: "AUTH", expiresAt: past }]) {
      const { grantId } = await addConsent(bank, consent);
      const token = await bank.addToken({ kind: "authorization_code", scope: "accounts", grantId });
      assertBare(await call("GET", `${views}/views`, bearer(token)), 401);
    }
    const token = { kind: "authorization_code", scope: "accounts", grantId: "gone" };
    assertBare(await call("GET", `${views}/views`, bearer(await bank.addToken(token))), 401);
  });

  test("A-050: the consent is the one of the token", async () => {
    assert.deepEqual((await getViews()).json(), { Customer: "customer-1" });
  });

  test("a handler that lets nobody in answers nothing", async () => {
    const answer = await call("GET", `${views}/forgetful`, bearer(viewToken));
    assertFault(answer, 500, "U000");
    assert.ok(!answer.body.includes("secret"));
  });

  test("the token is judged before Accept, Content-Type and the body", async () => {
    const headers = { accept: "text/html", "content-type": "x/" };
    assertBare(await call("POST", `${things}/things`, headers, "x".repeat(9000)), 401);
    const foreign = bearer(lodgeToken, headers);
    assert.equal((await call("POST", `${things}/things`, foreign, "{}")).statusCode, 403);
  });
});

describe("media types", () => {
  test("P-015, P-017, A-017, A-018, A-019: a body that is not JSON in UTF-8 is 415", async () => {
    for (const type of [
      "text/plain",
      "application/xml",
      "application/x-www-form-urlencoded",
      "application/jose+jwe",
      "application/json; charset=iso-8859-1",
      "application/json2",
      "nonsense",
      "",
    ]) {
      assertBare(await postThing({ "content-type": type }), 415);
      const headers = bearer(lodgeToken, { "content-type": type });
      assertBare(await call("POST", `${views}/view-consents`, headers, "{}"), 415);
    }
    const untyped = Buffer.from("{}");
    assertBare(await call("POST", `${views}/view-consents`, bearer(lodgeToken), untyped), 415);
    const headers = bearer(payToken, { "x-idempotency-key": "k" });
    assertBare(await call("POST", `${things}/things`, headers, Buffer.from("{}")), 415);
    assertBare(await call("POST", `${things}/things`, headers), 415);
  });

  test("P-016, A-016: charset=utf-8 is accepted, in any spelling", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      'Application/JSON;charset="UTF-8"',
      "application/json ;  charset=UTF-8",
    ]) {
      assert.equal((await postThing({ "content-type": type })).statusCode, 201, type);
    }
  });

  test("A-020, A-021: GET and DELETE ignore Content-Type", async () => {
    const headers = bearer(lodgeToken, { "content-type": "application/json", accept: "*/*" });
    const answer = await call("DELETE", `${views}/view-consents/1`, headers);
    assertBare(answer, 204); // and a 204 has neither body nor type
    assert.equal((await getViews({ "content-type": "text/plain" })).statusCode, 200);
  });

  test("P-018, P-017, A-013, A-014, A-015: JSON that is not accepted is 406", async () => {
    for (const accept of [
      "text/html",
      "application/xml",
      "application/jose+jwe",
      "application/json; charset=iso-8859-1",
      "application/json;q=0, */*",
      "nonsense",
    ]) {
      assertBare(await getViews({ accept }), 406);
      assertBare(await postThing({ accept, "content-type": "text/plain" }), 406);
    }
  });

  test("P-019, A-011, A-012: JSON is served to whoever takes it", async () => {
    for (const accept of [
      "*/*",
      "application/*",
      "application/json",
      "application/json; charset=utf-8",
      "text/html;q=0.5, application/json;q=0.9",
      "text/html, */*;q=0.1",
      "*/*;q=0, application/json",
    ]) {
      const answer = await getViews({ accept });
      assert.equal(answer.statusCode, 200, accept);
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
    }
    assert.equal((await getViews()).statusCode, 200);
  });
});

describe("headers", () => {
  test("P-014, A-005, A-006: x-fapi-auth-date is optional and has one form", async () => {
    for (const value of ["Sun, 10 Sep 2017 19:43:31 GMT", "Sun, 10 Sep 2017 19:43:31 UTC"]) {
      assert.equal((await getViews({ "x-fapi-auth-date": value })).statusCode, 200);
    }
    for (const value of ["2017-09-10T19:43:31Z", "", "Sun, 10 Sep 2017 19:43:31 CET"]) {
      const header = { "x-fapi-auth-date": value };
      assertFault(await getViews(header), 400, "U006", "x-fapi-auth-date");
      assertFault(await postThing(header), 400, "U006", "x-fapi-auth-date");
    }
  });

  test("P-025, A-007, A-008, A-009, A-010: other headers never matter", async () => {
    for (const headers of [
      {},
      { "x-fapi-customer-ip-address": "2001:db8::1" },
      { "x-fapi-customer-ip-address": "203.0.113.7" },
      { "x-fapi-customer-ip-address": "rubbish" },
      { "x-customer-user-agent": "any" },
      { "x-fapi-financial-id": "old", "x-fcs-testcase-id": "1", "x-client-id": "other" },
    ] as Headers[]) {
      assert.equal((await getViews(headers)).statusCode, 200);
      assert.equal((await postThing(headers)).statusCode, 201);
    }
  });

  test("P-029, P-030, A-033, A-034: keys and signatures not wanted are ignored", async () => {
    const headers = { "x-idempotency-key": " ".repeat(50), "x-jws-signature": "rubbish" };
    assert.equal((await getViews(headers)).statusCode, 200);
    const get = await call("GET", `${things}/things/1`, bearer(payToken, headers));
    assert.equal(get.statusCode, 200);
    const json = bearer(lodgeToken, { ...headers, "content-type": "application/json" });
    assert.equal((await call("POST", `${views}/view-consents`, json, "{}")).statusCode, 201);
  });

  test("P-042, P-043, P-044, P-045: the idempotency key is wanted and has 1 to 40 characters", async () => {
    const without = bearer(payToken, { "content-type": "application/json" });
    const answer = await call("POST", `${things}/things`, without, "{}");
    assertFault(answer, 400, "U007", "x-idempotency-key");
    for (const key of ["", " padded", "padded ", "k".repeat(41)]) {
      assertFault(await postThing({ "x-idempotency-key": key }), 400, "U006", "x-idempotency-key");
    }
    for (const key of ["k", "k".repeat(40), "with space"]) {
      assert.equal((await postThing({ "x-idempotency-key": key })).statusCode, 201);
      assert.equal(bank.journal.keys.at(-1), key);
    }
  });
});

describe("bodies", () => {
  test("P-058, A-087: what is no JSON object is 400 U010", async () => {
    for (const body of [
      "",
      "{",
      "[]",
      '"a"',
      "null",
      "1",
      "{'a':1}",
      '{"a":1}x',
      "[".repeat(4000),
    ]) {
      assertFault(await postThing({}, body), 400, "U010");
    }
  });

  test("P-059, A-035: names given twice and bytes that are no UTF-8 are 400 U010", async () => {
    for (const body of [
      '{"a":1,"a":1}',
      '{"x":{"a":1,"b":[{"a":1}],"\\u0061":2}}',
      `{"a":${"[".repeat(70)}${"]".repeat(70)}}`,
    ]) {
      assertFault(await postThing({}, body), 400, "U010");
    }
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const headers = bearer(lodgeToken, { "content-type": "application/json" });
    assertFault(await call("POST", `${views}/view-consents`, headers, bytes), 400, "U010");
    const fine = '{"a":{"a":"{\\"a\\":1}"},"b":{"a":[{"a":1},{"a":2}]},"c":"\\\\"}';
    assert.equal((await postThing({}, fine)).statusCode, 201);
  });

  test("a body above the limit is 413 with an error body, and the connection ends", async () => {
    const answer = await postThing({}, `{"a":"${"x".repeat(5000)}"}`);
    assertFault(answer, 413, "U010");
    assert.equal(answer.headers.connection, "close");
    assert.ok(answer.headers["x-jws-signature"]);
  });
});

describe("answers", () => {
  test("P-026, P-027: signed bodies verify over the exact bytes, errors too", async () => {
    const key = await importJWK(bank.bankJwk, "PS256");
    for (const answer of [
      await postThing(),
      await postThing({ "x-idempotency-key": "" }),
      await call("GET", `${things}/things/1`, bearer(payToken)),
      await call("GET", `${things}/broken`, bearer(payToken)),
    ]) {
      const [protectedHeader = "", empty, signature = ""] = String(
        answer.headers["x-jws-signature"],
      ).split(".");
      assert.equal(empty, "");
      const jws = {
        protected: protectedHeader,
        payload: answer.rawPayload.toString("base64url"),
        signature,
      };
      const crit = Object.fromEntries(Object.values(jwsClaims).map((name) => [name, true]));
      const verified = await flattenedVerify(jws, key, { algorithms: ["PS256"], crit });
      assert.deepEqual(Object.keys(verified.protectedHeader ?? {}).sort(), [
        "alg",
        "crit",
        "cty",
        jwsClaims.issuedAt,
        jwsClaims.issuer,
        jwsClaims.trustAnchor,
        "kid",
        "typ",
      ]);
    }
  });

  test("answers of unsigned operations carry no signature", async () => {
    assert.equal((await getViews()).headers["x-jws-signature"], undefined);
    assert.equal((await getViews()).headers["cache-control"], "no-store");
  });

  test("P-024, A-029: a failure is 500 U000 and tells nothing", async () => {
    const answer = await call("GET", `${things}/broken`, bearer(payToken));
    assertFault(answer, 500, "U000");
    assert.doesNotMatch(answer.body, /select|secret|internal|Error:/);
  });

  test("an inline read costs one statement", async () => {
    let statements = 0;
    const query = bank.database.query;
    bank.database.query = (statement) => {
      statements += 1;
      return query(statement);
    };
    try {
      assert.equal((await getViews()).statusCode, 200);
    } finally {
      bank.database.query = query;
    }
    assert.equal(statements, 1);
  });

  test("what was answered is measured by operation and status", async () => {
    await getViews();
    await postThing({ "x-jws-signature": "rubbish" });
    const { body } = await call("GET", "/metrics");
    assert.match(body, /seconds_count\{api="view-v3.1",operation="ListViews",status="200"\} \d+/);
    assert.match(body, /aldgate_token_failures_total\{api="thing-v4.0"\} \d+/);
    assert.match(body, /aldgate_signature_failures_total\{code="U018"\} \d+/);
    assert.equal((await call("GET", "/health/ready")).json().status, "ready");
    assert.equal((await call("GET", "/health/live")).statusCode, 200);
  });
});

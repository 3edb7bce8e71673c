import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { flattenedVerify, importJWK } from "jose";
import { jwsClaims } from "#src/http/signature/message-signer.ts";
import {
  assertBare,
  assertFault,
  bearer,
  type Caller,
  openCaller,
  things,
  views,
} from "./caller.ts";

let bank: Caller["bank"];
let payToken: string;
let lodgeToken: string;
let call: Caller["call"];
let postThing: Caller["postThing"];
let getViews: Caller["getViews"];

before(async () => {
  ({ bank, payToken, lodgeToken, call, postThing, getViews } = await openCaller());
});
after(() => bank.close());

type Headers = Record<string, string>;

function assertMediaType(answer: LightMyRequestResponse, status: 406 | 415, header: string): void {
  assertFault(answer, status, "U006", header);
  const said = {
    415: /application\/json, in UTF-8/,
    406: /Send Accept: application\/json, or leave/,
  };
  assert.match(answer.body, said[status]);
  if (status === 415) assert.equal(answer.headers.accept, "application/json");
}

describe("media types", () => {
  test("P-015, P-017, A-017, A-018, A-019: a body that is not JSON in UTF-8 is 415, which names JSON", async () => {
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
      assertMediaType(await postThing({ "content-type": type }), 415, "Content-Type");
      const headers = bearer(lodgeToken, { "content-type": type });
      assertMediaType(
        await call("POST", `${views}/view-consents`, headers, "{}"),
        415,
        "Content-Type",
      );
    }
    const untyped = Buffer.from("{}");
    assertMediaType(
      await call("POST", `${views}/view-consents`, bearer(lodgeToken), untyped),
      415,
      "Content-Type",
    );
    const headers = bearer(payToken, { "x-idempotency-key": "k" });
    assertMediaType(
      await call("POST", `${things}/things`, headers, Buffer.from("{}")),
      415,
      "Content-Type",
    );
    assertMediaType(await call("POST", `${things}/things`, headers), 415, "Content-Type");
  });

  test("P-016, A-016: charset=utf-8 is accepted in any notation", async () => {
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
    assertBare(answer, 204); // a 204 has neither body nor media type
    assert.equal((await getViews({ "content-type": "text/plain" })).statusCode, 200);
  });

  test("P-018, P-017, A-013, A-014, A-015: an Accept header that excludes JSON is 406, which names JSON", async () => {
    for (const accept of [
      "text/html",
      "application/xml",
      "application/jose+jwe",
      "application/json; charset=iso-8859-1",
      "application/json;q=0, */*",
      "nonsense",
    ]) {
      assertMediaType(await getViews({ accept }), 406, "Accept");
      assertMediaType(await postThing({ accept, "content-type": "text/plain" }), 406, "Accept");
    }
  });

  test("P-019, A-011, A-012: JSON is sent if Accept allows it or is absent", async () => {
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
  test("P-014, A-005, A-006: x-fapi-auth-date is optional and has one format", async () => {
    for (const value of ["Sun, 10 Sep 2017 19:43:31 GMT", "Sun, 10 Sep 2017 19:43:31 UTC"]) {
      assert.equal((await getViews({ "x-fapi-auth-date": value })).statusCode, 200);
    }
    for (const value of ["2017-09-10T19:43:31Z", "", "Sun, 10 Sep 2017 19:43:31 CET"]) {
      const header = { "x-fapi-auth-date": value };
      assertFault(await getViews(header), 400, "U006", "x-fapi-auth-date");
      assertFault(await postThing(header), 400, "U006", "x-fapi-auth-date");
    }
  });

  test("P-025, A-007, A-008, A-009, A-010: unknown headers are ignored", async () => {
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

  test("P-029, P-030, A-033, A-034: unneeded idempotency keys and signatures are ignored", async () => {
    const headers = { "x-idempotency-key": " ".repeat(50), "x-jws-signature": "rubbish" };
    assert.equal((await getViews(headers)).statusCode, 200);
    const get = await call("GET", `${things}/things/1`, bearer(payToken, headers));
    assert.equal(get.statusCode, 200);
    const json = bearer(lodgeToken, { ...headers, "content-type": "application/json" });
    assert.equal((await call("POST", `${views}/view-consents`, json, "{}")).statusCode, 201);
  });

  test("P-042, P-043, P-044, P-045: a missing idempotency key, or one that is not 1 to 40 characters long, is refused", async () => {
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
  test("P-058, A-087: a body that is not a JSON object is 400 U010", async () => {
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

  test("P-058: a body that is not JSON is told where it stops being JSON, and what would fit", async () => {
    const broken = "found a string that is not closed or has a wrong character";
    for (const [body, message] of [
      ['{"a":1,}', "expected a member's name in double quotes at byte 8, but found `}`"],
      ['{"\u00e9":[1 2]}', "expected `,` or the closing bracket at byte 10, but found `2`"],
      ['{"a":[1,', "expected a value at byte 9, but it ends"],
      ['{"a" 1}', "expected `:` at byte 6, but found `1`"],
      ['{"a":tru}', "expected a value at byte 6, but found `t`"],
      ['{"a":\u202e1}', "expected a value at byte 6, but found U+202E"],
      ["{} x", "expected the end at byte 4, but found `x`"],
      [`{"a":"${"x".repeat(4000)}`, `expected a value at byte 6, but ${broken}`],
      [`{"a":"${"\\".repeat(4001)}"}`, `expected a value at byte 6, but ${broken}`],
      ['{"a":"b\n"}', `expected a value at byte 6, but ${broken}`],
    ] as const) {
      const answer = await postThing({}, body);
      assertFault(answer, 400, "U010");
      assert.ok(answer.body.includes(JSON.stringify(message).slice(1, -1)), answer.body);
    }
  });

  test("P-059, A-035: a repeated member, and bytes that are not UTF-8, are 400 U010", async () => {
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

describe("responses", () => {
  test("P-026, P-027: signatures of responses and errors verify over their exact bytes", async () => {
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

  test("responses of unsigned operations have no signature", async () => {
    assert.equal((await getViews()).headers["x-jws-signature"], undefined);
    assert.equal((await getViews()).headers["cache-control"], "no-store");
  });

  test("P-024, A-029: an internal failure is 500 U000 and reveals no details", async () => {
    const answer = await call("GET", `${things}/broken`, bearer(payToken));
    assertFault(answer, 500, "U000");
    assert.doesNotMatch(answer.body, /select|secret|internal|Error:/);
  });

  test("a read, with the check of its caller, costs one statement", async () => {
    const { query, read } = bank.database;
    let statements = 0;
    const counted =
      (run: typeof query): typeof query =>
      (statement) => {
        statements += 1;
        return run(statement);
      };
    Object.assign(bank.database, { query: counted(query), read: counted(read) });
    try {
      assert.equal((await getViews()).statusCode, 200);
    } finally {
      Object.assign(bank.database, { query, read });
    }
    assert.equal(statements, 1);
  });

  test("responses are counted and timed by operation and status", async () => {
    await getViews();
    await postThing({ "x-jws-signature": "rubbish" });
    assertBare(await call("GET", `${things}/things/1`), 401);
    const body = await bank.kit.metrics.render();
    assert.match(body, /seconds_count\{api="aisp-v3.1",operation="ListViews",status="200"\} \d+/);
    assert.match(body, /aldgate_token_failures_total\{api="pisp-v4.0"\} \d+/);
    assert.match(body, /aldgate_signature_failures_total\{code="U018"\} \d+/);
  });
});

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  assertBare,
  assertFault,
  bearer,
  type Caller,
  openCaller,
  things,
  uuid,
  views,
} from "./caller.ts";
import { addConsent, sign } from "./fake-bank.ts";

const id = "1f4c2c0e-6a51-4f59-9a2e-111111111111";

let bank: Caller["bank"];
let payToken: string;
let viewToken: string;
let lodgeToken: string;
let call: Caller["call"];
let postThing: Caller["postThing"];
let getViews: Caller["getViews"];

before(async () => {
  ({ bank, payToken, viewToken, lodgeToken, call, postThing, getViews } = await openCaller());
});
after(() => bank.close());

type Headers = Record<string, string>;

describe("interaction id", () => {
  test("P-010, A-001: a UUID is returned unchanged, with every status", async () => {
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

  test("P-011, A-002, A-003: without an interaction id, every response has a new UUID", async () => {
    const seen = new Set();
    for (const url of [`${things}/nothing`, `${things}/things/1`, "/api", "/api/%zz", "/api/x"]) {
      const answer = await call("GET", url);
      assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid, url);
      seen.add(answer.headers["x-fapi-interaction-id"]);
    }
    assert.equal(seen.size, 5);
  });

  test("P-012: one interaction id can be used for many requests", async () => {
    for (let count = 0; count < 3; count++) {
      assert.equal((await postThing({ "x-fapi-interaction-id": id })).statusCode, 201);
    }
  });

  test("P-013: v4.0 refuses an interaction id that is not a UUID before it checks the token, and returns a new UUID", async () => {
    const answer = await call("GET", `${things}/things/1`, { "x-fapi-interaction-id": "run-7" });
    assertFault(answer, 400, "U006", "x-fapi-interaction-id");
    assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid);
    assert.ok(answer.headers["x-jws-signature"]);
  });

  test("A-004: v3.1 returns any printable interaction id of up to 128 characters", async () => {
    for (const value of ["run-7", "x".repeat(128)]) {
      const answer = await getViews({ "x-fapi-interaction-id": value });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers["x-fapi-interaction-id"], value);
      const missing = await call("GET", `${views}/no`, { "x-fapi-interaction-id": value });
      assert.equal(missing.headers["x-fapi-interaction-id"], value);
    }
  });

  test("A-004: v3.1 checks the token, then refuses other interaction ids and returns a new UUID", async () => {
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
  test("P-020, A-022, A-023: a wrong method is 405, and Allow and the body name the methods", async () => {
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
      assert.equal(answer.headers.allow, allow);
      if (method === "HEAD") {
        assert.equal(answer.statusCode, 405); // Node sends no body of a HEAD
        continue;
      }
      assertFault(answer, 405, "U011");
      assert.ok(answer.body.includes(`It has: ${allow}.`), answer.body);
      assert.equal(Boolean(answer.headers["x-jws-signature"]), url.startsWith(things));
    }
    const put = await call("PUT", `${things}/things`, { "content-type": "x/" }, "{");
    assertFault(put, 405, "U011");
  });

  test("P-021, A-027, A-037, F-057, F-058: the body of a 404 names what the bank serves instead", async () => {
    const bases = "The bank serves /api/open-banking/v3.1/view, /api/open-banking/v4.0/thing";
    for (const [url, words] of [
      [`${things}/thing`, "has no such path. Similar paths: /things, /things/{ThingId}."],
      [`${things}/x${"y".repeat(3000)}`, "v4.0 has no such path. It serves /broken"],
      [`${things}/things/1/more`, "has no such path. Similar paths: /things, /things/{ThingId}."],
      [`${views}/views/1`, "has no such path."],
      [`${views}/none`, "v3.1 has no such path. It serves /self, /view-consents, /views."],
      ["/api/open-banking/v3.1.11/view/views", "The version in this path of"],
      ["/api/open-banking/v3.1.11/view/views/", "does not serve this path. v3.1 does."],
      ["/api/open-banking/v4.0.1/thing/things/1?a=1", "does not serve this path. v4.0 does."],
      ["/api/open-banking/v4/thing/none", "There is no v4 of "],
      [
        "/api/open-banking/thing/v4.0/things/1?a=1",
        "API: /api/open-banking/v4.0/thing/things/{ThingId}.",
      ],
      ["/api/open-banking/view/v3.1/none", "before the API: /api/open-banking/v3.1/view."],
      ["/api/open-banking/view/v9/views/", "before the API: /api/open-banking/v3.1/view/views."],
      ["/api/open-banking/thing/things", bases],
      ["/api/open-banking/v4.0/other/things", bases],
      ["/api/<b>", bases],
      ["/api", bases],
    ] as const) {
      for (const method of ["GET", "POST"]) {
        const answer = await call(method, url, bearer(viewToken));
        assertFault(answer, 404, "U011");
        assert.ok(answer.body.includes(words), `${url}: ${answer.body}`);
        assert.ok(!answer.body.includes("<b>"));
      }
    }
    assertBare(await call("GET", "/api/%zz", bearer(viewToken)), 404);
  });

  test("A-036: a trailing slash changes nothing", async () => {
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

  test("a path parameter of 128 characters reaches its handler", async () => {
    const long = "a".repeat(128);
    const answer = await call("GET", `${things}/things/${long}`, bearer(payToken));
    assert.equal(answer.json().id, long);
  });
});

describe("token, grant and scope", () => {
  test("P-001, P-002, A-040, A-041, A-042, A-049, A-051: a missing or unusable token is 401 without a body", async () => {
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

  test("the authorization scheme is case-insensitive", async () => {
    const answer = await call("GET", `${views}/views`, { authorization: `bEARER ${viewToken}` });
    assert.equal(answer.statusCode, 200);
  });

  test("P-003, A-043, F-062: the 401 for an expired token has a signed body in v4 and none in v3.1", async () => {
    const expiresAt = bank.clock.now().subtract({ seconds: 1 });
    const old = await bank.addToken({ expiresAt });
    const answer = await call("GET", `${things}/things/1`, bearer(old));
    assertFault(answer, 401, "TKXP", "Authorization");
    assert.ok(answer.headers["x-jws-signature"]);
    const oldLodge = await bank.addToken({ expiresAt, scope: "accounts" });
    const headers = bearer(oldLodge, { "content-type": "application/json" });
    assertBare(await call("POST", `${views}/view-consents`, headers, "{}"), 401);
  });

  test("P-004, A-048: a token of another certificate or address is 401", async () => {
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

  test("P-009: a token of the wrong grant is 403 in v4.0", async () => {
    const { grantId } = await addConsent(bank);
    const customer = await bank.addToken({ kind: "authorization_code", grantId });
    assertFault(
      await call("GET", `${things}/things/1`, bearer(customer)),
      403,
      "U006",
      "Authorization",
    );
  });

  test("A-045, A-046, A-047: a token of the wrong grant is 401 without a body in v3.1", async () => {
    assertBare(await call("GET", `${views}/views`, bearer(lodgeToken)), 401);
    assertBare(await call("DELETE", `${views}/view-consents/1`, bearer(viewToken)), 401);
  });

  test("a token whose consent has ended, was rejected or was replaced is 401", async () => {
    const past = bank.clock.now().subtract({ hours: 1 });
    for (const consent of [{ status: "CANC" }, { status: "AUTH", expiresAt: past }]) {
      const { grantId } = await addConsent(bank, consent);
      const token = await bank.addToken({ kind: "authorization_code", scope: "accounts", grantId });
      assertBare(await call("GET", `${views}/views`, bearer(token)), 401);
    }
    const token = { kind: "authorization_code", scope: "accounts", grantId: "gone" };
    assertBare(await call("GET", `${views}/views`, bearer(await bank.addToken(token))), 401);
  });

  test("A-050: a request uses the consent of its token", async () => {
    assert.deepEqual((await getViews()).json(), { Customer: "customer-1" });
  });

  test("what an operation loads is read for admitted callers only", async () => {
    const { journal } = bank;
    const before = { reads: journal.reads, handled: journal.baseUrls.length };
    await call("GET", `${views}/views`);
    await call("GET", `${views}/views`, bearer("unknown"));
    await call("GET", `${views}/views`, bearer(lodgeToken));
    await call("GET", `${views}/views`, bearer(viewToken, { accept: "text/html" }));
    assert.equal(journal.reads, before.reads);
    assert.equal(journal.baseUrls.length, before.handled);
    await getViews();
    assert.equal(journal.reads, before.reads + 1);
    assert.equal(journal.baseUrls.length, before.handled + 1);
  });

  test("the token is checked before Accept, Content-Type and the body", async () => {
    const headers = { accept: "text/html", "content-type": "x/" };
    assertBare(await call("POST", `${things}/things`, headers, "x".repeat(9000)), 401);
    const foreign = bearer(lodgeToken, headers);
    assert.equal((await call("POST", `${things}/things`, foreign, "{}")).statusCode, 403);
  });
});

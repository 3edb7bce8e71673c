import assert from "node:assert/strict";
import { test } from "node:test";
import { createRateLimiter } from "#src/http/refusal/rate-limit.ts";
import { openFakeBank } from "./fake-bank.ts";

test("a bucket loses one token per request and refills over time, separately per client and group", () => {
  const limiter = createRateLimiter(2);
  const aisp = limiter.group("aisp");
  const pisp = limiter.group("pisp");
  assert.ok(aisp && pisp);
  assert.equal(limiter.group("aisp"), aisp);
  assert.deepEqual(aisp.take("a", 0), { allowed: true, left: 1, seconds: 1 });
  assert.deepEqual(aisp.take("a", 0), { allowed: true, left: 0, seconds: 1 });
  assert.deepEqual(aisp.take("a", 0), { allowed: false, left: 0, seconds: 1 });
  assert.equal(aisp.take("b", 0).allowed, true);
  assert.equal(pisp.take("a", 0).allowed, true);
  assert.equal(aisp.take("a", 499).allowed, false);
  assert.equal(aisp.take("a", 500).allowed, true);
  assert.equal(aisp.take("a", 400).allowed, false, "a clock that goes back adds no tokens");
  assert.deepEqual(aisp.take("a", 60_000), { allowed: true, left: 1, seconds: 1 });
});

test("a limit of 0 means unlimited", () => {
  assert.equal(createRateLimiter(0).group("aisp"), null);
});

test("a client whose bucket is full again uses no memory", () => {
  const buckets = createRateLimiter(1).group("g");
  for (let client = 0; client < 25_000; client++) {
    assert.equal(buckets?.take(`c${client}`, client * 10).allowed, true);
  }
});

test("P-023, A-028, D-401-06: too many requests are 429 with Retry-After", async () => {
  const bank = await openFakeBank({ perSecond: 2 });
  try {
    const token = await bank.addToken({});
    const other = await bank.addToken({ clientId: bank.otherTpp.clientId });
    const get = (bearer: string, headers = {}) =>
      bank.app.inject({
        url: "/api/open-banking/v4.0/thing/things/1",
        headers: { authorization: `Bearer ${bearer}`, ...headers },
      });
    const answers = await Promise.all([get(token), get(token), get(token), get(token)]);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    assert.ok(refused);
    assert.equal(refused.body, "");
    assert.equal(refused.headers["retry-after"], "1");
    assert.equal(refused.headers["ratelimit-policy"], '"thing";q=2;w=1');
    assert.equal(refused.headers.ratelimit, '"thing";r=0;t=1');
    assert.ok(refused.headers["x-fapi-interaction-id"]);
    const served = await get(other, { "x-client-id": bank.tpp.clientId });
    assert.equal(served.statusCode, 200);
    assert.equal(served.headers.ratelimit, '"thing";r=1;t=1');
    const refusedEarly = await get("unknown");
    assert.equal(refusedEarly.headers.ratelimit, undefined);
    bank.clock.advance({ seconds: 2 });
    assert.equal((await get(token, { accept: "text/html" })).statusCode, 406);
  } finally {
    await bank.close();
  }
});

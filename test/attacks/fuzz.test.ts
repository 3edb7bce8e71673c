import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { paymentKinds } from "#src/payments/kinds/payment-kinds.ts";
import { listOperations } from "#src/server/list-operations.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { createDraw } from "./fuzz/draw.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { mutateStructure, toJson } from "./fuzz/mutate-body.ts";
import { createOracle } from "./fuzz/oracle.ts";
import type { Hit, Shot } from "./fuzz/shot.ts";

// The short form. `npm run soak -- fuzz` sends 100,000 requests to a bank in a separate process.

let bank: TestBank;
before(async () => {
  bank = await openBank({ EVENT_LONG_POLL_SECONDS: 1, REGISTRATION_PER_MINUTE: 0 });
});
after(() => bank?.close());

test("1,500 hostile requests to APIs, OAuth and registration endpoints and pages get only declared responses", async () => {
  const { findings, sent, statuses, origins } = await fuzz(bank, {
    requests: 1500,
    seed: 20261122,
  });
  const lines = findings.map(({ fault, count, first }) => `${count} times: ${fault}\n    ${first}`);
  assert.deepEqual(lines, [], lines.join("\n"));
  assert.ok(sent >= 1500);
  // requests get past the first checks and reach the whole interface
  for (const status of [200, 201, 400, 401, 404]) assert.ok(statuses.has(status), `${status}`);
  for (const method of ["POST", "PUT", "GET", "DELETE"]) {
    assert.ok(origins.has(`${method} /register`), `${method} /register`);
  }
  assert.ok(origins.size > 80, `${origins.size} kinds of request`);
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

test("the fuzzer makes the same body from the same seed and number", () => {
  const make = (seed: number): string => {
    const body = { Data: { Initiation: { Amount: "1.00" } }, Risk: {} };
    mutateStructure(body, createDraw(seed, 7));
    return toJson(body);
  };
  assert.equal(make(1), make(1));
  assert.notEqual(make(1), make(2));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createResponseCheck } from "./published-responses.ts";

const both = { "x-fapi-interaction-id": "8c2d1f5e", "x-jws-signature": "a..b" };
const plain = { "x-fapi-interaction-id": "8c2d1f5e" };
const accounts = "/api/open-banking/v3.1/aisp/accounts";
const funds = "/api/open-banking/v4.0/pisp/domestic-payment-consents/c1/funds-confirmation";
const error = { Errors: [{ ErrorCode: "U009", Message: "UK.OBIE.Resource - no" }] };
const enough = {
  FundsAvailableResult: {
    FundsAvailableDateTime: "2026-11-21T09:30:00+00:00",
    FundsAvailable: true,
  },
};

const cases: [
  fact: string,
  url: string,
  status: number,
  headers: object,
  body: unknown,
  RegExp?,
][] = [
  ["a correct response", funds, 200, both, { Data: enough, Links: { Self: "https://b.example" } }],
  ["an unsigned response", funds, 200, plain, { Data: enough }, /x-jws-signature is missing/],
  ["an additional member", funds, 200, both, { Data: enough, Risk: {} }, /additional propert/],
  [
    "a missing time zone",
    funds,
    200,
    both,
    {
      Data: {
        FundsAvailableResult: {
          FundsAvailableDateTime: "2026-11-21T09:30:00",
          FundsAvailable: true,
        },
      },
    },
    /date-time/,
  ],
  ["an error", funds, 400, both, error],
  ["an error without errors", funds, 400, both, { Errors: [] }, /fewer than 1 items/],
  ["an undeclared status", funds, 409, both, error, /not declared/],
  ["too many requests, with the time to wait", accounts, 429, { ...plain, "retry-after": "1" }, ""],
  ["an outage, with the time to wait", funds, 503, { ...both, "retry-after": "5" }, error],
  ["an outage without the time to wait", funds, 503, both, error, /retry-after is missing/],
  [
    "an outage in another format",
    accounts,
    503,
    { ...plain, "retry-after": "5" },
    { error: "down" },
    /Errors|required propert/,
  ],
  ["an expired token with its reason", funds, 401, plain, error],
  ["a 401 without a body", funds, 401, plain, ""],
  ["a missing interaction id", funds, 401, {}, "", /x-fapi-interaction-id is missing/],
  [
    "an empty list at a path with a trailing slash",
    `${accounts}/?x=1`,
    200,
    plain,
    { Data: { Account: [] } },
  ],
  ["an empty body", accounts, 200, plain, "", /no body/],
  ["a 403 without a body", accounts, 403, plain, "", /no body/],
  ["an unpublished path", "/sandbox/v1/clock", 200, {}, {}],
];

for (const [fact, url, status, headers, body, fault] of cases) {
  test(`the published file ${fault ? "forbids" : "allows"} ${fact}`, () => {
    const faults = createResponseCheck()({
      method: "GET",
      url,
      status,
      headers: new Headers(headers as Record<string, string>),
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    if (!fault) assert.deepEqual(faults, []);
    else
      assert(
        faults.some((text) => fault.test(text)),
        faults.join("; "),
      );
  });
}

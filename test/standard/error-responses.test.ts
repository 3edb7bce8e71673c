import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema, judge } from "#src/http/validate.ts";
import { errorNames } from "#src/standard/aisp-v3.1/error-codes.ts";
import * as v3 from "#src/standard/aisp-v3.1/error-response.ts";
import { errorCodes } from "#src/standard/pisp-v4.0/error-codes.ts";
import * as v4 from "#src/standard/pisp-v4.0/error-response.ts";

const id = "8c2d1f5e-0b6a-4f0e-9a55-5d0c3a1b2c3d";
const faults = [
  { code: "U004", message: "is missing and must be sent", path: "Data.Initiation" },
  { code: "U029", message: "Use a new key.", path: "x-idempotency-key", url: "https://x.example" },
];

test("a v4 error has four characters of code and its long name in the message", () => {
  const body = v4.renderErrorResponse(faults, id);
  assert.deepEqual(body, {
    Id: id,
    Errors: [
      {
        ErrorCode: "U004",
        Message: "UK.OBIE.Field.Missing - is missing and must be sent",
        Path: "Data.Initiation",
      },
      {
        ErrorCode: "U029",
        Message: "UK.OBIE.Rules.ResourceAlreadyExists - Use a new key.",
        Path: "x-idempotency-key",
        Url: "https://x.example",
      },
    ],
  });
  assert.deepEqual(judge(compileSchema(v4.errorResponse), body), []);
});

test("A-030: a v3 error has the status in words, and the long name as its code", () => {
  const body = v3.renderErrorResponse(400, faults.slice(0, 1), id);
  assert.deepEqual(body, {
    Code: "400 BadRequest",
    Id: id,
    Message: "Request is not valid",
    Errors: [
      {
        ErrorCode: "UK.OBIE.Field.Missing",
        Message: "is missing and must be sent",
        Path: "Data.Initiation",
      },
    ],
  });
  assert.deepEqual(judge(compileSchema(v3.errorResponse), body), []);
});

test("every code of ours makes a body that fits, in both versions", () => {
  const [fourth, third] = [compileSchema(v4.errorResponse), compileSchema(v3.errorResponse)];
  for (const code of [...Object.keys(errorCodes), ...Object.keys(errorNames), "0081"]) {
    const long = [{ code, message: "x".repeat(900), path: "p".repeat(900) }];
    const empty = [{ code, message: "", path: "" }];
    for (const given of [long, empty]) {
      assert.deepEqual(judge(fourth, v4.renderErrorResponse(given, "")), [], code);
      const body = v3.renderErrorResponse(403, given, "i".repeat(128));
      assert.deepEqual(judge(third, body), [], code);
    }
  }
});

test("without a fault there is no body", () => {
  assert.equal(v4.renderErrorResponse([], id), null);
  assert.equal(v3.renderErrorResponse(401, [], id), null);
});

test("codes have four characters; refusals have the status of an error", () => {
  for (const [code, { name, status, text }] of Object.entries(errorCodes)) {
    assert.match(code, /^[A-Z0-9]{4}$/);
    assert(status === 0 || (status >= 400 && status < 600), code);
    assert(name.length > 0 && text.length > 0, code);
  }
});

test("P-003, P-101: an expired token is 401 TKXP, an unknown resource 400 U011", () => {
  assert.equal(errorCodes.TKXP?.status, 401);
  assert.equal(errorCodes.U011?.status, 400);
});

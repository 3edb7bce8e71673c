import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, forbidden, refusal } from "#src/http/api-error.ts";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { explanationCodes, refusalCodes } from "#src/standard/error-codes.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";

const id = "8c2d1f5e-0b6a-4f0e-9a55-5d0c3a1b2c3d";
const versions: readonly ApiVersion[] = [pispV31, pispV40, aispV31];

test("a v4 error has a code of four characters, and its long name in the message", () => {
  const faults = [
    { code: "U004", message: "This field is missing. Send it.", path: "Data.Initiation" },
    { code: "U029", message: "Use a new key.", path: "x-idempotency-key", url: "https://x.test" },
  ] as const;
  const body = pispV40.errors.render({ status: 400, faults }, id);
  assert.deepEqual(body, {
    Id: id,
    Errors: [
      {
        ErrorCode: "U004",
        Message: "UK.OBIE.Field.Missing - This field is missing. Send it.",
        Path: "Data.Initiation",
      },
      {
        ErrorCode: "U029",
        Message: "UK.OBIE.Rules.ResourceAlreadyExists - Use a new key.",
        Path: "x-idempotency-key",
        Url: "https://x.test",
      },
    ],
  });
});

test("A-030: a v3 error has the status in words, and the long name as its code", () => {
  const faults = [
    { code: "U004", message: "This field is missing.", path: "Data.Permissions" },
  ] as const;
  assert.deepEqual(aispV31.errors.render({ status: 400, faults }, id), {
    Code: "400 BadRequest",
    Id: id,
    Message: "Request is not valid",
    Errors: [
      {
        ErrorCode: "UK.OBIE.Field.Missing",
        Message: "This field is missing.",
        Path: "Data.Permissions",
      },
    ],
  });
});

for (const { id: version, errors } of versions) {
  test(`${version}: every fault, with each of its statuses, makes a body that is valid against the schema`, () => {
    const schema = compileSchema(errors.schema);
    for (const [code, row] of Object.entries(errors.table)) {
      for (const status of Object.keys(row.codes).map(Number)) {
        const fault = { code: code as FaultCode, path: "p".repeat(900) };
        for (const message of ["x".repeat(900), ""]) {
          const body = errors.render({ status, faults: [{ ...fault, message }] }, "i".repeat(128));
          assert.deepEqual(judge(schema, body), [], `${code} with ${status}`);
        }
      }
    }
  });
}

test("P-003, P-050, P-101, A-127: the table of error codes lists the statuses of each code", () => {
  const statuses = (code: FaultCode) => Object.keys(pispV40.errors.table[code].codes).map(Number);
  assert.deepEqual(statuses("TKXP"), [401]);
  assert.deepEqual(statuses("U006"), [400, 403, 406, 415]);
  assert.deepEqual(statuses("U011"), [400, 403, 404, 405]);
  assert.deepEqual(statuses("U028"), [403]);
  assert.deepEqual(statuses("U029"), [400, 409, 422]);
  assert.equal(aispV31.errors.table.U011.codes[403], "GB.Aldgate.AccessDenied");
  assert.equal(aispV31.errors.table.U028.codes[403], "UK.OBIE.Reauthenticate");
});

test("P-003, A-043: a 401 has a body in v4 and none in v3.1", () => {
  assert(pispV40.errors.withBody.has(401));
  assert(!aispV31.errors.withBody.has(401));
});

test("published error codes have four characters, and refusals have an error status", () => {
  for (const [code, { name, text }] of Object.entries({ ...refusalCodes, ...explanationCodes })) {
    assert.match(code, /^[A-Z0-9]{4}$/);
    assert(name.length > 0 && text.length > 0, code);
  }
  for (const [code, { statuses }] of Object.entries(refusalCodes)) {
    assert(
      statuses.every((status) => status >= 400 && status < 600),
      code,
    );
  }
});

// The error table has no row for these refusals, so they compile only because of the directive.
test("a refusal whose code lacks the status in the error table does not compile", () => {
  const make = [
    // @ts-expect-error: the code does not exist
    () => refusal("U999", "Data", "unknown"),
    // @ts-expect-error: the code explains a status and is never a refusal
    () => refusal("U036", "Data", "an explanation"),
    // @ts-expect-error: a failed authentication of the customer is 403
    () => refusal("U028", "Data", "another status"),
    // @ts-expect-error: a missing field is 400
    () => forbidden("U004", "Data", "another status"),
    // @ts-expect-error: a missing field does not conflict with anything
    () => new ApiError(409, [{ code: "U004", message: "another status" }]),
    // @ts-expect-error: 429 is not explained
    () => new ApiError(429, [{ code: "U011", message: "unknown" }]),
  ];
  for (const one of make) assert(one() instanceof ApiError);
});

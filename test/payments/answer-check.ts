import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { type CompiledSchema, compileSchema, judge } from "#src/http/body/validate.ts";
import type { Operation } from "#src/http/operation.ts";
import { operationFinder } from "#src/http/register-operations.ts";
import { inheritedFromV3, overrides } from "#src/standard/pisp-v4.0/judgement.ts";
import { judgement } from "#src/standard/shared/judgement.ts";
import { publishedFiles } from "#test/standard/published.ts";
import { createResponseCheck } from "#test/standard/published-responses.ts";

// A JSON value whose members a test reads.
// biome-ignore lint/suspicious/noExplicitAny: assertions on members fail where they are absent
export type Json = any;

// the limit of arrays is for requests
const unlimited = { mostItems: Number.POSITIVE_INFINITY };

/** The response to a TPP. */
export type Answer = { status: number; body: Json; headers: Record<string, unknown> };

type Injected = { statusCode: number; payload: string; headers: Record<string, unknown> };

/** Checks a response, and returns the parts that tests read. */
export type CheckAnswer = (method: string, url: string, injected: Injected) => Answer;

// Members that the published file forbids in a response, but which a response repeats if the TPP
// sent them, because requests are read leniently and echoed exactly.
const echoed = [
  // an integer, as in v4.0. Source: D-401-30
  /\/ReferredDocumentAmount must be string/,
  // the value Multiple, which the published responses of some kinds lack. Source: D-401-25
  /\/AuthorisationType must be equal to one of the allowed values/,
  // the free text of a v3.1 consent. Source: V-170
  /\/PaymentPurposeCode must be equal to one of the allowed values/,
];

/**
 * Derives the schema of responses, which repeat the values of a request that only lenient reading
 * accepts, and the deprecated values of v3.1 consents.
 */
export const echoedBy = judgement([
  ...inheritedFromV3,
  ...overrides.filter(({ strictness }) => strictness === "laxer"),
]);

/** Whether a fault exists only because the response repeats the TPP's request. */
export const isEchoed = (fault: string): boolean => echoed.some((pattern) => pattern.test(fault));

// errors of token, headers, signature and body, which the API kit reports for every operation
const kitCodes = [
  ...(["TKSP", "TKXP", "U000", "U006", "U007", "U010"] as const),
  ...(["U015", "U016", "U017", "U018", "U019"] as const),
];

/**
 * Makes the check of a front's responses, by its operations' declarations and the published file.
 */
export function createAnswerCheck(operations: Operation[]): CheckAnswer {
  const published = createResponseCheck({
    "pisp-v3.1": publishedFiles["pisp-v3.1"],
    "pisp-v4.0": publishedFiles["pisp-v4.0"],
  });
  const findOperation = operationFinder(operations);
  return (method, url, { statusCode: status, payload, headers }) => {
    const flat = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const faults = published({ method, url, status, headers: flat, body: payload });
    const meant = faults.filter((fault) => !isEchoed(fault));
    assert.deepEqual(meant, [], `the answer is as published: ${payload}`);
    const isJson = String(headers["content-type"]).includes("json");
    const body: Json = payload === "" ? undefined : isJson ? JSON.parse(payload) : payload;
    const operation = findOperation(method, url.split("?")[0] ?? "")?.operation;
    if (operation) checkDeclared(operation, status, body);
    return { status, body, headers };
  };
}

const answerSchemas = new WeakMap<object, CompiledSchema>();

/** The schema of the bodies that an operation returns, compiled once. */
function answerSchema(published: TSchema): CompiledSchema {
  const known = answerSchemas.get(published);
  if (known) return known;
  const compiled = compileSchema(echoedBy(published, { strictOas: false }), unlimited);
  answerSchemas.set(published, compiled);
  return compiled;
}

function checkDeclared(operation: Operation, status: number, body: Json): void {
  if (status < 300) {
    assert.equal(status, operation.success.status);
    const { schema: published, contentTypes } = operation.success;
    // a file has no schema: it is returned as sent, or is in another format
    if (contentTypes) return;
    if (published === null) {
      assert.equal(body, undefined);
      return;
    }
    const faults = judge(answerSchema(published), body);
    assert.deepEqual(faults, [], `${operation.operationId} answers by its schema`);
  } else if (body !== undefined) {
    const { table } = operation.api.errors;
    const codes = [...(operation.refusals[status as 400] ?? []), ...kitCodes];
    const declared = codes.flatMap((code) => Object.values(table[code].codes));
    for (const { ErrorCode, Message } of body.Errors) {
      // P-027, D-401-15
      assert.match(Message, /^.{1,500}$/s);
      assert(declared.includes(ErrorCode), `${ErrorCode} is declared: ${JSON.stringify(body)}`);
    }
  }
}

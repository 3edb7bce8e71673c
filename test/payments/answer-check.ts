import assert from "node:assert/strict";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import type { Operation } from "#src/http/operation.ts";
import { judgedBy } from "#src/standard/pisp-v4.0/judgement.ts";
import type { StatusVocabulary } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { createResponseCheck } from "#test/standard/published-responses.ts";

// A JSON value that a test looks into.
// biome-ignore lint/suspicious/noExplicitAny: assertions on members fail where they are absent
export type Json = any;

/** What a TPP was answered. */
export type Answer = { status: number; body: Json; headers: Record<string, unknown> };

type Injected = { statusCode: number; payload: string; headers: Record<string, unknown> };

/** Holds an answer against what it must be, and gives what tests look at. */
export type CheckAnswer = (method: string, url: string, injected: Injected) => Answer;

const publishedIn = {
  "4.0.1": "payment-initiation-v4.0.1.json",
  "4.0.0-u4": "payment-initiation-v4.0.json",
} as const satisfies Record<StatusVocabulary, string>;

// What the published file forbids in an answer and yet is there when the TPP has sent it: lenient
// reading, exact echo.
const echoed = [
  // an integer, as v4.0 had it. Source: D-401-30
  /\/ReferredDocumentAmount must be string/,
  // Multiple, of which the published answers of some kinds do not know. Source: D-401-25
  /\/AuthorisationType must be equal to one of the allowed values/,
];

/** Whether a fault is one that only what the TPP sent, and the answer repeats, can cause. */
export const isEchoed = (fault: string): boolean => echoed.some((pattern) => pattern.test(fault));

// of token, headers, signature and body: what the kit judges before any operation
const kitCodes = "TKXP U000 U006 U007 U010 U015 U016 U017 U018 U019".split(" ");

/** The check of one front's answers: by what its operations declare and what is published. */
export function createAnswerCheck(
  operations: Operation[],
  vocabulary: StatusVocabulary,
): CheckAnswer {
  const published = createResponseCheck({ "pisp-v4.0": publishedIn[vocabulary] });
  return (method, url, { statusCode: status, payload, headers }) => {
    const flat = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const faults = published({ method, url, status, headers: flat, body: payload });
    const meant = faults.filter((fault) => !isEchoed(fault));
    assert.deepEqual(meant, [], `the answer is as published: ${payload}`);
    const isJson = String(headers["content-type"]).includes("json");
    const body: Json = payload === "" ? undefined : isJson ? JSON.parse(payload) : payload;
    const operation = operations.find(
      (one) =>
        one.method === method &&
        new RegExp(`${one.api.basePath}${one.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(url),
    );
    if (operation) checkDeclared(operation, status, body);
    return { status, body, headers };
  };
}

function checkDeclared(operation: Operation, status: number, body: Json): void {
  if (status < 300) {
    assert.equal(status, operation.success.status);
    const { schema: published, contentTypes } = operation.success;
    // a file is what was sent, or in a format of its own
    if (contentTypes) return;
    if (published === null) {
      assert.equal(body, undefined);
      return;
    }
    // what a lax request may hold is echoed as it came
    const schema = judgedBy(published, { strictOas: false });
    const faults = judge(compileSchema(schema), body);
    assert.deepEqual(faults, [], `${operation.operationId} answers by its schema`);
  } else if (body !== undefined) {
    const declared = [...(operation.refusals[status as 400] ?? []), ...kitCodes];
    for (const { ErrorCode, Message } of body.Errors) {
      // P-027, D-401-15
      assert.match(Message, /^.{1,500}$/s);
      assert(declared.includes(ErrorCode), `${ErrorCode} is declared: ${JSON.stringify(body)}`);
    }
  }
}

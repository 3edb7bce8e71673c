import assert from "node:assert/strict";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";

/** A refusal of the sandbox's own interface. */
export type Refusal = { message: string; faults: string[] };

/** Calls a path below /sandbox/v1. A body that is a string is sent as it is. */
export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>;

/** Returns a caller of a bank's sandbox interface. */
export const callerOf =
  ({ publicUrl }: Pick<BankAddress, "publicUrl">): Caller =>
  (method, path, body, headers = {}) =>
    fetch(`${publicUrl}/sandbox/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });

/** Fails unless the response is a refusal in the interface's format with a message. */
export async function expectRefusal(answer: Response, ...statuses: number[]): Promise<Refusal> {
  const text = await answer.text();
  assert.ok(statuses.includes(answer.status), `${answer.status} ${text}`);
  const refusal = JSON.parse(text) as Refusal;
  assert.ok(refusal.message.length > 0);
  assert.ok(Array.isArray(refusal.faults));
  return refusal;
}

import assert from "node:assert/strict";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-client.ts";

/** A refusal of the sandbox's own interface. */
export type Refusal = { message: string; faults: string[] };

/** Calls a path below /sandbox/v1; a body that is a text is sent as it is. */
export type Caller = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>;

/** Calls the sandbox's own interface of a bank. */
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

/** A refusal in the interface's own shape, that says something. */
export async function expectRefusal(answer: Response, ...statuses: number[]): Promise<Refusal> {
  const text = await answer.text();
  assert.ok(statuses.includes(answer.status), `${answer.status} ${text}`);
  const refusal = JSON.parse(text) as Refusal;
  assert.ok(refusal.message.length > 0);
  assert.ok(Array.isArray(refusal.faults));
  return refusal;
}

import assert from "node:assert/strict";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { addConsent, type FakeBank, openFakeBank, sign } from "./fake-bank.ts";

export const things = "/api/open-banking/v4.0/thing";
export const views = "/api/open-banking/v3.1/view";
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Headers = Record<string, string>;

/** Returns headers with a token. */
export const bearer = (token: string, more: Headers = {}): Headers => ({
  authorization: `Bearer ${token}`,
  ...more,
});

/** A fake bank with a token of each kind. It accepts the requests unless a test changes them. */
export type Caller = {
  bank: FakeBank;
  payToken: string;
  viewToken: string;
  lodgeToken: string;
  call(
    method: InjectOptions["method"] & string,
    url: string,
    headers?: Headers,
    payload?: string | Buffer,
  ): Promise<LightMyRequestResponse>;
  postThing(change?: Headers, body?: string): Promise<LightMyRequestResponse>;
  getViews(headers?: Headers): Promise<LightMyRequestResponse>;
};

/** Opens a bank to call. Close it when done. */
export async function openCaller(): Promise<Caller> {
  const bank = await openFakeBank();
  const payToken = await bank.addToken({});
  const lodgeToken = await bank.addToken({ scope: "accounts" });
  const { grantId } = await addConsent(bank);
  const grant = { kind: "authorization_code", scope: "accounts", grantId };
  const viewToken = await bank.addToken(grant);
  const call: Caller["call"] = (method, url, headers = {}, payload) =>
    bank.app.inject({
      method: method as "GET", // the tests also send methods that Fastify's types lack
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
  return {
    bank,
    payToken,
    viewToken,
    lodgeToken,
    call,
    postThing: async (change = {}, body = '{"Data":{}}') => {
      const headers = bearer(payToken, {
        "content-type": "application/json",
        "x-idempotency-key": "key-1",
        "x-jws-signature": await sign(bank.tpp, body),
        ...change,
      });
      return call("POST", `${things}/things`, headers, body);
    },
    getViews: (headers = {}) => call("GET", `${views}/views`, bearer(viewToken, headers)),
  };
}

/** Fails unless the response has this status, no body, and an interaction id made by the bank. */
export function assertBare(answer: LightMyRequestResponse, status: number): void {
  assert.equal(answer.statusCode, status);
  assert.equal(answer.body, "");
  assert.equal(answer.headers["content-type"], undefined);
  assert.equal(answer.headers["x-jws-signature"], undefined);
  assert.match(String(answer.headers["x-fapi-interaction-id"]), uuid);
}

/** Fails unless the response's first error is this one, in the format of the called API. */
export function assertFault(
  answer: LightMyRequestResponse,
  status: number,
  code: FaultCode,
  path?: string,
): void {
  assert.equal(answer.statusCode, status, answer.body);
  const body = answer.json();
  const { errors } = body.Code === undefined ? pispV40 : aispV31;
  const codes: Readonly<Record<number, string>> = errors.table[code].codes;
  const [fault] = body.Errors;
  assert.equal(fault.ErrorCode, codes[status]);
  assert.equal(fault.Path, path);
  assert.ok(fault.Message.length > 0);
}

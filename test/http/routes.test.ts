import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import type { Operation } from "#src/http/operation.ts";
import { operationFinder } from "#src/http/register-operations.ts";
import { systemClock } from "#src/lib/clock.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { describeRoutes, renderRoutes } from "#src/server/routes/route-list.ts";
import { inOrder } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { serve } from "./serve.ts";

const page = readFileSync(new URL("../../docs/routes.md", import.meta.url), "utf8");
const operations = listOperations(paymentKinds);
let app: FastifyInstance;
before(async () => {
  // fails if it is queried: a request without a token must be answered before that
  const database = new Proxy({}, { get: () => () => Promise.reject(new Error("asked")) });
  ({ app } = await serve(operations, { database: database as Database, clock: systemClock }));
});
after(() => app?.close());

type Listed = { method: string; url: string };

/** Returns the routes that the committed page lists. */
function listedRoutes(): Listed[] {
  const listed: Listed[] = [];
  let base = "";
  for (const line of page.split("\n")) {
    base = /^All paths are below `(.*)`\.$/.exec(line)?.[1] ?? base;
    const [, method, path] = /^\| ([A-Z]+) \| `(.*?)` \|/.exec(line) ?? [];
    if (method && path) listed.push({ method, url: base + path.replace(/\{\w+\}/g, "none") });
  }
  return listed;
}

test("docs/routes.md is the page that `npm run routes` writes", () => {
  assert.equal(page, `${renderRoutes(operations)}\n`);
});

test("docs/routes.md lists exactly the methods that are served at each of its paths", async () => {
  const byUrl = Map.groupBy(listedRoutes(), ({ url }) => url);
  assert.equal([...byUrl.values()].flat().length, operations.length);
  for (const [url, routes] of byUrl) {
    const refused = await app.inject({ method: "PATCH", url });
    assert.equal(refused.statusCode, 405, url);
    const served = String(refused.headers.allow).split(", ").sort();
    assert.deepEqual(served, routes.map(({ method }) => method).sort(), url);
    for (const { method } of routes) {
      const answer = await app.inject({ method: method as "GET", url });
      assert.equal(answer.statusCode, 401, `${method} ${url}`);
    }
  }
});

test("operationFinder finds each operation at its own path only, with or without a trailing slash", () => {
  const findOperation = operationFinder(operations);
  for (const operation of operations) {
    const { api, method, path: template } = operation;
    const path = api.basePath + template.replaceAll(/:\w+/g, "any");
    const params = Object.fromEntries(
      [...template.matchAll(/:(\w+)/g)].map(([, name]) => [name, "any"]),
    );
    for (const at of [path, `${path}/`]) {
      assert.deepEqual(findOperation(method, at), { operation, params }, `${method} ${at}`);
    }
    assert.equal(findOperation("PATCH", path), undefined);
    for (const other of [`${path}/any/any`, `/x${path}`, path.replace(api.basePath, "/v9.9")]) {
      assert.equal(findOperation(method, other), undefined, `${method} ${other}`);
    }
  }
});

const linesOf = (chosen: (operation: Operation) => boolean): string[] =>
  describeRoutes(operations.filter(chosen), { steps: true });

test("P-013, A-004: the steps show that v4 payments check the interaction id before the token", () => {
  const [, payment = ""] = linesOf(
    ({ api, operationId }) => api.id === "pisp-v4.0" && operationId === "CreateDomesticPayments",
  );
  assert.match(
    payment,
    /^ +interaction-id > token > grant > scope > consent-version > rate-limit > accept/,
  );
  assert.match(payment, /content-type > auth-date > idempotency-key > body/);
  // Source: P-057, P-142…P-163
  assert.match(payment, /body > replay > schema > consent > owner > status > match > dates/);
  assert.match(payment, /cut-off$/);
  // Source: V-108…V-119, V-131
  const vrp = linesOf(({ operationId }) => operationId === "domesticVrpPost");
  assert.match(
    vrp[1] ?? "",
    /body > replay .* > cut-off > scheme > pause > limits > period-limits$/,
  );
  assert.match(
    vrp[3] ?? "",
    /body > payload-version > replay .* > cut-off > scheme > pause > limits > period-limits$/,
  );
  const [line = "", accounts = ""] = linesOf(({ operationId }) => operationId === "GetAccounts");
  assert.match(line, /^GET +\/api\/open-banking\/v3\.1\/aisp\/accounts {2}aisp-v3\.1/);
  assert.match(
    accounts,
    /^ +token > grant > scope > consent-version > rate-limit > accept > interaction-id/,
  );
  assert.doesNotMatch(accounts, /body|content-type|idempotency-key/);
});

test("the order of a version's steps decides which of two faults is reported", async () => {
  const [given] = operations.filter(({ operationId }) => operationId === "GetAccounts");
  assert(given);
  const answerOf = async (steps: Operation["api"]["steps"]): Promise<number> => {
    const operation = { ...given, api: { ...given.api, steps } };
    const database = {} as Database; // never queried, because the request has no token
    const served = await serve([operation], { database, clock: systemClock });
    const url = operation.api.basePath + operation.path;
    const headers = { "x-fapi-interaction-id": "\u00e9" };
    const { statusCode } = await served.app.inject({ url, headers });
    await served.app.close();
    return statusCode;
  };
  assert.equal(await answerOf(inOrder(["interaction-id", "token", "grant", "scope"])), 400);
  assert.equal(await answerOf(inOrder(["token", "grant", "scope", "interaction-id"])), 401);
});

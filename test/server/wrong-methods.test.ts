import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isAt } from "#src/http/refusal/likely-paths.ts";
import { openWithRoutes, type Route } from "#test/attacks/collect-routes.ts";
import type { TestBank } from "#test/harness.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

let bank: TestBank;
let routes: Route[];
before(async () => {
  ({ bank, routes } = await openWithRoutes());
});
after(() => bank?.close());

// what the management listener serves besides health
const managed = /^\/(metrics|requests|explanations|channels|core)\b/;

const send = (path: string, method: string) =>
  fetch((managed.test(path) ? bank.managementUrl : bank.publicUrl) + path, {
    method,
    redirect: "manual",
  });

test("every address outside the APIs refuses all other methods with 405, Allow and a text", async () => {
  const served = new Map<string, string[]>();
  for (const { method, url } of routes.filter((one) => !one.url.startsWith("/api/"))) {
    served.set(url, [...(served.get(url) ?? []), method]);
  }
  for (const url of ["/token", "/auth", "/request", "/register", "/jwks", "/me", "/bank"]) {
    assert.ok(served.has(url), `${url} is among the routes`);
  }
  const wrong: string[] = [];
  for (const url of served.keys()) {
    const path = url
      .replaceAll(/:\w+/g, "1")
      .replace(/\*$/, "nothing")
      .replace(/(?<=.)\/$/, "");
    // a route with a parameter may serve it too
    const at = [...served].filter(([one]) => isAt(path.split("/"), one.split("/")));
    const allowed = new Set([...at.flatMap(([, some]) => some), ...(served.get(url) ?? [])]);
    for (const method of methods.filter((one) => !allowed.has(one))) {
      const answer = await send(path, method);
      const text = await answer.text();
      const allow = answer.headers.get("allow")?.split(", ") ?? [];
      const isRight =
        answer.status === 405 &&
        allow.length > 0 &&
        allow.every((one) => one !== method && allowed.has(one) && text.includes(one));
      if (!isRight) wrong.push(`${method} ${path}: ${answer.status} ${allow} ${text}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the text of a wrong method names the methods that an address takes", async () => {
  for (const [method, path, said, allow] of [
    ["DELETE", "/token", "This address takes only POST requests.", "POST"],
    ["PUT", "/auth", "This address takes only GET requests.", "GET"],
    ["POST", "/jwks", "This address takes only GET and HEAD requests.", "GET, HEAD"],
  ] as const) {
    const answer = await send(path, method);
    assert.deepEqual([answer.status, answer.headers.get("allow")], [405, allow], path);
    assert.equal(((await answer.json()) as { message: string }).message, said);
  }
  for (const path of ["/docs/nothing", "/docs/nothing.md"]) {
    assert.equal((await send(path, "GET")).status, 404, path);
  }
});

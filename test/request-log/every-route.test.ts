import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openWithRoutes, type Route } from "#test/attacks/collect-routes.ts";
import type { TestBank } from "#test/harness.ts";

type Listed = Awaited<ReturnType<LogReader["list"]>>;
type Call = { method: string; path: string };

let bank: TestBank;
let tpp: TppClient;
let routes: Route[];
before(async () => {
  ({ bank, routes } = await openWithRoutes());
  tpp = await bank.createTpp();
  tpp.onAnswer = null; // most answers are not those of an API
});
after(() => bank?.close());

const id = "5a1f7c0e-8f0b-4f6e-9d3a-2b1c0d9e8f70";
const pathOf = (url: string): string => url.replace(/:\w+|\*/g, id);

/** The routes that are not for TPPs: the log does not have their requests. */
const others: [who: string, pattern: RegExp][] = [
  ["a customer's browser", /^\/(auth\/:uid|journey\/.*|bank(\/.*)?)$/],
  ["whoever reads the documentation", /^\/((assets|openapi|docs)(\/.*)?|docs\.md|llms\.txt)?$/],
  ["a sandbox's developer", /^\/sandbox(\/.*)?$/],
  ["a balancer", /^\/health\//],
  ["a participant, in place of the scheme's directory", /^\/directory\//],
];
// of other listeners
const elsewhere = /^\/(metrics|requests|explanations|channels)(\/|$)/;

/** Sends calls, and returns those whose answer has an id that the log does not have. */
async function lostOf(calls: readonly Call[]): Promise<string[]> {
  const answered = new Map<string, string>();
  for (const [index, { method, path }] of calls.entries()) {
    const hasBody = !["GET", "HEAD", "DELETE"].includes(method);
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const body = hasBody ? Buffer.from("client_id=none") : undefined;
    const answer = await tpp.send(bank.mtlsUrl + path, method, body, hasBody ? type : {});
    const interactionId = String(answer.headers["x-fapi-interaction-id"]);
    assert.match(interactionId, /^[\w-]{36}$/, `${method} ${path}: ${answer.status}`);
    answered.set(interactionId, `${method} ${path}: ${answer.status}`);
    // so that what waits in memory is written
    if (index % 100 === 99) await bank.control("GET", "/requests?limit=1");
  }
  const query = async (before: string) =>
    bank.control<Listed>("GET", `/requests?limit=200${before}`);
  for (let page = await query(""); ; page = await query(`&before=${page.next}`)) {
    for (const { interactionId } of page.requests) answered.delete(interactionId);
    if (page.next === null) return [...answered.values()];
  }
}

test("every call of a route for TPPs, with every method, is found by the id in its answer", async () => {
  const urls = [...new Set(routes.map(({ url }) => url))].filter((url) => !/.\/$/.test(url));
  const unserved = urls.filter((url) => elsewhere.test(url));
  const forTpps = urls.filter((url) => others.every(([, pattern]) => !pattern.test(url)));
  for (const [who, pattern] of others)
    assert.ok(
      urls.some((url) => pattern.test(url)),
      who,
    );
  assert.ok(forTpps.some((url) => url.startsWith("/api/")) && forTpps.includes("/token"));
  assert.ok(unserved.length > 0);
  const calls = forTpps.flatMap((url) =>
    ["GET", "POST", "PUT", "DELETE"].map((method) => ({ method, path: pathOf(url) })),
  );
  assert.ok(calls.length > 700, `${calls.length} calls`);
  assert.deepEqual(await lostOf(calls), []);
});

test("a call of an unknown or unreadable address is found by the id in its answer", async () => {
  const paths = ["/nothing", "/v4.0/pisp/domestic-payments", "/openbanking/token", "/%zz", "//x"];
  const wrong = [
    "/token?x=%00",
    "/register?x=%00",
    "/auth?client_id=%00",
    "/jwks/more",
    "/nothing?x=%ff",
  ];
  const calls = [...paths, ...wrong].flatMap((path) =>
    ["GET", "POST", "PATCH", "HEAD"].map((method) => ({ method, path })),
  );
  const ofBrowsers = ["/auth/handle", "/journey/handle", "/bank/nothing", "/sandbox/v1/nothing"];
  const served = ofBrowsers.map((path) => ({ method: "PATCH", path }));
  assert.deepEqual(await lostOf([...calls, ...served]), []);
  const { requests } = await bank.control<Listed>("GET", "/requests?path=/journey/");
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/journey/[masked]"],
  );
});

test("a registration, a wrong method and an unknown path are explained by their id", async () => {
  const jose = { "content-type": "application/jose" };
  const explain = async ({ method, path }: Call, headers = {}) => {
    const answer = await tpp.send(bank.mtlsUrl + path, method, undefined, headers);
    const interactionId = String(answer.headers["x-fapi-interaction-id"]);
    return bank.control<Explanation>("GET", `/explanations/${interactionId}`);
  };
  const register = await explain({ method: "POST", path: "/register" }, jose);
  assert.match(register.summary, /^POST \/register was rejected with 4\d\d, by the check \w+/);
  const method = await explain({ method: "GET", path: "/token" });
  assert.match(method.summary, /^GET \/token was rejected with 405/);
  assert.equal(method.faults[0]?.message, "This address takes only POST requests.");
  const unknown = await explain({ method: "GET", path: "/v4.0/pisp/domestic-payments" });
  assert.match(unknown.summary, /was rejected with 404/);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { after, before, test } from "node:test";
import { strangersPerConsent } from "#src/auth/journey/journey-row.ts";
import { loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { Visitor } from "#test/auth/visitor.ts";
import type { TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";
import { anonymousWrites, type Sent } from "./anonymous-writes.ts";
import { openWithRoutes, type Route } from "./collect-routes.ts";

let routes: Route[] = [];
let bank: TestBank;
let tpp: TppClient;
before(async () => {
  const { REGISTRATION_PER_MINUTE } = loadConfig({});
  ({ bank, routes } = await openWithRoutes({ REGISTRATION_PER_MINUTE }));
  tpp = await bank.createTpp();
});
after(async () => {
  for (const agent of agents) agent.destroy();
  await bank?.close();
});

const agents = [new http.Agent({ keepAlive: true }), new https.Agent({ keepAlive: true })] as const;

/** Sends a request without a certificate, like one that a proxy forwards. */
function send(
  url: string,
  method: string,
  given: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }> {
  const isTls = url.startsWith("https:");
  const options = {
    method,
    headers: { "x-forwarded-for": "203.0.113.7", ...given.headers },
    ca: bank.sandbox?.directory.caPem,
    agent: agents[isTls ? 1 : 0],
    timeout: 20_000,
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? https : http).request(url, options, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    request.on("timeout", () => request.destroy(new Error(`${method} ${url} has no answer`)));
    request.on("error", reject);
    request.end(given.body);
  });
}

async function countRows(): Promise<Map<string, number>> {
  const tables = await bank.database.query<{ name: string }>(sql`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition
      and relnamespace = current_schema()::regnamespace`);
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const statement = { text: `select count(*)::integer as count from "${name}"`, values: [] };
    const [row] = await bank.database.query<{ count: number }>(statement);
    counts.set(name, row?.count ?? 0);
  }
  return counts;
}

/** The tables that have more rows than before. */
async function grownSince(before: Map<string, number>): Promise<Map<string, number>> {
  const grown = new Map<string, number>();
  for (const [table, count] of await countRows()) {
    const more = count - (before.get(table) ?? 0);
    if (more > 0) grown.set(table, more);
  }
  return grown;
}

const form = "application/x-www-form-urlencoded";
const garbage: { headers?: Record<string, string>; body?: string }[] = [
  {},
  { headers: { authorization: "Bearer stolen", "content-type": "application/json" }, body: "{}" },
  { headers: { authorization: "Basic YTpi", "content-type": form }, body: "decision=cancel&a=b" },
];

test("requests without credentials to every route add no rows to any table but the log of requests", async () => {
  assert.ok(routes.length > 300, `${routes.length} routes`);
  const before = await countRows();
  const isBodyless = (method: string) => method === "GET" || method === "HEAD";
  let sent = 0;
  for (const { method, url } of routes) {
    // a real client, so that what looks for it finds it
    const path = url.replace(/:\w+|\*/g, tpp.tpp.clientId);
    for (const base of [bank.publicUrl, bank.mtlsUrl]) {
      for (const { headers = {}, body } of garbage) {
        if (isBodyless(method) && body !== undefined && headers["content-type"] === form) continue;
        const given = body === undefined || isBodyless(method) ? { headers } : { headers, body };
        const { status } = await send(base + path, method, given);
        assert.ok(status < 500, `${method} ${path} is answered with ${status}`);
        sent += 1;
      }
    }
  }
  assert.ok(sent > 1000, `${sent} requests`);
  const grown = [...(await grownSince(before)).keys()];
  assert.deepEqual(grown, ["request_log_chunk"]);
});

test("a customer who has logged in keeps the journey while others open its URL", async () => {
  const { consentId } = await lodge(tpp);
  const url = await tpp.authorizationUrl({ scope: "payments", consentId });
  const customer = new Visitor(bank);
  await customer.open(url);
  const { login, password } = present((await bank.customers())[0], "a customer");
  await customer.submit({ login, password, decision: "continue" });
  assert.equal(customer.step, "factor", customer.shown.body);
  for (let turn = 0; turn < 25; turn += 1) await send(url, "GET");
  await customer.open(customer.shown.url);
  assert.equal(customer.step, "factor", customer.shown.body);
});

test("what anonymous callers can write stays within the bounds of the list", async () => {
  const { LOGIN_FAILURES_PER_MINUTE: failuresPerMinute } = loadConfig({});
  const startedAt = performance.now();
  const urls: string[] = [];
  for (const _ of [1, 2]) {
    const { consentId } = await lodge(tpp);
    urls.push(await tpp.authorizationUrl({ scope: "payments", consentId }));
  }
  const [opened = "", cancelled = ""] = urls;
  const signed = new URL(opened);
  const assertion = present(signed.searchParams.get("request"), "the signed request");
  const before = await countRows();
  for (let turn = 0; turn < 60; turn += 1) {
    await send(opened, "GET");
    await tryLogin(`nobody ${turn}`);
    await cancel(cancelled);
    await send(`${bank.mtlsUrl}/register/${tpp.tpp.clientId}`, "DELETE");
    await send(`${bank.mtlsUrl}/register`, "POST", { body: "x" });
    const named = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: tpp.tpp.clientId,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: turn % 2 === 0 ? unknownKey(assertion) : assertion,
    });
    for (const path of ["/token", "/request", "/token/revocation", "/token/introspection"]) {
      const headers = { "content-type": form };
      await send(bank.mtlsUrl + path, "POST", { headers, body: named.toString() });
    }
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  const sent: Sent = { consents: urls.length, addresses: 1, failuresPerMinute, minutes };
  const grown = await grownSince(before);
  for (const [table, more] of grown) {
    const write = present(
      anonymousWrites.find((one) => one.table === table),
      `a bound of ${table}, which has ${more} new rows,`,
    );
    assert.ok(more <= write.most(sent), `${table} has ${more} new rows; ${write.bound}`);
  }
  assert.equal(strangersPerConsent, 20, "the bound that the list states");
  assert.ok((grown.get("journey") ?? 0) >= strangersPerConsent, "the attack reaches the bound");
  assert.ok((grown.get("login_attempt") ?? 0) > 0, "wrong passwords are counted");
});

async function tryLogin(login: string): Promise<void> {
  const page = await send(`${bank.publicUrl}/bank/login`, "GET");
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const cookie = (page.headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ");
  const body = new URLSearchParams({ csrf, login, password: "wrong", decision: "continue" });
  const headers = { cookie, origin: bank.publicUrl, "content-type": form };
  await send(`${bank.publicUrl}/bank/login`, "POST", { headers, body: body.toString() });
}

/** Opens a TPP's URL and cancels before the login. */
async function cancel(url: string): Promise<void> {
  const visitor = new Visitor(bank);
  await visitor.open(url);
  if (visitor.step === "login") await visitor.submit({ decision: "cancel" });
}

/** The same JWT, whose header names a key that its client does not have. */
function unknownKey(jwt: string): string {
  const [, claims, signature] = jwt.split(".");
  const header = JSON.stringify({ alg: "PS256", kid: `unknown-${Math.random()}` });
  return [Buffer.from(header).toString("base64url"), claims, signature].join(".");
}

test("docs/security.md lists what anonymous callers can write", () => {
  const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("### What anonymous callers can write\n");
  const [table = ""] = section.split("\n### ");
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)];
  const plain = (text = "") => text.replaceAll("`", "");
  assert.deepEqual(
    rows.map(([, name, cause, bound]) => [name, plain(cause), plain(bound)]),
    anonymousWrites.map(({ table: name, cause, bound }) => [name, cause, bound]),
  );
});

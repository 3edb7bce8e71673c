import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { strangersPerConsent } from "#src/auth/journey/journey-row.ts";
import { loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { Visitor } from "#test/auth/visitor.ts";
import type { TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";
import { callEveryRoute, countRows, fillTables, grownSince, Stranger } from "./anonymous-attack.ts";
import { anonymousWrites } from "./anonymous-writes.ts";
import { openWithRoutes, type Route } from "./collect-routes.ts";

let routes: Route[] = [];
let bank: TestBank;
let tpp: TppClient;
before(async () => {
  const { REGISTRATION_PER_MINUTE } = loadConfig({});
  ({ bank, routes } = await openWithRoutes({ REGISTRATION_PER_MINUTE }));
  tpp = await bank.createTpp();
});
after(() => bank?.close());

test("requests without credentials to every route add no rows to any table but the log of requests", async () => {
  assert.ok(routes.length > 300, `${routes.length} routes`);
  const before = await countRows(bank);
  const { sent, findings } = await callEveryRoute(bank, routes, tpp.tpp.clientId);
  assert.deepEqual(findings, []);
  assert.ok(sent > 1000, `${sent} requests`);
  const grown = [...(await grownSince(bank, before)).keys()];
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
  const stranger = new Stranger(bank);
  for (let turn = 0; turn < 25; turn += 1) await stranger.send(url, "GET");
  stranger.close();
  await customer.open(customer.shown.url);
  assert.equal(customer.step, "factor", customer.shown.body);
});

test("a customer who has not logged in here yet keeps the journey, too: the oldest are kept", async () => {
  const { consentId } = await lodge(tpp);
  const url = await tpp.authorizationUrl({ scope: "payments", consentId });
  const [customer, late] = [new Visitor(bank), new Visitor(bank)];
  await customer.open(url);
  const stranger = new Stranger(bank);
  for (let turn = 0; turn < 25; turn += 1) await stranger.send(url, "GET");
  await late.open(url);
  for (let turn = 0; turn < 5; turn += 1) await stranger.send(url, "GET");
  stranger.close();
  for (const visitor of [customer, late]) {
    await visitor.open(visitor.shown.url);
    assert.equal(visitor.step, "login", visitor.shown.body);
  }
});

test("what anonymous callers can write stays within the bounds of the list", async () => {
  const { grown, findings } = await fillTables(bank, tpp, 60);
  assert.deepEqual(findings, []);
  assert.equal(strangersPerConsent, 20, "the bound that the list states");
  assert.ok((grown.get("journey") ?? 0) >= strangersPerConsent, "the attack reaches the bound");
  assert.ok((grown.get("login_attempt") ?? 0) > 0, "wrong passwords are counted");
});

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

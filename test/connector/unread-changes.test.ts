// A core whose changes cannot be read at all, in each way: operators get an alarm, and the reason
// in the list of what was refused. Both end with the first page that is one.
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { systemClock } from "#src/lib/clock.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { sandboxTariff } from "#src/sandbox/bank/tariff.ts";
import type { Database } from "#src/storage/database.ts";
import { copySeeded, openBank, type TestBank } from "#test/harness.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { runCommand } from "#test/server/run-command.ts";
import { until } from "#test/until.ts";

const token = "a-token-of-a-core-that-fails";
/** What the core answers to GET /changes; null closes the connection. */
type Answer = { status: number; body: string | Buffer } | null;
let ofCore: Database;
let app: FastifyInstance;
let proxy: Server;
let bank: TestBank;
let page = 0;
const good = (): Answer => ({
  status: 200,
  body: JSON.stringify({ position: { cursor: `page ${++page}` } }),
});
let answer: () => Answer = good;

before(async () => {
  ofCore = await copySeeded();
  app = serveCore({
    bank: createSandboxBank({ database: ofCore, clock: systemClock }),
    name: "A core whose changes fail",
    tariff: sandboxTariff,
    readChanges: async () => ({}),
  });
  const core = await app.listen({ port: 0, host: "127.0.0.1" });
  proxy = createServer(async (request, response) => {
    const { url = "", method = "" } = request;
    if (url.startsWith("/changes")) {
      const given = answer();
      if (given === null) return void response.destroy();
      return void response.writeHead(given.status).end(given.body);
    }
    const sent = Buffer.concat(await Array.fromAsync(request));
    const passed = await fetch(core + url, {
      method,
      headers: { "aldgate-contract": "1", "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: sent }),
    });
    response.writeHead(passed.status).end(await passed.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const set = { BANK_URL: url, BANK_TOKEN: token, BANK_BREAKER_RETRY_MS: 100 };
  bank = await openBank(set, await openEmpty());
});
after(async () => {
  await bank?.close();
  proxy?.close();
  await app?.close();
  await ofCore?.close();
});

const gauge = async (): Promise<number | null> => {
  const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const found = /^aldgate_feed_unread_seconds\{source="core"\} (\S+)$/m.exec(metrics);
  return found ? Number(found[1]) : null;
};
async function listed(): Promise<string> {
  const { printed } = await runCommand("facts refused", {
    PUBLIC_URL: bank.publicUrl,
    PUBLIC_PORT: new URL(bank.publicUrl).port,
    MTLS_PORT: new URL(bank.mtlsUrl).port,
  });
  return printed;
}

const latin1 = Buffer.from(
  '{"parties":[{"partyId":"p-9","name":"Jos\u00e9","version":1}]}',
  "latin1",
);
const ok = (body: unknown): Answer => ({ status: 200, body: JSON.stringify(body) });
const unread: [name: string, answer: () => Answer, said: RegExp][] = [
  ["answers 500", () => ({ status: 500, body: "oh" }), /GET \/changes: the core answered 500/],
  ["answers 404", () => ({ status: 404, body: "{}" }), /GET \/changes: the core answered 404/],
  ["sends a page of HTML", () => ({ status: 200, body: "<html>" }), /the answer must be JSON: /],
  ["sends nothing", () => ({ status: 200, body: "" }), /the answer must be JSON: .* it ends/],
  ["sends a list", () => ok([{ accounts: [] }]), /the answer must be a JSON object/],
  ["sends null", () => ok(null), /the answer must be a JSON object/],
  ["sends Latin-1", () => ({ status: 200, body: latin1 }), /the answer must be UTF-8/],
  ["sends an error with 200", () => ok({ error: "no" }), /must be \{\} or have one of products, /],
  ["sends a position that is none", () => ok({ position: 7 }), /position must be an object/],
  ["closes the connection", () => null, /GET \/changes: /],
];

for (const [name, given, said] of unread) {
  test(`the feed of a core that ${name} raises the alarm of AldgateFeedUnread until it can be read`, async () => {
    answer = good;
    await until(gauge, (seconds) => seconds === null);
    answer = given;
    await until(gauge, (seconds) => seconds !== null);
    const text = await until(listed, (lines) => lines.includes(" times since "));
    assert.match(text, /core {2}unread changes (after page \d+|from the beginning): the page /);
    assert.match(text, said);
    assert.doesNotMatch(text, /traceparent/);
    assert.equal(text.trim().split("\n").length, 1, text);
    answer = good;
    await until(gauge, (seconds) => seconds === null);
    assert.match(await listed(), /No fact was refused/);
  });
}

test("account data that was delivered two hours ago raises the alarm of AldgateFactsOld", async () => {
  const feed = createAccountFeed(bank.database);
  await feed.apply(shownFacts);
  const accountId = shownFacts.accounts?.[0]?.accountId ?? "";
  const asOf = Temporal.Now.instant().subtract({ hours: 2 });
  const delivered = [{ accountId, cluster: "statements" as const, asOf }];
  await feed.apply({ delivered }, { source: "late" });
  const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const [, age] = /^aldgate_facts_age_seconds\{cluster="statements"\} (\S+)$/m.exec(metrics) ?? [];
  assert.ok(Number(age) > 3600, metrics);
});

async function send(body: object) {
  const response = await fetch(`${bank.managementUrl}/core/v1/changes`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { message?: string } };
}

test("a call cannot move the cursor of a feed that Aldgate reads without saying from where", async () => {
  answer = () => ok({});
  await until(gauge, (seconds) => seconds === null);
  // a page that was on its way may still be stored: what the bank says counts
  const parties = [{ version: 1, partyId: "sent", name: "Sent" }];
  const blind = await send({ parties, position: { cursor: "elsewhere" } });
  const [, cursor = ""] =
    /The store holds the cursor "(page \d+)"/.exec(blind.body.message ?? "") ?? [];
  const held = new RegExp(
    `Aldgate reads the changes of the source core itself.*` +
      `The store holds the cursor "${cursor}": send position.after "${cursor}"`,
  );
  assert.equal(blind.status, 409);
  assert.match(blind.body.message ?? "", held);
  const late = await send({ parties, position: { cursor: "elsewhere", after: "page 0" } });
  assert.equal(late.status, 409);
  assert.match(late.body.message ?? "", /^The cursor of the source core is not the one/);
  assert.match(late.body.message ?? "", new RegExp(`The store holds the cursor "${cursor}"`));
  // facts that move no cursor are welcome
  assert.equal((await send({ parties })).status, 200);
  const named = await send({ position: { cursor: "elsewhere", after: cursor } });
  assert.equal(named.status, 200);
});

// What is played on events that the bank sends to a client's URL: on a client of the project's
// library, which copes, and on URLs that do not.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Bank, Consent } from "#packages/client/src/index.ts";
import { present } from "#src/lib/assert.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import { type ClientBed, openClientBed } from "#test/client/client-bed.ts";
import { patienceMs } from "#test/until.ts";

let bed: ClientBed;
let server: Server;
let onRequest: (request: IncomingMessage, response: ServerResponse) => unknown;
let url: string;
before(async () => {
  bed = await openClientBed();
  server = createServer((request, response) => onRequest(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  url = `http://localhost:${port}/open-banking/v4.0/event-notifications`;
});
after(async () => {
  await bed?.close();
  server?.closeAllConnections();
  server?.close();
});

type Row = RobustReport["rows"][number];

/** A client that gets events at the URL, and two consents that they are about. */
async function subscriber(): Promise<{ client: Bank; id: string; consents: Consent[] }> {
  const tpp = await bed.sandbox.createTpp();
  const client = await bed.connect(tpp);
  await client.events().subscribe({ CallbackUrl: url });
  const consents: Consent[] = [];
  for (const _ of [1, 2]) {
    const Data = { Permissions: ["ReadAccountsBasic" as const] };
    consents.push(await client.accounts.createConsent({ Data, Risk: {} }));
  }
  return { client, id: tpp.client.id, consents };
}

/** Plays one row, and fires events until it is judged. */
async function play(id: string, consents: readonly Consent[], name: string): Promise<Row> {
  const path = `/tpps/${id}/misbehaviours`;
  await bed.bank.control("POST", path, { names: [name], patience: 60, retryAfter: 1 });
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    for (const consent of consents) {
      await bed.bank.control("POST", `/objects/${consent.id}/fire-event`, {});
    }
    // in this time, a first try is judged; a URL that fails gets the next one after a minute
    for (let looks = 0; looks < 40; looks++) {
      const { rows } = await bed.bank.control<RobustReport>("GET", path);
      const row = rows.find((one) => one.name === name);
      if (row?.state === "done") return row;
      await delay(100);
    }
    await bed.sandbox.advance("PT1M");
  }
  return assert.fail(`nobody has judged ${name}`);
}

const answer = (response: ServerResponse, status: number) => response.writeHead(status).end();

test("the library’s listener copes with events that come twice, late and again", async () => {
  const { client, id, consents } = await subscriber();
  const handled = new Set<string>();
  let failures = 0;
  const listener = client.events().listener(async (event) => {
    if (failures-- > 0) throw new Error("the database is down");
    if (handled.has(event.id)) return;
    handled.add(event.id);
    const consent = consents.find((one) => one.id === event.resource?.id);
    await client.accounts.readConsent(present(consent, "its consent"));
  });
  onRequest = listener;
  const twice = await play(id, consents.slice(0, 1), "event-twice");
  assert.equal(twice.verdict, "coped");
  assert.match(String(twice.seen), /twice, and called the bank about it only the first time\.$/);
  assert.deepEqual(
    twice.played.map(({ method, path }) => `${method} ${path}`),
    [`POST ${new URL(url).pathname}`],
  );
  const swapped = await play(id, consents, "events-out-of-order");
  assert.equal(swapped.verdict, "coped");
  const [later = "", earlier = ""] =
    /accepted (\S+) and then (\S+)\.$/.exec(String(swapped.seen))?.slice(1) ?? [];
  const order = [...handled];
  assert.ok(order.indexOf(later) < order.indexOf(earlier), "the later event arrived first");
  failures = 1;
  const again = await play(id, consents.slice(0, 1), "unaccepted-event");
  assert.equal(again.verdict, "coped");
  assert.match(String(again.seen), /^It answered 500 to .*, and accepted it the next time\.$/);
});

test("a client that handles each delivery of an event is said to have handled it twice", async () => {
  const { client, id, consents } = await subscriber();
  onRequest = async (request, response) => {
    request.resume();
    await client.accounts.readConsent(present(consents[0], "a consent"));
    answer(response, 202);
  };
  const { verdict, seen, advice } = await play(id, consents.slice(0, 1), "event-twice");
  assert.equal(verdict, "at risk");
  assert.match(String(seen), /handled it twice: it sent GET .*-consents\/\S+ both times\.$/);
  assert.match(String(advice), /Remember the `jti`/);
});

test("a URL that does not acknowledge an event again, or never does, is named with its answers", async () => {
  const { id, consents } = await subscriber();
  const known = new Set<unknown>();
  onRequest = (request, response) => {
    request.resume();
    const jti = request.headers["x-fapi-interaction-id"];
    answer(response, known.has(jti) ? 409 : 202);
    known.add(jti);
  };
  const twice = await play(id, consents.slice(0, 1), "event-twice");
  assert.equal(twice.verdict, "at risk");
  assert.match(String(twice.seen), /and answered 409 when the event came again\.$/);
  onRequest = (request, response) => {
    request.resume();
    answer(response, 503);
  };
  const never = await play(id, consents.slice(0, 1), "unaccepted-event");
  assert.equal(never.verdict, "gave up");
  assert.match(String(never.seen), /^It answered 503 to .*, and answered 503 the next time\.$/);
  assert.match(String(never.advice), /answer 202 at once/);
});

test("a URL that does not answer in time is said not to have answered", async () => {
  const { id, consents } = await subscriber();
  const open = new Set<ServerResponse>();
  onRequest = (request, response) => {
    request.resume();
    open.add(response);
    if (open.size > 1) answer(response, 202);
  };
  const slow = await play(id, consents.slice(0, 1), "unaccepted-event");
  assert.equal(slow.verdict, "coped");
  assert.match(String(slow.seen), /^It did not answer \(no response within 10 s\) to /);
  for (const response of open) response.destroy();
});

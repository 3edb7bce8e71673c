import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { BackchannelRequest, Bank, Consent } from "#packages/client/src/index.ts";
import { type ClientBed, openClientBed, playing, tenPounds } from "./client-bed.ts";

// Approvals in the bank's app, without a browser (docs/backchannel.md).

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed?.close());

const lodge = (client: Bank): Promise<Consent> =>
  client.payments("domestic-payment").createConsent(tenPounds);

/** Connects, with waits that pass at once: each is noted, and then `act` is done. */
async function connect(act: (waits: number[]) => Promise<void> | void = () => undefined) {
  const waits: number[] = [];
  const client = await bed.connect({
    async pause(ms) {
      waits.push(ms);
      await act(waits);
    },
  });
  return { client, waits };
}

const shown = async (customer: string) => ({
  shownIdentifier: await bed.sandbox.showIdentifier(customer),
});

test("a customer who has shown an identifier approves in the app, and the payment is made", async () => {
  const customer = "amara";
  const { client, waits } = await connect(
    async () => void (await bed.sandbox.decideInApp({ customer })),
  );
  const consent = await lodge(client);
  const request = await client.backchannel.start(consent, {
    customer: await shown(customer),
    bindingMessage: "Till 4",
    expirySeconds: 120,
  });
  assert.equal(request.intervalSeconds, 5);
  assert.equal(request.notificationToken, null);
  const left = Date.parse(request.expiresAt) - Date.now();
  assert.ok(left > 0 && left <= 120_000);
  const stored: BackchannelRequest = JSON.parse(JSON.stringify(request));
  const grant = await client.backchannel.wait(stored);
  assert.deepEqual(waits, [5000]);
  assert.equal(grant.consentId, consent.id);
  assert.ok(grant.subject);
  const order = await client.payments("domestic-payment").submit(consent as never, grant);
  assert.equal((order as { Data: { ConsentId: string } }).Data.ConsentId, consent.id);
  await assert.rejects(client.backchannel.wait(stored), {
    name: "AuthorisationError",
    error: "invalid_grant",
  });
});

test("a customer whom the client knows is asked by the subject of an earlier grant", async () => {
  const { client } = await connect(
    async () => void (await bed.sandbox.decideInApp({ customer: "amara" })),
  );
  const { subject } = await bed.approve(client, await lodge(client));
  const consent = await lodge(client);
  const request = await client.backchannel.start(consent, { customer: { subject: subject ?? "" } });
  assert.equal((await client.backchannel.wait(request)).subject, subject);
});

test("a customer who scans the consent's id approves", async () => {
  const customer = "amara";
  const { client, waits } = await connect(async ({ length }) => {
    if (length === 1) await bed.sandbox.scan(consent, customer);
    else await bed.sandbox.decideInApp({ customer });
  });
  const consent = await lodge(client);
  const grant = await client.backchannel.wait(await client.backchannel.start(consent));
  assert.equal(grant.consentId, consent.id);
  assert.ok(waits.length >= 2);
});

test("polls that are too early are made less often, by 5 seconds each time", async () => {
  const customer = "amara";
  // the bank's clock does not move while the client waits, so its polls are too early
  const { client, waits } = await connect(async ({ length }) => {
    if (length === 3) await bed.sandbox.decideInApp({ customer });
  });
  const consent = await lodge(client);
  const request = await client.backchannel.start(consent, { customer: await shown(customer) });
  await client.backchannel.wait(request);
  assert.deepEqual(waits, [5000, 10_000, 15_000]);
});

const endings: [title: string, error: string, act: () => Promise<unknown>][] = [
  [
    "a customer who declines",
    "access_denied",
    () => bed.sandbox.decideInApp({ customer: "test_executed", decision: "deny" }),
  ],
  ["the end of the time", "expired_token", () => bed.sandbox.advance("PT10M")],
];
for (const [title, error, act] of endings) {
  test(`${title} ends the wait with ${error}`, async () => {
    const { client } = await connect(async () => void (await act()));
    const request = await client.backchannel.start(await lodge(client), {
      customer: await shown("test_executed"),
    });
    await assert.rejects(client.backchannel.wait(request), { name: "AuthorisationError", error });
  });
}

test("a request that the bank refuses says why", async () => {
  const { client } = await connect();
  const consent = await lodge(client);
  const customer = { shownIdentifier: "nobody has shown this" };
  await assert.rejects(client.backchannel.start(consent, { customer }), {
    name: "AuthorisationError",
    status: 400,
  });
});

test("a poll whose answer is lost is sent again", async () => {
  const customer = "amara";
  const play = playing("POST", /\/token$/, ({ options, count }) =>
    count === 2 && String(options.body).includes("auth_req_id")
      ? Promise.resolve(new Response(null, { status: 502, headers: { "retry-after": "0" } }))
      : null,
  );
  const client = await bed.connect({
    fetch: play.fetch,
    pause: async () => void (await bed.sandbox.decideInApp({ customer })),
  });
  const request = await client.backchannel.start(await lodge(client), {
    customer: await shown(customer),
  });
  assert.ok((await client.backchannel.wait(request)).accessToken);
});

test("a wait is aborted", async () => {
  const stop = new AbortController();
  const { client } = await connect(() => stop.abort(new Error("the till is closed")));
  const request = await client.backchannel.start(await lodge(client));
  await assert.rejects(client.backchannel.wait(request, { signal: stop.signal }), /till is closed/);
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/decided`;
}

test("the bank's ping is verified, and the tokens are fetched", async () => {
  const requests = new Map<string, BackchannelRequest>();
  const decided = Promise.withResolvers<BackchannelRequest>();
  // the client is made with the address of the server that it answers on
  let listener: ReturnType<Bank["backchannel"]["listener"]> | undefined;
  const server = createServer((request, response) => listener?.(request, response));
  const notificationEndpoint = await listen(server);
  const client = await bed.connect({}, { notificationEndpoint });
  listener = client.backchannel.listener((id) => requests.get(id), decided.resolve);
  const consent = await lodge(client);
  const request = await client.backchannel.start(consent, {
    customer: await shown("amara"),
    ping: true,
  });
  requests.set(request.id, request);
  await bed.sandbox.decideInApp({ customer: "amara" });
  const told = await decided.promise;
  assert.deepEqual(told, request);
  assert.equal((await client.backchannel.wait(told)).consentId, consent.id);
  server.close();
});

test("a ping without the request's token, or about nothing, is not believed", async () => {
  const { client } = await connect();
  const request: BackchannelRequest = {
    id: "one",
    scope: "payments",
    consentId: "dpc-1",
    expiresAt: new Date().toISOString(),
    intervalSeconds: 5,
    notificationToken: "the-token",
  };
  const polling = { ...request, id: "polling", notificationToken: null };
  const known = [request, polling];
  let failing = false;
  const seen: string[] = [];
  const handler = client.backchannel.handler(
    (id) => {
      if (id === "lost") throw new Error("the database is down");
      return known.find((one) => one.id === id);
    },
    ({ id }) => {
      seen.push(id);
      if (failing) throw new Error("the database is down");
    },
  );
  const ping = async (body: string, authorization?: string): Promise<number> => {
    const headers = authorization === undefined ? undefined : { authorization };
    const sent = { method: "POST", body, ...(headers ? { headers } : {}) };
    return (await handler(new Request("https://tpp.example/decided", sent))).status;
  };
  const one = JSON.stringify({ auth_req_id: "one" });
  assert.equal(await ping(JSON.stringify({ auth_req_id: "lost" }), "Bearer the-token"), 500);
  assert.equal(await ping(one), 401);
  assert.equal(await ping(one, "Bearer another"), 401);
  assert.equal(await ping(one, "the-token"), 401);
  assert.equal(await ping(JSON.stringify({ auth_req_id: "two" }), "Bearer the-token"), 401);
  assert.equal(await ping(JSON.stringify({ auth_req_id: "polling" }), "Bearer null"), 401);
  assert.equal(await ping("{}", "Bearer the-token"), 400);
  assert.equal(await ping("not JSON", "Bearer the-token"), 400);
  assert.deepEqual(seen, []);
  assert.equal(await ping(one, "Bearer the-token"), 204);
  failing = true;
  assert.equal(await ping(one, "Bearer the-token"), 500);
  assert.deepEqual(seen, ["one", "one"]);
});

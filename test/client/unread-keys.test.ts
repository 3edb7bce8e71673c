// A bank whose keys cannot be fetched for a while has done nothing wrong. Nothing that it has sent
// meanwhile may be lost, or be taken for a forgery.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Bank, connect, NoAnswerError, register } from "#packages/client/src/index.ts";
import { ConnectionLost } from "#packages/client/src/transport.ts";
import { type ClientBed, openClientBed, type Play, playing, tenPounds } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const retry = { attempts: 2, firstWaitMs: 1 };
const create = (client: Bank) => client.payments("domestic-payment").createConsent(tenPounds);
const keysPath = /\/jwks$/;
const answering =
  (response: () => Response): Play =>
  () =>
    Promise.resolve(response());
const busy = answering(() => new Response("Sorry", { status: 503 }));

const failures: [title: string, play: Play][] = [
  [
    "the connection for the keys is lost",
    ({ url, options }) =>
      Promise.reject(new ConnectionLost(options.method, url, new Error("socket hang up"))),
  ],
  ["the address of the keys answers 503", busy],
  ["the address of the keys answers 404", answering(() => new Response("Sorry", { status: 404 }))],
  ["a page comes in place of the keys", answering(() => new Response("<html>Sorry</html>"))],
  ["the set of keys is malformed", answering(() => Response.json({ keys: "soon" }))],
];

/** Closes the bank's keys to a client, in this way, until `open` is called. */
function closing(play: Play) {
  let isOpen = false;
  const { fetch } = playing("GET", keysPath, (request) => (isOpen ? null : play(request)));
  return {
    fetch,
    open: () => {
      isOpen = true;
    },
  };
}

/** Makes an event for a new TPP that polls. */
async function waitingEvent() {
  const software = await bed.sandbox.createTpp();
  const tokens: string[] = [];
  const polls = playing("POST", /\/events$/, async ({ url, options, send }) => {
    const answer = await send(url, options);
    const text = await answer.text();
    tokens.push(...Object.values((JSON.parse(text) as { sets: Record<string, string> }).sets));
    return new Response(text, answer);
  });
  const client = await connect({ ...software, fetch: polls.fetch });
  await client.events().subscribe({});
  const consent = await client.accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  await bed.approve(client, consent);
  await bed.sandbox.revoke(consent);
  for await (const _ of client.events().poll()) break; // nothing is acknowledged
  client.close();
  return { software, token: String(tokens[0]), consentId: consent.id };
}

for (const [title, play] of failures) {
  test(`if ${title}, an event comes again, at a URL and by polling`, async () => {
    const { software, token, consentId } = await waitingEvent();
    const keys = closing(play);
    const client = await connect({ ...software, fetch: keys.fetch, retry });
    const arrived: unknown[] = [];
    const handler = client.events().handler(({ resource }) => void arrived.push(resource?.id));
    const send = () =>
      handler(new Request("https://tpp.example/events", { method: "POST", body: token }));
    const poll = async () => {
      for await (const { resource } of client.events().poll({ once: true })) {
        arrived.push(resource?.id);
      }
    };
    const late = await send();
    assert.equal(late.status, 503);
    assert.match(late.headers.get("retry-after") ?? "", /^\d+$/);
    await assert.rejects(poll(), NoAnswerError);
    assert.deepEqual(arrived, []);
    keys.open();
    assert.equal((await send()).status, 202);
    await poll();
    assert.deepEqual(arrived, [consentId, consentId]);
    client.close();
  });

  test(`if ${title}, an order says how it is repeated`, async () => {
    const keys = closing(play);
    const software = await bed.sandbox.createTpp();
    const before = await connect(software);
    const consent = await before.payments("domestic-payment").createConsent(tenPounds);
    const grant = await bed.approve(before, consent);
    before.close();
    const client = await connect({ ...software, fetch: keys.fetch, retry });
    const payments = client.payments("domestic-payment");
    const lost = await payments.submit(consent, grant).then(
      () => assert.fail("the answer cannot be verified"),
      (error: unknown) => error,
    );
    assert.ok(lost instanceof NoAnswerError, String(lost));
    assert.match(lost.message, /domestic-payments got no answer that can be verified now/);
    const idempotencyKey = String(lost.idempotencyKey);
    keys.open();
    const order = await payments.submit(consent, grant, {}, { idempotencyKey });
    assert.equal(order.Data.ConsentId, consent.id);
    client.close();
  });
}

test("an event that a broken key should verify is no event of the bank, and holds up no other", async () => {
  const { software, token } = await waitingEvent();
  const broken = playing("GET", keysPath, async ({ url, options, send }) => {
    const { keys } = (await (await send(url, options)).json()) as { keys: object[] };
    return Response.json({ keys: keys.map((key) => ({ ...key, n: undefined })) });
  });
  const client = await connect({ ...software, fetch: broken.fetch, retry });
  const events = client.events();
  const handler = events.handler(() => assert.fail("it is not verified"));
  const request = new Request("https://tpp.example/events", { method: "POST", body: token });
  assert.equal((await handler(request)).status, 400);
  for await (const _ of events.poll({ once: true })) assert.fail("it is not verified");
  await assert.rejects(create(client), { name: "VerificationError" });
  client.close();
});

test("if the keys come late, a code is exchanged once", async () => {
  const keys = playing("GET", keysPath, (request) => (request.count === 1 ? busy(request) : null));
  const exchanges = playing("POST", /\/token$/, () => null);
  const client = await bed.connect(
    {
      fetch: (url, options, send) =>
        keys.fetch(url, options, (to, given) => exchanges.fetch(to, given, send)),
      retry,
    },
    { profile: "fapi2" },
  );
  const consent = await client.payments("domestic-payment").createConsent(tenPounds);
  const login = await client.authorise(consent);
  const { redirectUrl: returned } = await bed.sandbox.approve(login, { customer: "amara" });
  exchanges.seen.length = 0;
  keys.seen.length = 0;
  const grant = await client.finish(login, returned);
  assert.equal(grant.consentId, consent.id);
  assert.equal(exchanges.seen.length, 1);
});

test("if the discovery document comes late, a TPP connects and registers", async () => {
  const discovery = playing("GET", /openid-configuration$/, (request) =>
    request.count === 1 ? busy(request) : null,
  );
  const software = await bed.sandbox.enterDirectory({ roles: ["AISP"] });
  const client = await register({ ...software, fetch: discovery.fetch, retry });
  discovery.seen.length = 0;
  (await connect({ ...software, client, fetch: discovery.fetch, retry })).close();
  assert.equal(discovery.seen.length, 2);
});

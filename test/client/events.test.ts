import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { EventHandler } from "#packages/client/src/events.ts";
import type { Bank, BankEvent, Consent } from "#packages/client/src/index.ts";
import { type ClientBed, openClientBed, playing } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const revoked = "urn:uk:org:openbanking:events:consent-authorization-revoked";

/** Creates a consent that a customer approves and withdraws. */
async function withdrawn(client: Bank): Promise<Consent> {
  const consent = await client.accounts.createConsent({
    Data: { Permissions: ["ReadAccountsBasic"] },
    Risk: {},
  });
  await bed.approve(client, consent);
  await bed.sandbox.revoke(consent);
  return consent;
}

/** Waits until an event can be polled. It is not acknowledged. */
const arrival = (client: Bank): Promise<BankEvent[]> => take(client.events().poll(), 1);

/** Takes the first events. */
async function take(events: AsyncIterable<BankEvent>, most = Number.POSITIVE_INFINITY) {
  const taken: BankEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === most) break;
  }
  return taken;
}

for (const version of ["v3.1", "v4.0"] as const) {
  test(`events of ${version} are polled, verified and acknowledged`, async () => {
    const client = await bed.connect({ versions: { events: version } });
    const events = client.events();
    const { Data } = await events.subscribe({});
    assert.ok(Data.Version.startsWith(version.slice(1)));
    const consent = await withdrawn(client);
    await arrival(client);
    const [event, ...others] = await take(events.poll({ once: true }));
    assert.ok(event);
    assert.equal(others.length, 0);
    assert.ok(event.types.includes(revoked));
    assert.equal(event.resource?.id, consent.id);
    assert.ok(event.occurredAt instanceof Date);
    assert.equal((await take(events.poll({ once: true }))).length, 0);
    await events.unsubscribe(Data.EventSubscriptionId);
  });
}

test("an event whose handling fails is returned again, and those before it are not", async () => {
  const client = await bed.connect();
  const events = client.events();
  await events.subscribe({});
  await withdrawn(client);
  const second = await withdrawn(client);
  const handle = async (): Promise<void> => {
    let count = 0;
    for await (const _ of events.poll()) {
      count += 1;
      if (count === 2) throw new Error("the second event fails");
    }
  };
  await assert.rejects(handle(), /the second event fails/);
  const again = await take(events.poll({ once: true }));
  assert.deepEqual(
    again.map(({ resource }) => resource?.id),
    [second.id],
  );
});

test("a poll waits for the next event, until it is aborted", async () => {
  const client = await bed.connect();
  const events = client.events();
  await events.subscribe({});
  const controller = new AbortController();
  const waiting = take(events.poll({ signal: controller.signal }), 1);
  await withdrawn(client);
  assert.equal((await waiting).length, 1);
  const idle = take(events.poll({ signal: controller.signal, most: 1 }));
  setTimeout(() => controller.abort(), 300);
  assert.ok((await idle).length <= 1);
});

test("a forged event is refused with its reason and does not reach the loop", async () => {
  let isForging = false;
  const polls = playing("POST", /\/events$/, ({ url, options, send }) =>
    isForging
      ? send(url, options).then(async (answer) => {
          const body = (await answer.json()) as { sets: Record<string, string> };
          for (const [id, token] of Object.entries(body.sets)) {
            body.sets[id] = `${token.slice(0, -8)}AAAAAAAA`;
          }
          return new Response(JSON.stringify(body), answer);
        })
      : null,
  );
  const client = await bed.connect({ fetch: polls.fetch });
  const events = client.events();
  await events.subscribe({});
  await withdrawn(client);
  await arrival(client);
  isForging = true;
  assert.deepEqual(await take(events.poll({ once: true })), []);
  const { setErrs } = JSON.parse(String(polls.seen.at(-1)?.body));
  const [refusal] = Object.values(setErrs as Record<string, { err: string }>);
  assert.equal(refusal?.err, "authentication_failed");
});

describe("a callback URL", () => {
  let server: Server;
  let client: Bank;
  let onEvent: EventHandler;
  const arrived: BankEvent[] = [];
  const statuses: number[] = [];
  let notify: () => void = () => undefined;
  let url: string;

  before(async () => {
    client = await bed.connect();
    const listener = client.events().listener((event) => onEvent(event));
    server = createServer((request, response) => {
      response.on("finish", () => {
        statuses.push(response.statusCode);
        notify();
      });
      listener(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://localhost:${port}/open-banking/v4.0/event-notifications`;
    await client.events().subscribe({ CallbackUrl: url });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const answered = (): Promise<void> =>
    new Promise((resolve) => {
      notify = resolve;
    });

  test("receives an event, after a failure again, and answers with the bank's id", async () => {
    let failures = 1;
    onEvent = (event) => {
      arrived.push(event);
      if (failures-- > 0) throw new Error("the database is down");
    };
    const first = answered();
    const consent = await withdrawn(client);
    await first;
    assert.equal(statuses.at(-1), 500);
    const second = answered();
    await bed.sandbox.advance("PT1M"); // the bank tries again after ten seconds
    await second;
    assert.equal(statuses.at(-1), 202);
    assert.deepEqual(
      arrived.map(({ resource }) => resource?.id),
      [consent.id, consent.id],
    );
    assert.equal(arrived[0]?.id, arrived[1]?.id);
  });

  test("refuses what is not a token of this bank for this client", async () => {
    onEvent = () => assert.fail("the event reached the handler");
    const send = (body: string) => fetch(url, { method: "POST", body });
    assert.equal((await send("not a token")).status, 400);
    assert.equal((await send("x".repeat(70_000))).status, 413);
    let token = "";
    const { fetch: watching } = playing(
      "POST",
      /\/events$/,
      async ({ url: to, options, send: pass }) => {
        const answer = await pass(to, options);
        const text = await answer.text();
        token = Object.values((JSON.parse(text) as { sets: Record<string, string> }).sets)[0] ?? "";
        return new Response(text, answer);
      },
    );
    const other = await bed.connect({ fetch: watching });
    await other.events().subscribe({});
    await withdrawn(other);
    await arrival(other);
    assert.equal((await send(token)).status, 400);
  });

  test("answers requests of the Fetch API in the same way", async () => {
    const handler = client.events().handler(() => undefined);
    const headers = { "x-fapi-interaction-id": "93bac548-d2de-4546-b106-880a5018460d" };
    const request = new Request(url, { method: "POST", body: "not a token", headers });
    const response = await handler(request);
    assert.equal(response.status, 400);
    assert.equal(response.headers.get("x-fapi-interaction-id"), headers["x-fapi-interaction-id"]);
  });

  test("is read and changed with the registration", async () => {
    const events = client.events();
    const { Data } = await events.readSubscriptions();
    const [subscription] = Data.EventSubscription ?? [];
    assert.equal(subscription?.CallbackUrl, url);
    const { EventSubscriptionId = "", Version = "" } = subscription ?? {};
    const changed = await events.changeSubscription({ Data: { EventSubscriptionId, Version } });
    assert.equal(changed.Data.CallbackUrl, undefined);
  });
});

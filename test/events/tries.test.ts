import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type ClaimedEvent,
  claimEvents,
  settleEvents,
  type Trouble,
} from "#src/events/claimed-events.ts";
import { deliveryLimits, type Finished, judgeReply } from "#src/events/delivery.ts";
import type { PostReply } from "#src/http/outgoing/guarded-request.ts";
import { present } from "#src/lib/assert.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addWithEvents, start } from "./stored-events.ts";

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

let clients = 0;

/**
 * Creates a TPP with a callback URL and events for these objects, in this order. Each event is
 * named by its number.
 */
async function withEvents(objects: readonly string[]): Promise<string> {
  const clientId = `tpp-${++clients}`;
  await addWithEvents(
    database,
    clientId,
    objects.map((objectId, index) => ({ jti: `${clientId}/${index}`, objectId })),
  );
  return clientId;
}

type Endpoint = { status: string; isFailing: boolean; probeAt: Temporal.Instant | null };
const endpointOf = async (clientId: string): Promise<Endpoint> =>
  present(
    await first<Endpoint>(
      database,
      sql`select status, failing_since is not null as "isFailing", probe_at as "probeAt"
        from event_subscription where client_id = ${clientId}`,
    ),
    "the endpoint",
  );

const statesOf = async (clientId: string): Promise<string[]> =>
  (
    await database.query<{ state: string }>(sql`
      select state from event where client_id = ${clientId} order by sequence`)
  ).map(({ state }) => state);

const claimBy = (processId: string, now: Temporal.Instant): Promise<ClaimedEvent[]> =>
  claimEvents(database, { processId, places: 200, now });

const claim = async (now = start, processId = "one"): Promise<string[]> =>
  (await claimBy(processId, now)).map(({ jti }) => jti).sort();

const replied = (status: number, headers: Record<string, string> = {}): PostReply => ({
  status,
  headers,
});

/**
 * Sends all due events, which get this reply. Returns their ids, and the trouble that needs
 * attention.
 */
async function deliver(
  reply: (jti: string) => PostReply,
  now: Temporal.Instant,
): Promise<{ sent: string[]; trouble: Trouble[] }> {
  const claimed = await claimBy("one", now);
  const finished = claimed.map((event) => judgeReply(event, reply(event.jti)));
  const trouble = await settleEvents(database, finished, now);
  return { sent: claimed.map(({ jti }) => jti).sort(), trouble };
}

/** Empties the queue, so that a test sees only the events that it creates. */
const forget = () => database.query(sql`delete from event_subscription`);

test("EV-10: the wait between attempts doubles from 10 seconds to an hour, and varies by a fifth", () => {
  const waitAfter = (attempts: number, random: number, headers = {}): number =>
    judgeReply({ jti: "a", attempts }, replied(503, headers), () => random).wait;
  assert.deepEqual(
    [1, 2, 3, 9, 10].map((attempts) => waitAfter(attempts, 0.5)),
    [10, 20, 40, 2560, 3600],
  );
  assert.deepEqual([waitAfter(1, 0), waitAfter(1, 1)], [8, 12]);
  assert.equal(waitAfter(1, 0.5, { "retry-after": "120" }), 120);
  assert.equal(waitAfter(1, 0.5, { "retry-after": "86400" }), 3600);
  assert.equal(waitAfter(12, 1), 3600);
});

const outcomes: [PostReply, Finished["outcome"]][] = [
  [replied(202), "accepted"],
  [replied(200), "refused"],
  [replied(302), "refused"],
  [replied(400), "refused"],
  [replied(401), "refused"],
  [replied(404), "refused"],
  [replied(408), "failed"],
  [replied(429), "failed"],
  [replied(500), "failed"],
  [replied(503), "failed"],
  [{ status: null, reason: "no connection" }, "failed"],
  [replied(410), "gone"],
];
for (const [reply, outcome] of outcomes) {
  test(`EV-10: the status of the reply to an event determines the outcome (${reply.status ?? "none"}, ${outcome})`, () => {
    assert.equal(judgeReply({ jti: "a", attempts: 1 }, reply).outcome, outcome);
  });
}

test("EV-19: events of one object are sent one after another, and events of different objects at the same time", async () => {
  await forget();
  const tpp = await withEvents(["order-a", "order-a", "order-b", "order-a"]);
  assert.deepEqual(await claim(), [`${tpp}/0`, `${tpp}/2`]);
  assert.deepEqual(await claim(), []);
  const events = [0, 2].map((index) => ({ jti: `${tpp}/${index}`, attempts: 1 }));
  await settleEvents(
    database,
    events.map((event) => judgeReply(event, replied(202))),
    start,
  );
  assert.deepEqual((await deliver(() => replied(503), start)).sent, [`${tpp}/1`]);
  assert.deepEqual(await claim(), [], "the last one waits for the one that failed");
  const later = start.add({ seconds: 13 });
  assert.deepEqual((await deliver(() => replied(202), later)).sent, [`${tpp}/1`]);
  assert.deepEqual((await deliver(() => replied(202), later)).sent, [`${tpp}/3`]);
  assert.deepEqual(await statesOf(tpp), ["accepted", "accepted", "accepted", "accepted"]);
});

test("EV-10: a failing endpoint gets one request at a time, until it has accepted an event", async () => {
  await forget();
  const tpp = await withEvents(["a", "b", "c", "d", "e", "f", "g"]);
  assert.equal((await deliver(() => replied(500), start)).sent.length, 7);
  assert.ok((await endpointOf(tpp)).isFailing);
  const later = start.add({ seconds: 13 });
  assert.equal((await claim(later)).length, 1);
  assert.deepEqual(await claim(later), [], "the endpoint has one request in progress");
  const free = later.add({ seconds: deliveryLimits.leaseSeconds });
  assert.equal((await deliver(() => replied(500), free)).sent.length, 1);
  assert.equal((await deliver(() => replied(202), free)).sent.length, 1);
  assert.ok(!(await endpointOf(tpp)).isFailing);
  assert.equal((await deliver(() => replied(202), free)).sent.length, 5);
});

/**
 * Tries until nothing is due for a day. Returns the times, and the trouble that needs attention.
 */
async function tryForLong(
  reply: (jti: string) => PostReply,
): Promise<{ tries: number; trouble: Trouble[]; end: Temporal.Instant }> {
  let now = start;
  let tries = 0;
  const trouble: Trouble[] = [];
  for (let quiet = 0; quiet < 24 * 4; now = now.add({ minutes: 15 })) {
    const done = await deliver(reply, now);
    tries += done.sent.length;
    trouble.push(...done.trouble);
    quiet = done.sent.length === 0 ? quiet + 1 : 0;
    if (trouble.length > 0) break;
  }
  return { tries, trouble, end: now };
}

test("EV-10: after 16 failed attempts an endpoint is unresponsive, and gets one event every six hours as a test", async () => {
  await forget();
  const tpp = await withEvents(["a", "b"]);
  const { tries, trouble, end } = await tryForLong(() => replied(503));
  assert.ok(tries >= deliveryLimits.tries && tries <= 2 * deliveryLimits.tries);
  assert.deepEqual(
    trouble.map(({ clientId, isUnresponsive, error }) => [clientId, isUnresponsive, error?.status]),
    [[tpp, true, 503]],
  );
  assert.equal((await endpointOf(tpp)).status, "unresponsive");
  assert.deepEqual(await statesOf(tpp), ["waiting", "waiting"]);
  const almost = end.add({ hours: 5, minutes: 59 });
  assert.deepEqual(await claim(almost), []);
  const probe = end.add({ hours: 6 });
  const failed = await deliver(() => replied(503), probe);
  assert.equal(failed.sent.length, 1);
  assert.deepEqual(failed.trouble, [], "it is known");
  assert.deepEqual(await claim(probe.add({ hours: 5 })), []);
  const found = await deliver(() => replied(202), probe.add({ hours: 6 }));
  assert.equal(found.sent.length, 1);
  assert.equal((await endpointOf(tpp)).status, "active");
  const rest = await deliver(() => replied(202), probe.add({ hours: 6 }));
  assert.equal(rest.sent.length, 1);
  assert.deepEqual(await statesOf(tpp), ["accepted", "accepted"]);
});

test("EV-10: an event that keeps failing becomes undelivered if its endpoint accepts other events", async () => {
  await forget();
  const objects = Array.from({ length: 120 }, (_, index) => `object-${index}`);
  const tpp = await withEvents(objects);
  // one event can be accepted in each round
  let now = start;
  const trouble: Trouble[] = [];
  for (let round = 0; round < 200 && trouble.length === 0; round++) {
    const done = await deliver((jti) => replied(jti.endsWith("/0") ? 500 : 202), now);
    trouble.push(...done.trouble);
    now = now.add({ minutes: 15 });
    await database.query(sql`
      insert into event (jti, client_id, object_id, change_sequence, facts, occurred_at,
        next_try_at)
      values (${`${tpp}/more-${round}`}, ${tpp}, ${`more-${round}`}, 1, '{}', ${start}, ${now})`);
  }
  assert.deepEqual(
    trouble.map(({ jti, isUnresponsive }) => [jti, isUnresponsive]),
    [[`${tpp}/0`, false]],
  );
  assert.equal((await statesOf(tpp))[0], "undelivered");
  assert.equal((await endpointOf(tpp)).status, "active");
});

test("EV-21: if a process dies, another process sends its event, and only the new outcome is stored", async () => {
  await forget();
  const tpp = await withEvents(["a"]);
  const [dead] = await claimBy("one", start);
  const soon = start.add({ seconds: 29 });
  assert.deepEqual(await claim(soon, "two"), []);
  const later = start.add({ seconds: 30 });
  const [taken] = await claimBy("two", later);
  assert.equal(taken?.jti, dead?.jti);
  await settleEvents(database, [judgeReply(present(dead, "it"), replied(400))], later);
  assert.deepEqual(await statesOf(tpp), ["waiting"]);
  await settleEvents(database, [judgeReply(present(taken, "it"), replied(202))], later);
  assert.deepEqual(await statesOf(tpp), ["accepted"]);
});

test("EV-21: an event whose attempt was stopped is due again immediately, and the attempt is not counted", async () => {
  await forget();
  const tpp = await withEvents(["a"]);
  const [event] = await claimBy("one", start);
  const { jti, attempts } = present(event, "the event");
  const stopped: Finished = { jti, attempts, outcome: "stopped", wait: 0, error: null };
  await settleEvents(database, [stopped], start);
  assert.ok(!(await endpointOf(tpp)).isFailing);
  const [again] = await claimBy("two", start);
  assert.deepEqual([again?.jti, again?.attempts], [jti, 1]);
});

if (onPostgres) {
  test("EV-19, EV-21: of concurrent processes, only one claims events of a TPP", async () => {
    await forget();
    const objects = Array.from({ length: 30 }, (_, index) => `o-${index}`);
    const tpps = [await withEvents(objects), await withEvents(objects), await withEvents(objects)];
    const processes = Array.from({ length: 8 }, (_, index) => claim(start, `process-${index}`));
    const claims = await Promise.all(processes);
    for (const tpp of tpps) {
      const counts = claims.map((jtis) => jtis.filter((jti) => jti.startsWith(`${tpp}/`)).length);
      assert.deepEqual(counts.toSorted(), [0, 0, 0, 0, 0, 0, 0, objects.length]);
    }
  });
}

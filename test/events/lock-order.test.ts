import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { claimEvents, settleEvents } from "#src/events/claimed-events.ts";
import { judgeReply } from "#src/events/delivery.ts";
import { type EventFacts, type SigningDeps, signEvents } from "#src/events/event-set.ts";
import { pollEvents, purgeEvents } from "#src/events/poll.ts";
import {
  type ChosenRegistration,
  changeRegistration,
  endRegistration,
  type RegistrationKey,
} from "#src/events/registration.ts";
import { resendEvents } from "#src/events/stored-events.ts";
import { present } from "#src/lib/assert.ts";
import { aispV40 as api } from "#src/standard/aisp-v4.0/version.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addWithEvents, start } from "./stored-events.ts";

// Two statements that lock the same events deadlock only if they lock them in different orders. So
// it is enough that each statement locks the event with the lowest id before any other.

const later = start.add({ hours: 24 * 365 });
const perTpp = 5;

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

/** Creates a TPP with events whose ids are in the opposite order to that of the events. */
async function withEvents(clientId: string): Promise<string[]> {
  const jtis = Array.from({ length: perTpp }, (_, index) => `${clientId}/${perTpp - index}`);
  await addWithEvents(
    database,
    clientId,
    jtis.map((jti) => ({ jti, objectId: jti })),
  );
  return jtis;
}

const keyOf = (clientId: string): RegistrationKey => ({
  clientId,
  subscriptionId: clientId,
  form: "subscription",
  serves: new Set(["events-v4.0"] as const),
});

const chosen: ChosenRegistration = {
  callbackUrl: "https://tpp.example",
  version: "4.0",
  namedTypes: null,
  eventTypes: ["resource-update"],
};
const facts: EventFacts = {
  objectKind: "consent",
  kind: "account-access",
  objectId: "consent",
  apiVersion: api.id,
  version: "4.0",
  types: ["resource-update"],
  txn: null,
};
const signing: Omit<SigningDeps, "database"> = {
  resources: [{ objectKind: "consent", kind: "account-access", type: "", readableOn: () => [api] }],
  issuer: "",
  base: "",
  isPublished: () => true,
  sign: async () => "token",
};

/** Makes a statement ready, and returns the function that runs it. */
type Statement = (clientId: string, jtis: string[]) => Promise<() => Promise<unknown>>;

const statements: Record<string, Statement> = {
  "a poll that acknowledges": async (clientId, ack) => () =>
    pollEvents({ ...signing, database }, clientId, { ack }, 0, start),
  "the storing of signatures": async (clientId, jtis) => {
    const events = jtis.map((jti) => ({ jti, clientId, facts, occurredAt: start, token: null }));
    return () => signEvents({ ...signing, database }, events, start);
  },
  "the storing of outcomes": async () => {
    const claimed = await claimEvents(database, { processId: "one", places: perTpp, now: start });
    assert.equal(claimed.length, perTpp);
    const finished = claimed.map((event) => judgeReply(event, { status: 202, headers: {} }));
    return () => settleEvents(database, finished, start);
  },
  "the change of a registration": async (clientId) => {
    await database.query(sql`update event set attempts = 1, first_failed_at = ${start}`);
    return () => changeRegistration(database, keyOf(clientId), chosen, start);
  },
  "the end of a registration": async (clientId) => () =>
    endRegistration(database, keyOf(clientId), start),
  "sending events again": async (clientId) => () =>
    resendEvents(database, clientId, { days: 1 }, start),
  "the deletion of old events": async () => () => purgeEvents(database, later),
};

/** Waits until a statement waits for a lock. */
async function untilBlocked(): Promise<void> {
  for (;;) {
    const blocked = await first(
      database,
      sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (blocked) return;
    await setTimeout(5);
  }
}

for (const [name, prepare] of Object.entries(statements)) {
  test(`EV-21: each statement that changes events locks them in the order of their ids (${name})`, {
    skip: !onPostgres && "the embedded database has one connection",
  }, async () => {
    await database.query(sql`delete from event_subscription`);
    await database.query(sql`delete from event`);
    const clientId = `tpp-${name.replaceAll(" ", "-")}`;
    const jtis = await withEvents(clientId);
    const run = await prepare(clientId, jtis);
    const lowest = present(jtis.toSorted()[0], "an event");
    let running: Promise<unknown> | undefined;
    const free = await database.transaction(async (on) => {
      await on.query(sql`select from event where jti = ${lowest} for update`);
      running = run();
      await untilBlocked();
      const rows = await on.query<{ jti: string }>(
        sql`select jti from event for update skip locked`,
      );
      return rows.map(({ jti }) => jti);
    });
    await running;
    assert.deepEqual(free.toSorted(), jtis.toSorted(), "no other event is locked yet");
  });
}

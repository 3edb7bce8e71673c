import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { consentSubjects } from "#src/consents/consent-facts.ts";
import { createCollector } from "#src/events/collect-events.ts";
import { pollEvents } from "#src/events/poll.ts";
import { listChanges } from "#src/history/change.ts";
import { aispV40 as api } from "#src/standard/aisp-v4.0/version.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { changeStatus } from "#test/consents/stored-rows.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

const now = Temporal.Instant.from("2027-03-01T10:00:00Z");
const count = 40;

let database: Database;
let clientId: string;
before(async () => {
  database = await openEmpty();
  clientId = "tpp-of-events";
  await addClient(database, clientId);
  await database.query(sql`
    insert into event_subscription (client_id, subscription_id, form, api_version, version,
      event_types, since)
    values (${clientId}, 'evs-one', 'subscription', 'events-v4.0', '4.0',
      array['resource-update'], ${now})`);
});
after(() => database?.close());

async function lodge(consentId: string): Promise<void> {
  const access = { kind: "account-access", apiVersion: "aisp-v4.0", clientId, changedBy: "tpp" };
  await addConsents(database, [{ ...access, consentId, status: "AWAU", at: now, waits: true }]);
}

const reject = (consentId: string) => move(consentId, "RJCT");

const move = (consentId: string, status: string) =>
  changeStatus(consentId, status, { by: "clock", at: now });

const collectors = () =>
  Array.from({ length: 4 }, () =>
    createCollector(database, [{ objectKind: "consent", rows: () => consentSubjects }]),
  );

const eventsOf = async (prefix: string): Promise<string[]> =>
  (
    await database.query<{ id: string }>(sql`
      select object_id as id from event where object_id like ${`${prefix}%`} order by sequence`)
  ).map(({ id }) => id);

async function drain(): Promise<void> {
  const [collect] = collectors();
  while (((await collect?.()) ?? 0) > 0);
}

/** Collects, and returns the objects of the events. */
async function collected(prefix: string): Promise<string[]> {
  await drain();
  return eventsOf(prefix);
}

/** A transaction that a test keeps open. */
type Open = { run(statement: Sql): Promise<unknown>; commit(): Promise<void> };

/** Begins a transaction that has a number, as if it had written something. */
async function begin(on: Database): Promise<Open> {
  const ready = Promise.withResolvers<Queryable>();
  const over = Promise.withResolvers<void>();
  const done = on.transaction(async (transaction) => {
    await transaction.query(sql`select pg_current_xact_id()`);
    ready.resolve(transaction);
    await over.promise;
  });
  const transaction = await ready.promise;
  return {
    run: (statement) => transaction.query(statement),
    async commit() {
      over.resolve();
      await done;
    },
  };
}

test("EV-21: several collectors together make exactly one event for each change", async () => {
  const ids = Array.from({ length: count }, (_, index) => `many-${index}`);
  for (const id of ids) await lodge(id);
  const working = collectors();
  await Promise.all([
    ...ids.map((id) => database.query(reject(id))),
    ...working.flatMap((collect) => Array.from({ length: 10 }, () => collect())),
  ]);
  const made = await collected("many-");
  assert.equal(made.length, count);
  assert.deepEqual(new Set(made), new Set(ids));
});

test("EV-21: if a collector dies before its commit, the next one collects the same changes", async () => {
  await lodge("dies-1");
  await database.query(reject("dies-1"));
  const dying: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (on) => {
        await work(on);
        throw new Error("the process died");
      }),
  };
  const collect = createCollector(dying, [{ objectKind: "consent", rows: () => consentSubjects }]);
  await assert.rejects(collect(), /died/);
  assert.deepEqual(await eventsOf("dies-"), []);
  assert.deepEqual(await collected("dies-"), ["dies-1"]);
});

if (onPostgres) {
  test("EV-21: a change that is committed late becomes an event, before the later changes", async () => {
    for (const id of ["late-1", "late-2", "late-3"]) await lodge(id);
    const late = await begin(database);
    await late.run(reject("late-1"));
    await database.query(reject("late-2"));
    assert.deepEqual(await collected("late-"), []);
    const [collect] = collectors();
    await collect?.();
    const later = await begin(database);
    await later.run(reject("late-3"));
    await late.commit();
    await collect?.();
    assert.deepEqual(await eventsOf("late-"), ["late-1", "late-2"], "others go on writing");
    await later.commit();
    assert.deepEqual(await collected("late-"), ["late-1", "late-2", "late-3"]);
  });

  test("EV-21: an object's events keep their order, even if a later transaction commits first", async () => {
    await lodge("order-1");
    const oldest = await begin(database);
    await database.query(move("order-1", "RJCT"));
    await oldest.run(move("order-1", "EXPD"));
    await oldest.commit();
    await drain();
    const events = await database.query<{ change: bigint }>(sql`
      select change_sequence as change from event
      where object_id = 'order-1' order by sequence`);
    const changes = await listChanges(database, "order-1");
    assert.deepEqual(
      events.map(({ change }) => changes.find(({ sequence }) => sequence === change)?.after.status),
      ["RJCT", "EXPD"],
    );
  });

  test("EV-21: a transaction that does not write history does not delay events, in this database or in another", async () => {
    const server = await startPostgres();
    const other = await openPostgres(server.url);
    const open = [await begin(database), await begin(other)];
    await lodge("busy-1");
    await database.query(reject("busy-1"));
    assert.deepEqual(await collected("busy-"), ["busy-1"]);
    for (const transaction of open) await transaction.commit();
    await other.close();
    await server.stop();
  });

  test("EV-21: a change in a prepared transaction becomes an event when it is committed", async () => {
    await lodge("two-phase-1");
    const [collect] = collectors();
    const writing = await begin(database);
    await writing.run(reject("two-phase-1"));
    await collect?.();
    await writing.run(sql`prepare transaction 'two-phase'`);
    await writing.commit();
    await lodge("two-phase-2");
    await database.query(reject("two-phase-2"));
    await collect?.();
    await collect?.();
    assert.deepEqual(await eventsOf("two-phase-"), []);
    await database.query(sql`commit prepared 'two-phase'`);
    assert.deepEqual(await collected("two-phase-"), ["two-phase-1", "two-phase-2"]);
  });
}

test("EV-16, EV-21: concurrent first deliveries of an event have the same bytes", async () => {
  await lodge("same-1");
  await database.query(reject("same-1"));
  await drain();
  let signatures = 0;
  const deps = {
    database,
    isPublished: () => true,
    sign: async () => `${Buffer.from('{"kid":"one"}').toString("base64url")}.${signatures++}`,
    issuer: "https://bank.test",
    base: "https://bank.test",
    resources: [
      { objectKind: "consent", kind: "account-access", type: "a", readableOn: () => [api] },
    ] as const,
  };
  const polls = await Promise.all(
    Array.from({ length: 6 }, () => pollEvents(deps, clientId, {}, 100, now)),
  );
  const row = await first<{ jti: string }>(
    database,
    sql`select jti from event where object_id = 'same-1'`,
  );
  assert.ok(row);
  assert.equal(new Set(polls.map(({ sets }) => sets[row.jti])).size, 1);
});

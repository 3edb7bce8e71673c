import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { consentSubjects } from "#src/consents/consent-facts.ts";
import { createCollector } from "#src/events/collect-events.ts";
import { pollEvents } from "#src/events/poll.ts";
import { aispV40 as api } from "#src/standard/aisp-v4.0/version.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/bank/empty-bank.ts";
import { addClient } from "#test/clients/add-client.ts";
import { onPostgres } from "#test/postgres.ts";

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
  await database.query(sql`
    insert into consent (consent_id, kind, api_version, client_id, status, created_at,
      status_updated_at, body, changed_by, changed_at)
    values (${consentId}, 'account-access', 'aisp-v4.0', ${clientId}, 'AWAU', ${now}, ${now},
      '{}', 'tpp', ${now})`);
}

const reject = (consentId: string) => move(consentId, "RJCT");

const move = (consentId: string, status: string) => sql`
  update consent set status = ${status}, revision = revision + 1, changed_by = 'clock',
    changed_at = ${now}
  where consent_id = ${consentId}`;

const collectors = () =>
  Array.from({ length: 4 }, () =>
    createCollector(database, [{ objectKind: "consent", rows: consentSubjects }]),
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

/** Collects until there are this many events. Transactions of other databases may delay them. */
async function drainUntil(prefix: string, count: number): Promise<string[]> {
  for (;;) {
    await drain();
    const made = await eventsOf(prefix);
    if (made.length >= count) return made;
    await setTimeout(10);
  }
}

test("EV-21: several collectors together make exactly one event for each change", async () => {
  const ids = Array.from({ length: count }, (_, index) => `many-${index}`);
  for (const id of ids) await lodge(id);
  const working = collectors();
  await Promise.all([
    ...ids.map((id) => database.query(reject(id))),
    ...working.flatMap((collect) => Array.from({ length: 10 }, () => collect())),
  ]);
  const made = await drainUntil("many-", count);
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
  const collect = createCollector(dying, [{ objectKind: "consent", rows: consentSubjects }]);
  const die = async (): Promise<void> => {
    for (;;) {
      await collect();
      await setTimeout(10);
    }
  };
  await assert.rejects(die(), /died/);
  assert.deepEqual(await eventsOf("dies-"), []);
  assert.deepEqual(await drainUntil("dies-", 1), ["dies-1"]);
});

if (onPostgres) {
  test("EV-21: a change that is committed late becomes an event, even if later changes were read before it", async () => {
    await lodge("late-1");
    await lodge("late-2");
    let isWritten = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      isWritten = resolve;
    });
    let commit = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const late = database.transaction(async (on) => {
      await on.query(reject("late-1"));
      isWritten();
      await released;
    });
    await written;
    await database.query(reject("late-2"));
    await drain();
    commit();
    await late;
    const made = await drainUntil("late-", 2);
    assert.deepEqual(new Set(made), new Set(["late-1", "late-2"]));
    assert.equal(made.length, 2);
  });

  test("EV-21: an object's events keep their order, even if a later transaction commits first", async () => {
    await lodge("order-1");
    const gate = (): [Promise<void>, () => void] => {
      let open = (): void => undefined;
      return [new Promise<void>((resolve) => (open = resolve)), () => open()];
    };
    const hold = async (goesOn: Promise<void>, work: (on: Queryable) => Promise<unknown>) => {
      const [hasBegun, begin] = gate();
      const done = database.transaction(async (on) => {
        await on.query(sql`select pg_current_xact_id()`);
        begin();
        await goesOn;
        await work(on);
      });
      await hasBegun;
      return { done };
    };
    const [writes, write] = gate();
    const [ends, end] = gate();
    // the oldest transaction writes last; while the middle one is open, the newest change is not
    // read
    const oldest = await hold(writes, (on) => on.query(move("order-1", "EXPD")));
    const between = await hold(ends, async () => undefined);
    await database.query(move("order-1", "RJCT"));
    write();
    await oldest.done;
    await drain();
    assert.deepEqual(await eventsOf("order-"), []);
    end();
    await between.done;
    await drainUntil("order-", 2);
    const rows = await database.query<{ after: string }>(sql`
      select c.after->>'status' as after from event e
      join change c on c.object_id = e.object_id and c.sequence = e.change_sequence
      where e.object_id = 'order-1' order by e.sequence`);
    assert.deepEqual(rows, [{ after: "RJCT" }, { after: "EXPD" }]);
  });
}

test("EV-16, EV-21: concurrent first deliveries of an event have the same bytes", async () => {
  await lodge("same-1");
  await database.query(reject("same-1"));
  await drainUntil("same-", 1);
  let signatures = 0;
  const deps = {
    database,
    kid: "one",
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

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createClientKeys } from "#src/clients/client-keys.ts";
import type { RegisteredKey } from "#src/clients/register-client.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { makeKeyPair } from "#test/http/fake-bank.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addClient } from "./add-client.ts";

let database: Database;
let statements = 0;
let clientId = "";
let count = 0;
let now = Temporal.Instant.from("2026-06-01T00:00:00Z");
const clock: Clock = { now: () => now };

before(async () => {
  const opened = await openEmpty();
  database = {
    ...opened,
    query: (statement) => {
      statements += 1;
      return opened.query(statement);
    },
  };
});
after(() => database?.close());
beforeEach(() => {
  count += 1;
  clientId = `client-${count}`;
});

const store = async (keys: readonly object[]): Promise<void> =>
  addClient(database, clientId, { keys: keys as RegisteredKey[] });

async function versionOf(id: string): Promise<number> {
  const [row] = await database.query<{ version: number }>(
    sql`select jwks_version as version from client_setting where client_id = ${id}`,
  );
  return row?.version ?? -1;
}

const setState = (kid: string, state: string) =>
  database.query(sql`
    update client_key set state = ${state} where client_id = ${clientId} and kid = ${kid}`);

const keyIds = async (load: ReturnType<typeof createClientKeys>): Promise<string[]> => [
  ...(await load(clientId, await versionOf(clientId), "one")).keys(),
];

test("a key set is read once per version, and a new version is read immediately", async () => {
  const [one, two] = [await makeKeyPair("one"), await makeKeyPair("two")];
  const load = createClientKeys({ database, clock });
  await store([one.jwk]);
  const version = await versionOf(clientId);
  statements = 0;
  const [first, again] = await Promise.all([
    load(clientId, version, "one"),
    load(clientId, version, "one"),
  ]);
  assert.deepEqual([...first.keys()], ["one"]);
  assert.equal(again, first);
  assert.equal(statements, 1);
  await database.query(sql`
    insert into client_key (client_id, kid, use, jwk, source, created_at)
    values (${clientId}, 'two', 'sig', ${JSON.stringify(two.jwk)}::json, 'directory', now())`);
  assert.deepEqual((await keyIds(load)).sort(), ["one", "two"]);
});

test("every change of a key raises the version of its client only", async () => {
  const { jwk } = await makeKeyPair("one");
  await store([jwk, { ...jwk, kid: "two" }]);
  await addClient(database, "bystander", { keys: [jwk as RegisteredKey] });
  const other = await versionOf("bystander");
  let version = await versionOf(clientId);
  const changes = [
    () => setState("one", "retired"),
    () => setState("two", "withdrawn"),
    () => database.query(sql`delete from client_key where client_id = ${clientId}`),
  ];
  for (const change of changes) {
    await change();
    const next = await versionOf(clientId);
    assert.ok(next > version, `${next} after ${version}`);
    version = next;
  }
  assert.equal(await versionOf("bystander"), other);
});

test("retired and withdrawn keys are not accepted", async () => {
  const keys = await Promise.all(["one", "two", "three"].map((kid) => makeKeyPair(kid)));
  await store(keys.map(({ jwk }) => jwk));
  const load = createClientKeys({ database, clock });
  assert.deepEqual((await keyIds(load)).sort(), ["one", "three", "two"]);
  await setState("one", "retired");
  await setState("two", "withdrawn");
  assert.deepEqual(await keyIds(load), ["three"]);
});

test("a retired key can be accepted again, a withdrawn key never", async () => {
  const { jwk } = await makeKeyPair("one");
  await store([jwk]);
  const load = createClientKeys({ database, clock });
  await setState("one", "retired");
  await setState("one", "active");
  assert.deepEqual(await keyIds(load), ["one"]);
  await setState("one", "withdrawn");
  await assert.rejects(setState("one", "active"), /a withdrawn key is never accepted again/);
  await store([jwk]);
  assert.deepEqual(await keyIds(load), []);
});

test("a key is accepted from its start until just before its end, without a new version", async () => {
  const { jwk } = await makeKeyPair("one");
  await store([jwk, { ...jwk, kid: "always" }]);
  await database.query(sql`
    update client_key set not_before = '2026-06-01T01:00:00Z', not_after = '2026-06-01T02:00:00Z'
    where client_id = ${clientId} and kid = 'one'`);
  const load = createClientKeys({ database, clock });
  const at = async (time: string): Promise<string[]> => {
    now = Temporal.Instant.from(time);
    return (await keyIds(load)).sort();
  };
  assert.deepEqual(await at("2026-06-01T00:59:59Z"), ["always"]);
  assert.deepEqual(await at("2026-06-01T01:00:00Z"), ["always", "one"]);
  assert.deepEqual(await at("2026-06-01T01:59:59Z"), ["always", "one"]);
  assert.deepEqual(await at("2026-06-01T02:00:00Z"), ["always"]);
});

test("a key that is for another use, too short, malformed or without an id is left out", async () => {
  const { jwk } = await makeKeyPair("good");
  const { kid: _, ...nameless } = jwk;
  await store([
    { kty: "RSA", kid: "broken", n: "!", e: "" },
    { ...jwk, kid: "encryption", use: "enc" },
    { ...jwk, kid: "short", n: "AQAB" },
    { kty: "oct", kid: "secret", k: "AAAA" },
    { kty: "EC", kid: "curve", crv: "P-256", x: "AA", y: "AA" },
    nameless,
    { ...jwk, x5c: ["-----BEGIN CERTIFICATE-----"] },
  ]);
  assert.deepEqual(await keyIds(createClientKeys({ database, clock })), ["good"]);
});

test("an unknown client has no keys, and a failure is not cached", async () => {
  assert.equal((await createClientKeys({ database, clock })("nobody", 1, "one")).size, 0);
  const { jwk } = await makeKeyPair("one");
  await store([jwk]);
  let gone = true;
  const failing: Pick<Database, "query"> = {
    query: async (statement) => {
      if (gone) throw new Error("gone");
      return database.query(statement);
    },
  };
  const load = createClientKeys({ database: failing, clock });
  await assert.rejects(load(clientId, 1, "one"));
  gone = false;
  assert.equal((await load(clientId, 1, "one")).size, 1);
});

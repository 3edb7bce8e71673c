import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createClientKeys } from "#src/auth/client-keys.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { sql } from "#src/storage/sql.ts";
import { makeKeyPair } from "#test/http/fake-bank.ts";

let database: Database;
let statements = 0;

before(async () => {
  const opened = await openPglite({});
  await migrate(opened);
  database = {
    ...opened,
    query: (statement) => {
      statements += 1;
      return opened.query(statement);
    },
  };
});
after(() => database.close());

async function storeKeys(keys: object[], version: number): Promise<void> {
  await database.query(sql`
    insert into client (client_id, organisation_id, software_id, name, roles, certificate_bound,
      jwks, jwks_version, metadata, created_at)
    values ('c', 'o', 's', 'n', '{}', false, ${JSON.stringify({ keys })}::json, ${version}, '{}',
      now())
    on conflict (client_id) do update set jwks = excluded.jwks,
      jwks_version = excluded.jwks_version`);
}

test("a key set is read once a version, and a new version is read at once", async () => {
  const [one, two] = [await makeKeyPair("one"), await makeKeyPair("two")];
  const load = createClientKeys(database);
  await storeKeys([one.jwk], 1);
  statements = 0;
  const [first, again] = await Promise.all([load("c", 1), load("c", 1)]);
  assert.deepEqual([...first.keys()], ["one"]);
  assert.equal(again, first);
  assert.equal(statements, 1);
  await storeKeys([two.jwk], 2);
  assert.deepEqual([...(await load("c", 2)).keys()], ["two"]);
});

test("keys for other uses, too short, broken or without a name are passed over", async () => {
  const { jwk } = await makeKeyPair("good");
  const { kid: _, ...nameless } = jwk;
  const set = [
    { kty: "RSA", kid: "broken", n: "!", e: "" },
    { ...jwk, kid: "encryption", use: "enc" },
    { ...jwk, kid: "short", n: "AQAB" },
    { kty: "oct", kid: "secret", k: "AAAA" },
    { kty: "EC", kid: "curve", crv: "P-256", x: "AA", y: "AA" },
    nameless,
    { ...jwk, x5c: ["-----BEGIN CERTIFICATE-----"] },
  ];
  await storeKeys(set, 3);
  const keys = await createClientKeys(database)("c", 3);
  assert.deepEqual([...keys.keys()], ["good"]);
});

test("a client that is not there has no keys, and a failure is not kept", async () => {
  assert.equal((await createClientKeys(database)("nobody", 1)).size, 0);
  let gone = true;
  const load = createClientKeys({
    query: async (statement) => {
      if (gone) throw new Error("gone");
      return database.query(statement);
    },
  });
  await assert.rejects(load("c", 3));
  gone = false;
  assert.equal((await load("c", 3)).size, 1);
});

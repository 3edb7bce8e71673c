import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addClient } from "./add-client.ts";

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

type Stored = {
  organisation: string;
  software: string;
  roles: string[];
  metadata: object;
  status: string;
  bound: boolean;
  kids: string[];
};

async function load(clientId: string): Promise<Stored | undefined> {
  const [row] = await database.query<Stored>(sql`
    select o.name as organisation, s.name as software, s.roles, cl.metadata, cs.status,
      cs.certificate_bound as bound,
      (select json_agg(k.kid order by k.kid) from client_key k
        where k.client_id = cl.client_id) as kids
    from client cl
    join client_setting cs on cs.client_id = cl.client_id
    join software s on s.software_id = cl.software_id
    join organisation o on o.organisation_id = cl.organisation_id
    where cl.client_id = ${clientId}`);
  return row;
}

test("a client is stored with its organisation, software, settings and keys", async () => {
  await addClient(database, "c1", {
    name: "Pocketwise",
    roles: ["AISP"],
    metadata: { scope: "openid accounts" },
    keys: [{ kid: "one" }, { kid: "two", use: "enc" }],
  });
  assert.deepEqual(await load("c1"), {
    organisation: "Pocketwise",
    software: "Pocketwise",
    roles: ["AISP"],
    metadata: { scope: "openid accounts" },
    status: "active",
    bound: true,
    kids: ["one", "two"],
  });
});

test("a repeated registration updates the software and does not change the bank's settings", async () => {
  const ids = { organisationId: "org", softwareId: "soft" };
  await addClient(database, "c2", { ...ids, name: "Before", keys: [{ kid: "one" }] });
  await database.query(sql`
    update client_setting set status = 'suspended', certificate_bound = false
    where client_id = 'c2'`);
  await addClient(database, "c2", { ...ids, name: "After", metadata: { scope: "x" } });
  const stored = await load("c2");
  assert.deepEqual(
    [stored?.software, stored?.organisation, stored?.status, stored?.bound, stored?.kids],
    ["After", "After", "suspended", false, ["one"]],
  );
  assert.deepEqual(stored?.metadata, {});
});

test("two clients of one software share its name and have separate settings and keys", async () => {
  const ids = { organisationId: "shared-org", softwareId: "shared" };
  await addClient(database, "c3", { ...ids, keys: [{ kid: "three" }] });
  await addClient(database, "c4", {
    ...ids,
    name: "Renamed",
    keys: [{ kid: "three" }, { kid: "four" }],
    setting: { status: "suspended" },
  });
  const [one, two] = [await load("c3"), await load("c4")];
  assert.deepEqual([one?.software, two?.software], ["Renamed", "Renamed"]);
  assert.deepEqual([one?.status, two?.status], ["active", "suspended"]);
  assert.deepEqual([one?.kids, two?.kids], [["three"], ["four", "three"]]);
});

test("software of one organisation cannot be registered for another, and nothing is stored", async () => {
  await addClient(database, "c5", { organisationId: "owner", softwareId: "owned" });
  await assert.rejects(
    addClient(database, "c6", { organisationId: "thief", softwareId: "owned" }),
    /foreign key/,
  );
  assert.equal(await load("c6"), undefined);
  const rows = await database.query(
    sql`select name from organisation where organisation_id = 'thief'`,
  );
  assert.deepEqual(rows, []);
});

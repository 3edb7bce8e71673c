import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import {
  grantVrpContract,
  loadVrpContracts,
  withdrawVrpContract,
} from "#src/clients/vrp-contracts.ts";
import { byBank, type Change, changed, listChanges } from "#src/history/change.ts";
import type { Database } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { createChangeReader } from "#test/history/change-reader.ts";
import { rewriting } from "#test/history/stored-changes.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addClient, vrpContract } from "./add-client.ts";

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

const at = Temporal.Instant.from("2026-06-01T00:00:00Z");
const historyOf = (clientId: string): Promise<Change[]> => listChanges(database, clientId);

/** Runs a statement, which must make exactly one change of a client. Returns the change. */
async function changeBy(clientId: string, statement: Sql): Promise<Change> {
  const earlier = (await historyOf(clientId)).length;
  await database.query(statement);
  const history = await historyOf(clientId);
  assert.equal(history.length, earlier + 1);
  const [before, last] = history.slice(-2) as [Change, Change];
  assert.deepEqual(last.before, before.after);
  return last;
}

const key = (kid: string, state = "active", more = {}) => ({
  kid,
  use: "sig",
  state,
  notBefore: null,
  notAfter: null,
  ...more,
});

test("a registration is one change, with the settings and the keys", async () => {
  const keys = [{ kid: "one" }, { kid: "two", use: "enc" }];
  await addClient(database, "c1", { keys, certificateSubject: "CN=c1" });
  const [created, ...more] = await historyOf("c1");
  assert.deepEqual(more, []);
  assert.deepEqual(created?.after, {
    status: "active",
    suspendedBy: null,
    suspendedBecause: null,
    withheldScopes: [],
    certificateBound: true,
    certificateSubject: "CN=c1",
    metadata: {},
    statementSha256: null,
    vrpContracts: [],
    schemeStatus: null,
    keys: [key("one"), key("two", "active", { use: "enc" })],
  });
  assert.deepEqual(
    [created?.objectKind, created?.before, created?.cause, created?.apiVersion],
    ["client", null, "bank", null],
  );
  assert.equal(created?.occurredAt.toString(), "2026-01-01T00:00:00Z");
});

test("a repeated registration changes nothing and adds nothing to the history", async () => {
  await addClient(database, "c2", { name: "Before", keys: [{ kid: "one" }] });
  await addClient(database, "c2", { name: "After", keys: [{ kid: "two" }] });
  assert.equal((await historyOf("c2")).length, 1);
});

test("a suspension and its end are changes, with the cause that the statement gives", async () => {
  await addClient(database, "c3");
  const why = { ...byBank(at), interactionId: "request-1" };
  const suspended = await changeBy(
    "c3",
    sql`update client_setting set status = 'suspended', ${changed(why)} where client_id = 'c3'`,
  );
  assert.deepEqual([suspended.before?.status, suspended.after.status], ["active", "suspended"]);
  assert.deepEqual([suspended.cause, suspended.interactionId], ["bank", "request-1"]);
  assert.equal(suspended.occurredAt.toString(), at.toString());
  const restored = await changeBy(
    "c3",
    sql`update client_setting set status = 'active' where client_id = 'c3'`,
  );
  assert.deepEqual(
    [restored.after.status, restored.cause, restored.interactionId],
    ["active", "unknown", null],
  );
});

test("a change of any other setting or of the certificate's subject is in the history", async () => {
  await addClient(database, "c4", { certificateSubject: "CN=before" });
  const unbound = await changeBy(
    "c4",
    sql`update client_setting set certificate_bound = false where client_id = 'c4'`,
  );
  assert.equal(unbound.after.certificateBound, false);
  const renamed = await changeBy(
    "c4",
    sql`update client set certificate_subject = 'CN=after' where client_id = 'c4'`,
  );
  assert.equal(renamed.after.certificateSubject, "CN=after");
});

test("a change of the registered members is in the history, with those before it", async () => {
  const metadata = { scope: "openid accounts", software_statement: "one" };
  await addClient(database, "c10", { metadata });
  const narrowed = await changeBy(
    "c10",
    sql`update client set metadata = '{"scope":"openid","software_statement":"one"}'
      where client_id = 'c10'`,
  );
  assert.deepEqual(
    [narrowed.before?.metadata, narrowed.after.metadata],
    [{ scope: "openid accounts" }, { scope: "openid" }],
  );
  const restated = await changeBy(
    "c10",
    sql`update client set metadata = '{"scope":"openid","software_statement":"two"}'
      where client_id = 'c10'`,
  );
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  assert.deepEqual(
    [restated.before?.statementSha256, restated.after.statementSha256],
    [hash("one"), hash("two")],
  );
});

test("a contract is in the history from its grant to its withdrawal", async () => {
  await addClient(database, "c9");
  const why = byBank(at);
  const grant = (contractId: string, until: string | null) =>
    grantVrpContract(database, "c9", { ...vrpContract, contractId, until }, why);
  assert.equal(await grantVrpContract(database, "nobody", vrpContract, why), false);
  assert.equal(await withdrawVrpContract(database, "c9", "two", why), false);
  for (const [id, until] of [
    ["two", null],
    ["one", null],
    ["two", "2027-12-31"],
  ] as const) {
    assert.equal(await grant(id, until), true);
  }
  assert.deepEqual(await loadVrpContracts(database, "c9"), [
    { ...vrpContract, contractId: "one", until: null },
    { ...vrpContract, contractId: "two", until: "2027-12-31" },
  ]);
  assert.equal(await withdrawVrpContract(database, "c9", "one", why), true);
  assert.equal(await withdrawVrpContract(database, "c9", "two", why), true);
  const history = (await historyOf("c9")).map(({ after, cause }) => [
    cause,
    (after.vrpContracts as { contractId: string; until: string }[]).map(
      ({ contractId, until }) => `${contractId} ${until}`,
    ),
  ]);
  assert.deepEqual(history, [
    ["bank", []],
    ["bank", ["two null"]],
    ["bank", ["one null", "two null"]],
    ["bank", ["one null", "two 2027-12-31"]],
    ["bank", ["two 2027-12-31"]],
    ["bank", []],
  ]);
});

test("a statement that adds, retires or withdraws keys makes one change", async () => {
  await addClient(database, "c5", { keys: [{ kid: "one" }] });
  const added = await changeBy(
    "c5",
    sql`insert into client_key (client_id, kid, use, jwk, source, created_at)
      select 'c5', kid, 'sig', '{}', 'directory', now() from unnest('{three,two}'::text[]) kid`,
  );
  assert.deepEqual(added.after.keys, [key("one"), key("three"), key("two")]);
  const retired = await changeBy(
    "c5",
    sql`update client_key set state = 'retired' where client_id = 'c5' and kid = 'one'`,
  );
  assert.deepEqual(retired.after.keys, [key("one", "retired"), key("three"), key("two")]);
  const gone = await changeBy(
    "c5",
    sql`delete from client_key where client_id = 'c5' and kid <> 'one'`,
  );
  assert.deepEqual(gone.after.keys, [key("one", "retired")]);
});

test("a change of keys has the cause of the statement that changes the settings too", async () => {
  await addClient(database, "c6", { keys: [{ kid: "one" }] });
  const withdrawn = await changeBy(
    "c6",
    sql`with withdrawn as (
        update client_key set state = 'withdrawn' where client_id = 'c6' returning client_id
      )
      update client_setting set ${changed(byBank(at))} where client_id = 'c6'`,
  );
  assert.deepEqual(withdrawn.after.keys, [key("one", "withdrawn")]);
  assert.equal(withdrawn.cause, "bank");
});

test("the changes of clients are read together with all other changes", async () => {
  const read = createChangeReader(database);
  await read();
  await addClient(database, "c7");
  const changes = await read();
  assert.deepEqual(
    changes.map(({ objectKind, objectId }) => [objectKind, objectId]),
    [["client", "c7"]],
  );
});

test("the history of a client cannot be updated or deleted", async () => {
  await addClient(database, "c8");
  const refused = /a change is never updated/;
  for (const statement of rewriting("c8")) {
    await assert.rejects(database.query(statement), refused);
  }
});

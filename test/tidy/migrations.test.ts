import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  checkHistory,
  checkMigrations,
  checkSurvival,
  loadRecord,
  readRecord,
  recordNew,
} from "#scripts/migrations.ts";
import { listMigrations, type Migration } from "#src/storage/migrate.ts";

const first = { name: "0001_shop", text: "-- Room: payments.\ncreate table item (id text);" };
const second = { name: "0002_staff", text: "-- Room: auth.\ncreate table clerk (id text);" };
const owners = { "0001_shop.sql": "payments", "0002_staff.sql": "auth" };
const record = recordNew("", [first, second]);

const findingsOf = (migrations: Migration[], text = record): string[] =>
  checkMigrations(text, migrations, owners).map(
    ({ path, message }) => `${path}: ${message.split(":")[0]}`,
  );

test("recorded migrations are good, also with other comments and line breaks", () => {
  assert.deepEqual(findingsOf([first, second]), []);
  const text = "-- Room: payments.\n-- The items.\ncreate table item\n  (id text);";
  assert.deepEqual(findingsOf([{ ...first, text }, second]), []);
});

test("an edited migration is a finding", () => {
  const text = first.text.replace("text)", "text not null)");
  assert.deepEqual(findingsOf([{ ...first, text }, second]), [
    "migrations/0001_shop.sql: has landed and was edited",
  ]);
});

test("a removed or renamed migration is a finding", () => {
  assert.deepEqual(findingsOf([second]), ["migrations/0001_shop.sql: has landed and was removed"]);
  const renamed = { ...first, name: "0001_store" };
  assert.deepEqual(findingsOf([renamed, second]).slice(0, 2), [
    "migrations/0001_shop.sql: has landed and was removed",
    "migrations/0001_store.sql: is not recorded",
  ]);
});

test("a new migration is a finding until it is recorded, which changes no other line", () => {
  const old = recordNew("", [first]);
  assert.deepEqual(findingsOf([first, second], old), [
    "migrations/0002_staff.sql: is not recorded",
  ]);
  assert.equal(recordNew(old, [first, second]), record);
  const edited = { ...first, text: `${first.text} create table more ();` };
  assert.equal(recordNew(record, [edited, second]), record);
});

test("a migration that does not say its room is a finding", () => {
  const text = "create table item (id text);";
  assert.deepEqual(
    findingsOf([{ ...first, text }, second], recordNew("", [{ ...first, text }, second])),
    ['migrations/0001_shop.sql: must begin with "-- Room'],
  );
});

test("a line that a commit had is a finding if the record lacks it", () => {
  const [line = ""] = record.split("\n");
  assert.deepEqual(checkHistory(record, record.split("\n")), []);
  const edited = recordNew("", [{ ...first, text: `${first.text} create table more ();` }, second]);
  assert.deepEqual(
    checkHistory(edited, [line, ...record.split("\n")]).map(({ message }) => message.split('"')[1]),
    [line],
  );
});

// what databases of version 0.1.0 have applied
const landed = `0000_history 6udFRF3ucTZequ_I0UsYGrdHDPXSZ-bCuIbTsjQjrHo
0001_clients MAlr6vsu6Q7jX9UWG5IMBSKXVa_kJgW-vAgO0kmdTts
0002_consents p69Ayglhr42-mjDoiTZe05TEEV2Ifov1NabWSLzOHLo
0003_auth Viu_xU98he3aHrCApCTuce1NL8T2TiLbC2dtc_7kuFA
0004_account_store BJ3SHi0ltwrdHZfj7Kr-NWtqk0GE2LpLg92Lcxzh1cw
0005_payments 4NzFPXjfoW1N4Nrecw1iQQmeJ1TFLlwMe9G9mmNAL_M
0006_ledger DYn3NG2JHVDtgmqfBO3te4TNuBulTNkeV3U7GizvA74
0007_sandbox McewQCPWJPcDJJxxFriQ2Tm2yOb7KMh7LDQcJ5aTex4
0008_events P_KBuN1xQWYAe487TqgzJIi_hG4QWXcUncQQ3UOx4Lo
0009_funds 4dHcQEINUC50v5UNF4uqYUnE32CsiVvDyYAYJcGzMpI
0010_registration S8ufjHyCDcy9qgb6YEA5vR0aDFgHWqYai5X_qgSjQQk
0011_signing z414oQefpy_ytVrzBbqXSK-b7uYlEJXOpMa5bFqW124`;

test("the migrations of version 0.1.0 are recorded with the hashes that its databases have", () => {
  const current = readRecord(loadRecord());
  for (const [name, hash] of readRecord(landed)) assert.equal(current.get(name), hash, name);
  assert.deepEqual(checkMigrations(loadRecord(), listMigrations()), []);
});

describe("a new migration that an older process does not survive", () => {
  const says = (text: string, name = "0049_new"): string[] =>
    checkSurvival([{ name, text: `-- Room: payments.\n${text}` }], ["0.1.0", "0.2.0"]).map(
      ({ message }) => message,
    );

  test("is a finding that says what to write instead", () => {
    const [index, ...others] = says("create index item_name on item (name);");
    assert.match(index ?? "", /^"create index item_name .*create index concurrently if not exists/);
    assert.deepEqual(others, []);
    assert.match(says("alter table item drop column name")[0] ?? "", /First release a version/);
    assert.match(says("alter table item add column a text not null")[0] ?? "", /give it a default/);
    assert.match(says("alter table item rename column a to b")[0] ?? "", /uses the old name/);
    assert.match(says("alter table item alter a type bigint")[0] ?? "", /rewritten/);
  });

  test("is accepted as a contract after a release that the changelog has", () => {
    const contract = (release: string) =>
      `-- Contract: after release ${release}.\nalter table item drop column name;`;
    assert.deepEqual(says(contract("0.2.0")), []);
    assert.match(says(contract("0.3.0"))[0] ?? "", /names the release 0\.3\.0, which CHANGELOG/);
  });

  test("is accepted if its author says why older processes survive it", () => {
    const reason = "-- Older processes survive this: the table has one row.";
    assert.deepEqual(says(`${reason}\ncreate index item_name on item (name);`), []);
    assert.notDeepEqual(says(`${reason}\nalter table item drop column name;`), []);
  });

  test("is a finding if a lock is held meanwhile, whatever its author says", () => {
    const reason = "-- Older processes survive this: the table has one row.";
    const text = `alter table item add column b text;\n${reason}\nupdate item set b = '';`;
    assert.match(says(text)[0] ?? "", /put it into a migration of its own$/);
  });

  test("is a finding if it builds an index concurrently in a transaction", () => {
    const text = "create index concurrently if not exists i on item (name);";
    assert.match(says(text)[0] ?? "", /Outside a transaction/);
    assert.deepEqual(says(`-- Outside a transaction.\n${text}`), []);
  });

  test("is no finding before 0049, when all old processes were stopped", () => {
    assert.deepEqual(says("drop table item", "0048_old"), []);
  });
});

// docs/data.md answers for every table of the database, with settings that exist.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { rooms } from "#scripts/rooms.ts";
import { readSourceFiles } from "#scripts/source-files.ts";
import { personalTables } from "#src/server/personal-data.ts";
import { dataPage, dataRows } from "./data-page.ts";

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
const schema = read("schema.sql");
const sectionOf = (heading: string): string =>
  dataPage.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z]\w*)`/g)].map(([, name = ""]) => name);

const withoutPersonalData = namesIn(sectionOf("Tables without personal data"));
const onlyInSandboxes = namesIn(sectionOf("Tables that only a sandbox fills"));

test("each table of the database has one place on the page about personal data", () => {
  const tables = [...schema.matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name);
  assert.ok(tables.length > 70);
  const named = [...dataRows.map(({ table }) => table), ...withoutPersonalData, ...onlyInSandboxes];
  assert.deepEqual(named.toSorted(), tables.toSorted());
});

test("the page about personal data lists the sandbox's own tables as such, and no other", () => {
  assert.deepEqual(onlyInSandboxes.toSorted(), rooms.sandbox?.tables?.toSorted());
});

test("every setting that the page about personal data names exists", () => {
  const reference = read("configuration.md");
  const settings = [...dataPage.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name = ""]) => name);
  assert.ok(settings.length >= 6);
  assert.deepEqual(
    settings.filter((name) => !reference.includes(`\n| \`${name}\` |`)),
    [],
  );
});

/** The tables from which a statement deletes, and those whose rows are deleted with theirs. */
function deletedTables(): Set<string> {
  const code = readSourceFiles("src/*.ts").map(({ text }) => text);
  const deleted = new Set(
    code.flatMap((text) => [...text.matchAll(/delete from (\w+)/g)].map(([, name = ""]) => name)),
  );
  // the store deletes a fact of any kind by one statement, which has the table as a parameter
  for (const table of rooms["account-store"]?.tables ?? []) deleted.add(table);
  const cascades = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)].flatMap(
    ([, table = "", columns = ""]) =>
      [...columns.matchAll(/REFERENCES (\w+)\([^)]*\)[^\n]*ON DELETE CASCADE/g)].map(
        ([, parent = ""]) => ({ table, parent }),
      ),
  );
  for (let size = -1; size < deleted.size; ) {
    size = deleted.size;
    for (const { table, parent } of cascades) if (deleted.has(parent)) deleted.add(table);
  }
  return deleted;
}

test("the page says that there is no period for each table from which nothing is deleted", () => {
  const deleted = deletedTables();
  const kept = dataRows.filter(({ table }) => !deleted.has(table));
  assert.ok(kept.length >= 6);
  for (const row of kept) assert.match(row.kept, /^No period/, row.table);
});

test("each row about personal data says whether an erasure reaches the table", () => {
  assert.ok(dataRows.length > 40);
  for (const { table, kept, erased } of dataRows) {
    assert.notEqual(kept, "", table);
    assert.match(erased, /^(Yes|No)\b/, table);
  }
});

/** Tables of the page that are about TPPs and the bank's staff, and not about customers. */
const aboutOthers = [
  ...dataRows.map(({ table }) => table).filter((table) => rooms.clients?.tables?.includes(table)),
  "event_subscription",
  "notice_cursor",
  "notice_skip",
  "registration_attempt",
];

test("an export of a customer has each table of the page that is about customers", () => {
  const exported = personalTables.map(({ table }) => table);
  const named = dataRows.map(({ table }) => table);
  assert.deepEqual([...exported, ...aboutOthers].toSorted(), named.toSorted());
});

test("the page says of each table whether the command for erasures deletes its rows", () => {
  for (const { table, stays } of personalTables) {
    const said = dataRows.find((row) => row.table === table)?.erased ?? "";
    assert.match(said, stays === null ? /^Yes\b/ : /^No\b/, table);
  }
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listMigrations } from "#src/storage/migrate.ts";
import { effectsOf } from "#src/storage/migration-rules.ts";
import { headOf, statementsOf } from "#src/storage/migration-text.ts";

type Row = [text: string, survival: string, lock: string, tables: string[]];

const strong = "access exclusive";

// what PostgreSQL's manual says about each, under Explicit Locking and on the commands' pages
const rows: Row[] = [
  ["create table item (id text)", "yes", "none", []],
  ["create table line (item text references item)", "yes", "share row exclusive", ["item"]],
  ["create table june partition of entry for values in (6)", "yes", strong, ["entry"]],
  ["create index item_name on item (name)", "reason", "share", ["item"]],
  ["create index concurrently item_name on item (name)", "reason", "share", ["item"]],
  [
    "create index concurrently if not exists item_name on item (name)",
    "yes",
    "share update exclusive",
    ["item"],
  ],
  [
    "create unique index concurrently if not exists item_name on item (name)",
    "reason",
    "share update exclusive",
    ["item"],
  ],
  ["drop index concurrently if exists item_name", "reason", "none", []],
  ["alter table item add column name text", "yes", strong, ["item"]],
  ["alter table item add column name text not null", "contract", strong, ["item"]],
  ["alter table item add column name text not null default ''", "yes", strong, ["item"]],
  ["alter table item add column at timestamptz default now()", "yes", strong, ["item"]],
  [
    "alter table item add column at timestamptz default clock_timestamp()",
    "reason",
    strong,
    ["item"],
  ],
  ["alter table item add column a text, drop column b", "contract", strong, ["item"]],
  ["alter table item add column a numeric(8, 2), add column b text", "yes", strong, ["item"]],
  ["alter table item add column a text check (a in ('drop', 'b'))", "reason", strong, ["item"]],
  ["alter table item add column a text unique", "reason", strong, ["item"]],
  ["alter table item drop column name", "contract", strong, ["item"]],
  ["ALTER TABLE item RENAME COLUMN name TO title", "contract", strong, ["item"]],
  ["alter table item alter column name type varchar(9)", "contract", strong, ["item"]],
  ["alter table item alter name set not null", "contract", strong, ["item"]],
  ["alter table item alter name set default 'x'", "yes", strong, ["item"]],
  ["alter table item add constraint a check (b > 0) not valid", "reason", strong, ["item"]],
  ["alter table item drop constraint item_name_key", "reason", strong, ["item"]],
  ["alter table item validate constraint a", "yes", "share update exclusive", ["item"]],
  ["alter table item set (fillfactor = 70)", "yes", "share update exclusive", ["item"]],
  ["drop table item", "contract", strong, ["item"]],
  ["drop function price(text)", "contract", "none", []],
  [
    "create or replace function price() returns int language sql as 'select 1'",
    "reason",
    "none",
    [],
  ],
  [
    "create trigger t before insert on item for each row execute function f()",
    "reason",
    "share row exclusive",
    ["item"],
  ],
  ["update item set name = ''", "reason", "rows", ["item"]],
  ["do $$ begin drop table item; end $$", "reason", "none", []],
];

describe("a statement of a migration", () => {
  for (const [text, survival, lock, tables] of rows) {
    test(`${text}: ${survival}`, () => {
      const [effect] = effectsOf(text);
      assert.deepEqual([effect?.survival, effect?.lock, effect?.tables], [survival, lock, tables]);
      assert.equal(effect?.because === null, survival === "yes");
    });
  }

  test("may do anything to a table that the same migration creates", () => {
    const effects = effectsOf(
      "create table item (id text); create index i on item (id); alter table item drop column id; insert into item values (1);",
    );
    assert.deepEqual(
      effects.map(({ survival, tables }) => [survival, tables]),
      effects.map(() => ["yes", []]),
    );
  });

  test("is survived if its author says why, unless it takes away what older processes use", () => {
    const [update, drop] = effectsOf(`
      -- Some rows are wrong.
      -- Older processes survive this: no request reads these rows.
      update item set name = '';
      -- Older processes survive this: so I think.
      drop table item;`);
    assert.deepEqual([update?.survival, update?.because], ["yes", "no request reads these rows."]);
    assert.equal(drop?.survival, "contract");
  });
});

const why = "-- Older processes survive this: so its author says.\n";
const column = "alter table item add column name text";
const pairs: [title: string, text: string, survivals: string[]][] = [
  ["a column and its backfill", `${column}; ${why} update item set name = ''`, ["yes", "apart"]],
  ["a column and its index", `${column}; ${why} create index i on item (name)`, ["yes", "apart"]],
  [
    "a constraint and its validation",
    `${why} alter table item add constraint c check (a > 0) not valid;
      alter table item validate constraint c`,
    ["yes", "apart"],
  ],
  [
    "a lock on one table and a long change of another",
    `${column}; ${why} delete from line where at < now()`,
    ["yes", "apart"],
  ],
  [
    "a new table that is filled from a locked one",
    `${column}; create table copy (name text); insert into copy select name from item`,
    ["yes", "yes", "apart"],
  ],
  [
    "a trigger and a body",
    `${column}; ${why} do $$ begin perform from item; end $$`,
    ["yes", "apart"],
  ],
  ["a backfill before the lock", `${why} update item set a = 1; ${column}`, ["yes", "yes"]],
  ["a column and a row", `${column}; ${why} insert into item values (1)`, ["yes", "yes"]],
  [
    "a new table and its rows",
    `${column}; create table copy (a text); create index i on copy (a); insert into copy values (1)`,
    ["yes", "yes", "yes", "yes"],
  ],
  [
    "the same outside a transaction",
    `-- Outside a transaction.\n${column}; ${why} update item set name = ''`,
    ["yes", "yes"],
  ],
];
describe("the statements of a migration together", () => {
  for (const [title, text, survivals] of pairs) {
    test(`${title}: ${survivals.join(", ")}`, () => {
      assert.deepEqual(
        effectsOf(text).map(({ survival }) => survival),
        survivals,
      );
    });
  }

  test("are refused with the tables that would be locked and what to do", () => {
    const [, update] = effectsOf(`${column}; ${why} update item set name = ''`);
    assert.equal(update?.because, "item stays locked for as long as it takes");
    assert.equal(update?.remedy, "put it into a migration of its own");
  });
});

test("statements end at semicolons outside texts, bodies and comments", () => {
  const text = `-- Room: auth.
    select 'a;b', "c;d"; -- one; two
    /* e; */ create function f() returns void language sql as $body$ select 1; select 2 $body$;`;
  assert.deepEqual(
    statementsOf(text).map(({ code }) => code),
    [
      `select 'a;b', "c;d"`,
      "create function f() returns void language sql as $body$ select 1; select 2 $body$",
    ],
  );
});

test("every statement of the migrations is found, whatever is in its texts and bodies", () => {
  for (const { name, text } of listMigrations()) {
    assert.ok(statementsOf(text).length > 0, name);
    for (const { code } of statementsOf(text)) {
      assert.match(code, /^(create|alter|drop|insert|update|delete|comment|select|do) /, name);
    }
  }
});

test("the head of a migration says its room, and how it runs", () => {
  const text = `-- Room: auth. What a reader wants to know.
-- Outside a transaction.
-- Contract: after release 1.2.3.
drop index concurrently if exists i;
-- Contract: after release 9.9.9.`;
  assert.deepEqual(headOf(text), {
    room: "auth",
    isOutsideTransaction: true,
    contractAfter: "1.2.3",
  });
  assert.deepEqual(headOf("select 1"), {
    room: null,
    isOutsideTransaction: false,
    contractAfter: null,
  });
});

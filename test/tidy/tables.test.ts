import assert from "node:assert/strict";
import { test } from "node:test";
import type { ForeignTables } from "#scripts/rooms.ts";
import { checkTables, findObsolete } from "#scripts/tables.ts";

const messagesOf = (path: string, text: string, exceptions: ForeignTables[] = []): string[] =>
  checkTables({ path, text }, exceptions).map(({ line, message }) => `${line}: ${message}`);

const may = (owner: string) => `only ${owner} may, which can export the SQL`;

const sound: [title: string, path: string, text: string][] = [
  ["a room names its own table", "src/consents/a.ts", "sql`select status from consent`;\n"],
  ["a test names a table of its room", "test/consents/a.ts", "sql`delete from consent`;\n"],
  ["a room is listed as a reader", "src/accounts/a.ts", "sql`select a.name from account a`;\n"],
  [
    "a listed file calls a function that only listed files may call",
    "migrations/0006_ledger.sql",
    "perform feed_transactions(entries);\n",
  ],
  ["a function's name is in a string", "src/sandbox/a.ts", "sql`select 'feed_balances('`;\n"],
  ["a table's name is a string", "src/http/a.ts", "sql`select 'from consent'`;\n"],
  ["a table's name is in a comment", "migrations/0005_payments.sql", "-- read from consent\n"],
  ["a table's name is a column", "src/http/a.ts", "sql`select a.payment, hold from things a`;\n"],
  [
    "a foreign key refers to another room's table",
    "migrations/0005_payments.sql",
    "create table payment (payment_id text primary key, consent_id text references consent);\n",
  ],
];

for (const [title, path, text] of sound) {
  test(`the table check passes when ${title}`, () => {
    assert.deepEqual(messagesOf(path, text), []);
  });
}

const onlyFeed = "only account-store and files listed in scripts/rooms.ts may";

const bad: [title: string, path: string, text: string, message: string][] = [
  [
    "a test changes a table of another room",
    "test/http/a.test.ts",
    "sql`delete from consent`;\n",
    "1: the test changes consent: use a fixture of test/consents/, or add one there",
  ],
  [
    "a statement calls a function that only listed files may call",
    "src/sandbox/a.ts",
    "\nsql`select feed_transactions(1)`;\n",
    `2: sandbox calls feed_transactions: ${onlyFeed}`,
  ],
  [
    "a migration calls a function that only other files may call",
    "migrations/0007_sandbox.sql",
    "create function f() returns void language sql as $$\n  select feed_balances (null) $$;\n",
    `2: sandbox calls feed_balances: ${onlyFeed}`,
  ],
  [
    "a statement reads another room's table",
    "src/http/a.ts",
    "\nsql`select t.scope from things x\n  join access_token t on true`;\n",
    `3: http names access_token: ${may("auth")}`,
  ],
  [
    "a list of tables contains another room's table",
    "src/http/a.ts",
    "sql`select t.scope from things x, others as l, access_token t`;\n",
    `1: http names access_token: ${may("auth")}`,
  ],
  [
    "a statement writes to another room's table",
    "src/payments/a.ts",
    "sql`with gone as (delete from consent returning 1) select 1 from gone`;\n",
    `1: payments changes consent: ${may("consents")}`,
  ],
  [
    "a reader writes",
    "src/accounts/a.ts",
    "sql`update account set nickname = null`;\n",
    `1: accounts changes account: ${may("account-store")}`,
  ],
  [
    "a table's name is a fragment",
    "src/payments/a.ts",
    "const table = sql`ledger_account`;\n",
    `1: payments names ledger_account: ${may("sandbox")}`,
  ],
  [
    "the name is in a template inside a template",
    "src/http/a.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    'sql`select ${list(["}"], sql`(select 1 from journey)`)} from things`;\n',
    `1: http names journey: ${may("auth")}`,
  ],
  [
    "the name follows a nested template",
    "src/http/a.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    "sql`select ${sql`a`} from journey`;\n",
    `1: http names journey: ${may("auth")}`,
  ],
  [
    "the name follows a column that is called after",
    "src/http/a.ts",
    "sql`select x.facts as after from things x join journey j on true`;\n",
    `1: http names journey: ${may("auth")}`,
  ],
  [
    "a text without the tag is run",
    "test/http/a.test.ts",
    "await database.execute(`\n  update journey set step = ''`);\n",
    "2: the test changes journey: use a fixture of test/auth/, or add one there",
  ],
  [
    "a function's body in a migration reads another room's table",
    "migrations/0006_ledger.sql",
    "create function f() returns bigint language sql as $body$\n  select 1 from payment $body$;\n",
    `2: sandbox names payment: ${may("payments")}`,
  ],
  [
    "a view in a migration reads another room's table",
    "migrations/0005_payments.sql",
    "create view standing_order as select 1 from posting;\n",
    `1: payments names posting: ${may("sandbox")}`,
  ],
  [
    "a trigger is on another room's table",
    "migrations/0006_ledger.sql",
    "create trigger t after insert or update on consent for each row execute function f();\n",
    `1: sandbox changes consent: ${may("consents")}`,
  ],
  [
    "a reader's trigger on another room's table is on several columns",
    "migrations/0007_sandbox.sql",
    "create trigger t\n  after update of nickname , status or delete on account\n" +
      "  for each statement execute function f();\n",
    `2: sandbox changes account: ${may("account-store")}`,
  ],
  [
    "an index is on another room's table",
    "migrations/0006_ledger.sql",
    "create unique index i on consent (kind);\n",
    `1: sandbox changes consent: ${may("consents")}`,
  ],
  [
    "a reader adds a column to another room's table",
    "migrations/0006_ledger.sql",
    "alter table account add seen_at timestamptz;\n",
    `1: sandbox changes account: ${may("account-store")}`,
  ],
  [
    "a member of an object names another room's table",
    "src/sandbox/a.ts",
    'const entity = {\n  table: "account_holder",\n};\n',
    `2: sandbox changes account_holder: ${may("account-store")}`,
  ],
  [
    "a new table has no owner",
    "migrations/0006_ledger.sql",
    "create table novelty (id text);\n",
    "1: novelty has no owner: add it to a room in scripts/rooms.ts",
  ],
  [
    "a migration has no owner",
    "migrations/9999_new.sql",
    "select 1;\n",
    "1: scripts/rooms.ts does not say which room owns this file",
  ],
];

for (const [title, path, text, message] of bad) {
  test(`the table check fails when ${title}`, () => {
    assert.deepEqual(messagesOf(path, text), [message]);
  });
}

test("an exception covers its tables in its file, and is obsolete once they are gone", () => {
  const path = "src/payments/a.ts";
  const text = "sql`select c.status from consent c join client on true`;\n";
  const exceptions = [{ reason: "a test", files: { [path]: ["consent"] } }];
  assert.deepEqual(messagesOf(path, text, exceptions), [
    `1: payments names client: ${may("clients")}`,
  ]);
  assert.deepEqual(findObsolete([{ path, text }], exceptions), []);
  const gone = [
    { path, line: 1, message: "consent is no longer named here: take it out of scripts/rooms.ts" },
  ];
  assert.deepEqual(findObsolete([{ path, text: "" }], exceptions), gone);
  assert.deepEqual(findObsolete([], exceptions), gone);
});

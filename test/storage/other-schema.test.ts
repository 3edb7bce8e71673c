import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { seededMarker } from "#src/cli/seed.ts";
import type { Database } from "#src/storage/database.ts";
import { listMigrations, type Migration, migrate, OtherSchema } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { runCommand } from "#test/server/run-command.ts";

const own = listMigrations();
const note = "create table note (line text); insert into note values ('kept')";

/** The migrations of this version, with a first one that `change` has changed. */
const withFirst = (change: (text: string) => string): Migration[] =>
  own.map((one, index) => (index === 0 ? { ...one, text: change(one.text) } : one));

const others: [title: string, reason: RegExp, make: (on: Database) => Promise<unknown>][] = [
  [
    "of a version with other migrations",
    /this version has no migration 0001_core/,
    (on) => migrate(on, { migrations: [{ name: "0001_core", text: "select 1" }] }),
  ],
  [
    "whose migrations have no recorded hash",
    /migration 0001_clients has changed/,
    (on) =>
      on.execute(`create table migration (name text primary key, applied_at timestamptz);
        insert into migration (name) values ('0001_clients')`),
  ],
  [
    "of a migration that was edited later",
    new RegExp(`migration ${own[0]?.name} has changed`),
    (on) => migrate(on, { migrations: withFirst((text) => `${text} create table more ();`) }),
  ],
];

let folder: string;
let server: TestPostgres | undefined;
let environment: Record<string, string>;
let count = 0;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-schema-"));
  if (onPostgres) server = await startPostgres();
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  count += 1;
  const data = join(folder, `data${count}`);
  mkdirSync(data);
  writeFileSync(seededMarker(data), "");
  environment = {
    ALDGATE_DATA: data,
    PUBLIC_PORT: "0",
    MTLS_PORT: "0",
    MANAGEMENT_PORT: "0",
    ...(server ? { DATABASE_URL: await server.createDatabase(`other_${count}`) } : {}),
  };
});

const open = (): Promise<Database> => {
  const { DATABASE_URL: url, ALDGATE_DATA: data = "" } = environment;
  return url === undefined ? openPglite({ folder: join(data, "database") }) : openPostgres(url);
};

async function using<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await open();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const tables = sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`;

describe("a database of another schema", () => {
  for (const [title, reason, make] of others) {
    test(`${title} is refused by start, migrate, seed and verify with exit code 1, and does not change`, async () => {
      const before = await using(async (database) => {
        await make(database);
        await database.execute(note);
        return database.query(tables);
      });
      for (const command of ["start", "migrate", "seed", "verify"]) {
        const { code, complained } = await runCommand(command, environment);
        assert.equal(code, 1, command);
        assert.match(complained, reason);
        assert.match(complained, /Nothing in it was changed/);
        const next = onPostgres
          ? /^ {2}psql "\$DATABASE_URL" -c 'create database aldgate_new'$/m
          : new RegExp(`^ {2}ALDGATE_DATA=${environment.ALDGATE_DATA}-2 npm start$`, "m");
        assert.match(complained, next);
      }
      const after = await using(async (database) => {
        assert.deepEqual(await database.query(sql`select line from note`), [{ line: "kept" }]);
        return database.query(tables);
      });
      assert.deepEqual(after, before);
    });
  }

  test("is accepted if its migrations differ only in comments and line breaks", async () => {
    await using(async (database) => {
      const edited = withFirst((text) => `-- another comment\n${text.replaceAll("\n", "\n\n")}`);
      await migrate(database, { migrations: edited });
      assert.deepEqual(await migrate(database), []);
    });
  });

  test("is refused before a new migration is applied", async () => {
    await using(async (database) => {
      await migrate(database, { migrations: withFirst((text) => `${text} select 1;`) });
      const added = [...own, { name: "9999_more", text: "create table more ()" }];
      await assert.rejects(migrate(database, { migrations: added }), OtherSchema);
      const names = await database.query<{ name: string }>(tables);
      assert.ok(!names.some(({ name }) => name === "more"));
    });
  });
});

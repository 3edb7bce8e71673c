import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { rooms } from "#scripts/rooms.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { CannotMigrate, listMigrations, migrate, readSchemaState } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, untilStatus } from "#test/journeys/payments.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";
import { emptyName, templateName } from "#test/setup.ts";

describe("the version of the server", () => {
  let database: Database;
  before(async () => {
    database = await openWithoutSchema();
  });
  after(() => database?.close());

  /** The database, as a server of that version would answer. */
  const onVersion = (number: string, version: string): Database => {
    const answering = <Session extends Queryable>(session: Session): Session => ({
      ...session,
      query: async <Row>(statement: Parameters<Queryable["query"]>[0]) =>
        statement.text.includes("server_version_num")
          ? ([{ number, version }] as Row[])
          : session.query<Row>(statement),
    });
    return {
      ...answering(database),
      alone: (purpose, work, onWaiting) =>
        database.alone(purpose, (session) => work(answering(session)), onWaiting),
    };
  };

  test("PostgreSQL 15 is refused in words before anything is created", async () => {
    const server = onVersion("150019", "15.19 (Debian)");
    for (const attempt of [() => migrate(server), () => readSchemaState(server)]) {
      await assert.rejects(attempt, (error: Error) => {
        assert.ok(error instanceof CannotMigrate);
        assert.match(
          error.message,
          /is PostgreSQL 15\.19 \(Debian\); Aldgate needs PostgreSQL 16 or/,
        );
        return true;
      });
    }
    const tables = await database.query(sql`
      select 1 from pg_tables where schemaname = 'public'`);
    assert.deepEqual(tables, []);
  });

  test("PostgreSQL 16 is accepted", async () => {
    assert.deepEqual(await migrate(onVersion("160000", "16.0"), { migrations: [] }), []);
  });
});

describe("the tables of the sandbox", () => {
  const countTables = async (database: Database): Promise<string[]> => {
    const rows = await database.query<{ name: string }>(sql`
      select table_name as name from information_schema.tables where table_schema = 'public'`);
    return rows.map(({ name }) => name).sort();
  };
  const own = (listed: readonly string[]) =>
    listed.filter((name) => rooms.sandbox?.tables?.includes(name));

  test("are not created in production, and every other table is", async () => {
    const database = await openWithoutSchema();
    const other = await openWithoutSchema();
    try {
      await migrate(database, { withSandbox: false });
      await migrate(other);
      const made = await countTables(database);
      assert.deepEqual(own(made), []);
      const all = await countTables(other);
      assert.deepEqual(
        made,
        all.filter((name) => !own(all).includes(name)),
      );
      assert.ok(own(all).length > 10);
      assert.deepEqual(await migrate(database, { withSandbox: false }), []);
    } finally {
      await database.close();
      await other.close();
    }
  });

  test("stay, with their later migrations, in a production database of version 0.1.0", async () => {
    const database = await openWithoutSchema();
    try {
      const migrations = listMigrations().slice(0, 7);
      await migrate(database, { migrations });
      const later = await migrate(database, { withSandbox: false });
      assert.deepEqual(
        later,
        listMigrations()
          .slice(7)
          .map(({ name }) => name),
      );
    } finally {
      await database.close();
    }
  });
});

const skip = onPostgres ? false : "needs a PostgreSQL server, which has roles";

describe("a role that may not create tables", { skip }, () => {
  const role = `runs_${randomUUID().replaceAll("-", "")}`;
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server?.stop());

  /** Creates a database, and returns its URL for the lesser role. */
  async function create(template?: string): Promise<string> {
    const url = await server.createDatabase(`role_${randomUUID().replaceAll("-", "")}`, template);
    const owner = await openPostgres(url, 1);
    // as docs/going-live.md has them
    await owner.execute(`
      do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then
          create role ${role} login;
        end if;
      end $$;
      grant usage on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role};
      alter default privileges in schema public
        grant select, insert, update, delete on tables to ${role};
    `);
    await owner.close();
    return Object.assign(new URL(url), { username: role }).href;
  }

  test("starts a bank whose schema is current, and pays", async () => {
    let bank: TestBank | undefined;
    try {
      bank = await openBank({}, await openPostgres(await create(templateName)));
      const client = await bank.createTpp();
      const lodged = await lodge(client);
      const [account] = await bank.currentAccounts("amara");
      const { access_token: token } = await bank.approve(client, {
        scope: "payments",
        consentId: lodged.consentId,
        customer: "amara",
        accounts: [account?.accountId ?? ""],
      });
      const id = await order(client, lodged, token);
      await untilStatus(client, lodged.kind, id, "ACCC");
      const path = `/v4.0/pisp/domestic-payments/${id}`;
      expectStatus(await client.call({ path, token: await client.clientToken("payments") }), 200);
      const may = await bank.database.query(sql`
        select 1 where has_schema_privilege('public', 'create')`);
      assert.deepEqual(may, []);
    } finally {
      await bank?.close();
    }
  });

  for (const [what, template] of [
    ["an empty database", undefined],
    ["a database of an earlier version", emptyName],
  ] as const) {
    test(`is told to migrate ${what} as the owner, and changes nothing`, async () => {
      const database = await openPostgres(await create(template), 2);
      try {
        const migrations = [...listMigrations(), { name: "9999_next", text: "select 1" }];
        await assert.rejects(migrate(database, { migrations }), (error: Error) => {
          assert.ok(error instanceof CannotMigrate);
          assert.match(error.message, new RegExp(`the role ${role} may not create tables`));
          assert.match(error.message, /`\.\/aldgate migrate` with a DATABASE_URL of the role that/);
          return true;
        });
      } finally {
        await database.close();
      }
    });
  }
});

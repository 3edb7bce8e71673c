import { readdirSync, readFileSync } from "node:fs";
import { sha256 } from "#src/lib/hash.ts";
import { applyMigration, type LockTries, lockTries } from "./apply-migration.ts";
import { type Database, first, type Queryable } from "./database.ts";
import { headOf } from "./migration-text.ts";
import { sql } from "./sql.ts";

const root = new URL("../../", import.meta.url);

/** The oldest PostgreSQL that has all that the migrations and statements use. */
const oldestServer = 16;

/** One step of the schema. */
export type Migration = { name: string; text: string };

/** A database whose migrations are not this version's; the message names the first such one. */
export class OtherSchema extends Error {}

/** A database that lacks migrations of this version; the message names the first one. */
export class OldSchema extends Error {}

/** A server that is too old, or a role that may not change the schema; the message says so. */
export class CannotMigrate extends Error {}

/** How migrations are applied; the defaults are for a sandbox, others for tests. */
type MigrateOptions = {
  /** Whether the database gets the tables of the sandbox bank; one that has some gets all. */
  withSandbox?: boolean;
  migrations?: readonly Migration[];
  tries?: LockTries;
  /** Called if another process is migrating, with a description of that process. */
  onWaiting?(holder: string): void;
};

/** The migrations of a database, compared with those of this version. */
export type SchemaState = {
  isNew: boolean;
  /** Those that the database lacks, in order. */
  missing: Migration[];
  /** The names of those that only a newer version has, although this one can serve the schema. */
  newer: string[];
};

/** The migrations in order: file name without its ending, and text. */
export function listMigrations(): Migration[] {
  const folder = new URL("migrations/", root);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      name: file.slice(0, -4),
      text: readFileSync(new URL(file, folder), "utf8"),
    }));
}

/** The version of Aldgate that runs. */
export const ownVersion: string = JSON.parse(
  readFileSync(new URL("package.json", root), "utf8"),
).version;

/**
 * Brings the database to the newest schema and returns the names of the migrations that it
 * applied. Forward only; if several processes call it at the same time, one works and the others
 * wait. A database with the newest schema is not changed, so a role that may not create tables can
 * call it too. Throws MigrationBlocked; throws OtherSchema or CannotMigrate before it changes
 * anything.
 */
export function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { tries = lockTries, onWaiting } = options;
  const work = async (session: Database): Promise<string[]> => {
    const { isNew, missing } = await readSchemaState(session, options);
    if (missing.length === 0 && !isNew) return [];
    await mayCreate(session);
    for (const step of [ownTable, ...missing.map(withRecord)]) {
      await applyMigration(database, session, step, tries);
    }
    return missing.map(({ name }) => name);
  };
  return database.alone("schema", work, onWaiting);
}

/**
 * Compares the migrations of a database with those of this version. Throws OtherSchema if this
 * version cannot serve the schema, and CannotMigrate if the server is too old.
 */
export async function readSchemaState(
  session: Queryable,
  options: Pick<MigrateOptions, "withSandbox" | "migrations"> = {},
): Promise<SchemaState> {
  const { withSandbox = true, migrations = listMigrations() } = options;
  await checkServer(session);
  const isNew =
    (await session.query(sql`select where to_regclass('migration') is null`)).length > 0;
  const applied = isNew ? new Map<string, Applied>() : await readApplied(session);
  refuseOther(applied, hashesOf(migrations));
  const missing = listMissing(migrations, applied, withSandbox);
  const own = new Set(migrations.map(({ name }) => name));
  return { isNew, missing, newer: [...applied.keys()].filter((name) => !own.has(name)) };
}

/** Those that a database lacks. One that has any table of the sandbox bank gets all of them. */
function listMissing(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, Applied>,
  withSandbox: boolean,
): Migration[] {
  const isWanted =
    withSandbox || migrations.some((one) => isOfSandbox(one) && applied.has(one.name));
  return migrations
    .filter(({ name }) => !applied.has(name))
    .filter((one) => isWanted || !isOfSandbox(one));
}

const isOfSandbox = ({ text }: Migration): boolean => headOf(text).room === "sandbox";

// the table itself is no migration, because its rows are the migrations
const ownTable = {
  name: "of the table migration",
  text: `create table if not exists migration (
      name text primary key, text_hash text not null,
      applied_at timestamptz not null default clock_timestamp());
    do $$ begin
      if not exists (select from pg_attribute
        where attrelid = 'migration'::regclass and attname = 'served_from') then
        alter table migration add column served_from text;
        comment on column migration.served_from is
          'the oldest release that can serve the schema; null if nobody knows';
      end if;
    end $$`,
  record: "select",
};

const withRecord = ({ name, text }: Migration): { name: string; text: string; record: string } => ({
  name,
  text,
  record: `insert into migration (name, text_hash, served_from)
    values ('${name}', '${migrationHash(text)}', '${headOf(text).contractAfter ?? "0.0.0"}')`,
});

/** Throws CannotMigrate for a PostgreSQL server that is too old. */
async function checkServer(session: Queryable): Promise<void> {
  const row = await first<{ number: string; version: string }>(
    session,
    sql`select current_setting('server_version_num') as number,
      current_setting('server_version') as version`,
  );
  if (Number(row?.number) >= oldestServer * 10_000) return;
  throw new CannotMigrate(
    `The database server is PostgreSQL ${row?.version}; Aldgate needs PostgreSQL ${oldestServer} or ` +
      "later. Nothing was changed. Name such a server in DATABASE_URL.",
  );
}

/** Throws CannotMigrate if this session's role may not create tables. */
async function mayCreate(session: Database): Promise<void> {
  const row = await first<{ role: string; may: boolean | null }>(
    session,
    sql`select current_user as role,
      has_schema_privilege(current_schema(), 'create') as may`,
  );
  if (row?.may) return;
  throw new CannotMigrate(
    `The database does not have the newest schema, and the role ${row?.role} may not create tables ` +
      "in it. Nothing was changed. Run `./aldgate migrate` with a DATABASE_URL of the role that " +
      "owns the tables; then start again.",
  );
}

const hashesOf = (migrations: readonly Migration[]): ReadonlyMap<string, string> =>
  new Map(migrations.map(({ name, text }) => [name, migrationHash(text)]));

/**
 * Makes the check of a schema. It throws OtherSchema or OldSchema if this version cannot serve the
 * schema.
 */
export function createSchemaCheck(): (database: Queryable) => Promise<void> {
  const migrations = listMigrations();
  const hashes = hashesOf(migrations);
  return async (database) => {
    const applied = await readApplied(database);
    refuseOther(applied, hashes);
    const [lacking] = listMissing(migrations, applied, false);
    if (lacking) {
      const message = `The database lacks migration ${lacking.name}. Run \`./aldgate migrate\`.`;
      throw new OldSchema(message);
    }
  };
}

type Applied = { hash: string | null; servedFrom: string | null };

/** The applied migrations by name. A hash is null if none was recorded. */
async function readApplied(session: Queryable): Promise<Map<string, Applied>> {
  // as JSON, because the table of an earlier schema lacks some columns
  const rows = await session.query<{ name: string } & Applied>(sql`
    select name, to_json(migration)->>'text_hash' as hash,
      to_json(migration)->>'served_from' as "servedFrom"
    from migration order by name`);
  return new Map(rows.map(({ name, ...applied }) => [name, applied]));
}

/**
 * The number of the first migration that older processes survive. All databases have the same ones
 * before it; from it on, a release may add one with a lower number than the newest.
 */
export const firstSurvived = "0049";

function refuseOther(
  applied: ReadonlyMap<string, Applied>,
  hashes: ReadonlyMap<string, string>,
): void {
  for (const [name, { hash, servedFrom }] of applied) {
    const own = hashes.get(name);
    if (own === undefined) {
      const needed = name < firstSurvived ? null : servedFrom;
      if (needed !== null && isSince(ownVersion, needed)) continue;
      const from = needed === null ? "" : `, which needs ${needed} or later`;
      throw new OtherSchema(`this version has no migration ${name}${from}`);
    }
    if (own !== hash) throw new OtherSchema(`migration ${name} has changed since it was applied`);
  }
}

/** Whether a version is another one, or a later one. */
const isSince = (version: string, other: string): boolean =>
  version.localeCompare(other, "en", { numeric: true }) >= 0;

/** The hash of what a migration does: its text without comments and line breaks. */
export const migrationHash = (text: string): string =>
  sha256(text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim());

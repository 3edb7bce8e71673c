import { readdirSync, readFileSync } from "node:fs";
import { sha256 } from "#src/lib/hash.ts";
import { type Database, first, sqlState } from "./database.ts";
import { sql } from "./sql.ts";

const folder = new URL("../../migrations/", import.meta.url);

/**
 * The first line of a migration whose statements cannot run in a transaction, such as `create index
 * concurrently`. Its statements run one by one; each ends with a semicolon at the end of a line.
 * They must be repeatable: put `drop index concurrently if exists …` before the index.
 */
const outsideTransaction = "-- outside a transaction";

/**
 * The first line of a migration of what only a sandbox needs. Other databases do without it.
 */
const ofSandbox = "-- Room: sandbox.";

/** The oldest PostgreSQL that has all that the migrations and statements use. */
const oldestServer = 16;

// A statement that waits for a lock holds up all later statements on the table. It gives up soon,
// lets them pass, and tries again.
const lockTries = { count: 10, lockMs: 3000, pauseMs: 1000 };

// lock not available, deadlock, serialization failure: nothing of the migration was done
const repeatable = new Set(["55P03", "40P01", "40001"]);

/** One step of the schema. */
export type Migration = { name: string; text: string };

/** A migration that could not get a lock; the message says who holds it. */
export class MigrationBlocked extends Error {}

/** A database whose migrations are not this version's; the message names the first such one. */
export class OtherSchema extends Error {}

/** A server that is too old, or a role that may not change the schema; the message says so. */
export class CannotMigrate extends Error {}

/** How migrations are applied; the defaults are for a sandbox, others for tests. */
type MigrateOptions = {
  /** Whether the database gets the tables of the sandbox bank; one that has some gets all. */
  withSandbox?: boolean;
  migrations?: readonly Migration[];
  tries?: typeof lockTries;
  /** Called if another process is migrating, with a description of that process. */
  onWaiting?(holder: string): void;
};

/** The migrations in order: file name without its ending, and text. */
export function listMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      name: file.slice(0, -4),
      text: readFileSync(new URL(file, folder), "utf8"),
    }));
}

/**
 * Brings the database to the newest schema and returns the names of the migrations that it
 * applied. Forward only; if several processes call it at the same time, one works and the others
 * wait. A database with the newest schema is not changed, so a role that may not create tables can
 * call it too. Throws MigrationBlocked; throws OtherSchema or CannotMigrate before it changes
 * anything.
 */
export function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = listMigrations(), tries = lockTries, onWaiting } = options;
  const { withSandbox = true } = options;
  const work = async (session: Database): Promise<string[]> => {
    await checkServer(session);
    const isNew =
      (await session.query(sql`select where to_regclass('migration') is null`)).length > 0;
    const applied = isNew ? new Map<string, null>() : await readApplied(session);
    refuseOther(applied, migrations);
    const isWanted =
      withSandbox || migrations.some((one) => isOfSandbox(one) && applied.has(one.name));
    const missing = migrations
      .filter(({ name }) => !applied.has(name))
      .filter((one) => isWanted || !isOfSandbox(one));
    if (missing.length === 0 && !isNew) return [];
    await mayCreate(session);
    await session.execute(`create table if not exists migration (
      name text primary key, text_hash text not null,
      applied_at timestamptz not null default clock_timestamp())`);
    await session.execute(`set lock_timeout = ${tries.lockMs}`);
    for (const migration of missing) await applyPatiently(database, session, migration, tries);
    return missing.map(({ name }) => name);
  };
  return database.alone("schema", work, onWaiting);
}

const isOfSandbox = ({ text }: Migration): boolean => text.startsWith(ofSandbox);

/** Throws CannotMigrate for a PostgreSQL server that is too old. */
async function checkServer(session: Database): Promise<void> {
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

/** Throws OtherSchema if a database has a migration that this version lacks or has changed. */
export const checkSchema = async (database: Database): Promise<void> =>
  refuseOther(await readApplied(database), listMigrations());

/** The hash of each applied migration's text, by name; null if none was recorded. */
async function readApplied(session: Database): Promise<Map<string, string | null>> {
  // as JSON, because the table of an earlier schema has no hashes
  const rows = await session.query<{ name: string; hash: string | null }>(sql`
    select name, to_json(migration)->>'text_hash' as hash from migration order by name`);
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

function refuseOther(
  applied: ReadonlyMap<string, string | null>,
  migrations: readonly Migration[],
): void {
  const hashes = new Map(migrations.map(({ name, text }) => [name, migrationHash(text)]));
  for (const [name, hash] of applied) {
    const own = hashes.get(name);
    if (own === undefined) throw new OtherSchema(`this version has no migration ${name}`);
    if (own !== hash) throw new OtherSchema(`migration ${name} has changed since it was applied`);
  }
}

/** The hash of what a migration does: its text without comments and line breaks. */
export const migrationHash = (text: string): string =>
  sha256(text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim());

async function applyPatiently(
  database: Database,
  session: Database,
  migration: Migration,
  tries: typeof lockTries,
): Promise<void> {
  const watch = await watchBlockers(database, session);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await apply(session, migration);
      } catch (error) {
        const state = sqlState(error);
        if (state === undefined || !repeatable.has(state)) throw error;
        if (attempt >= tries.count) throw blocked(migration, watch.seen(), error);
        await new Promise((resolve) => setTimeout(resolve, tries.pauseMs));
      }
    }
  } finally {
    watch.stop();
  }
}

async function apply(session: Database, { name, text }: Migration): Promise<void> {
  const record = `insert into migration (name, text_hash) values ('${name}', '${migrationHash(text)}')`;
  if (text.startsWith(outsideTransaction)) {
    for (const statement of text.split(/;\s*$/m)) {
      if (statement.replace(/^[ \t]*--.*$/gm, "").trim() !== "") await session.execute(statement);
    }
    return session.execute(record);
  }
  try {
    await session.execute(`begin; ${text}\n; ${record}; commit`);
  } catch (error) {
    await session.execute("rollback").catch(() => undefined); // `error` says more
    throw error;
  }
}

type BlockerWatch = { seen(): string; stop(): void };

/** Finds, on another connection, the holder of the lock that this one waits for. */
async function watchBlockers(database: Database, session: Database): Promise<BlockerWatch> {
  let seen = "another session";
  if (session.kind === "pglite") return { seen: () => seen, stop: () => undefined };
  const own = await first<{ pid: number }>(session, sql`select pg_backend_pid() as pid`);
  const look = async (): Promise<void> => {
    const rows = await database.query<Blocker>(sql`
      select pid, coalesce(application_name, '') as name, state, xact_start as since
      from pg_stat_activity where pid = any(pg_blocking_pids(${own?.pid}::integer))`);
    if (rows.length > 0) seen = rows.map(describeBlocker).join(", ");
  };
  const timer = setInterval(() => void look().catch(() => undefined), 300);
  return { seen: () => seen, stop: () => clearInterval(timer) };
}

type Blocker = { pid: number; name: string; state: string; since: Temporal.Instant | null };

function describeBlocker({ pid, name, state, since }: Blocker): string {
  const known = [name, state, since && `in a transaction since ${since}`].filter(Boolean);
  return `session ${pid} (${known.join(", ")})`;
}

const blocked = ({ name }: Migration, holder: string, cause: unknown): MigrationBlocked =>
  new MigrationBlocked(
    `Migration ${name} needs a lock that ${holder} holds, and has not been applied. ` +
      "End that session (select pg_terminate_backend(…)), or wait until it ends; then start again.",
    { cause },
  );

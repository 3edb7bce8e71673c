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

/** How migrations are applied; the defaults are for the bank, others for tests. */
export type MigrateOptions = {
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
 * wait. Throws MigrationBlocked, and OtherSchema before it changes anything.
 */
export function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = listMigrations(), tries = lockTries, onWaiting } = options;
  const work = async (session: Database): Promise<string[]> => {
    await session.execute(`create table if not exists migration (
      name text primary key, text_hash text not null,
      applied_at timestamptz not null default clock_timestamp())`);
    const applied = await readApplied(session);
    refuseOther(applied, migrations);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    if (missing.length > 0) await session.execute(`set lock_timeout = ${tries.lockMs}`);
    for (const migration of missing) await applyPatiently(database, session, migration, tries);
    return missing.map(({ name }) => name);
  };
  return database.alone("schema", work, onWaiting);
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
  const hashes = new Map(migrations.map(({ name, text }) => [name, hashOf(text)]));
  for (const [name, hash] of applied) {
    const own = hashes.get(name);
    if (own === undefined) throw new OtherSchema(`this version has no migration ${name}`);
    if (own !== hash) throw new OtherSchema(`migration ${name} has changed since it was applied`);
  }
}

/** The hash of what a migration does: its text without comments and line breaks. */
const hashOf = (text: string): string =>
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
  const record = `insert into migration (name, text_hash) values ('${name}', '${hashOf(text)}')`;
  if (text.startsWith(outsideTransaction)) {
    for (const statement of text.split(/;\s*$/m)) {
      if (statement.replace(/^\s*--.*$/gm, "").trim() !== "") await session.execute(statement);
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

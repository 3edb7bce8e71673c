import { type Database, first, sqlState } from "./database.ts";
import { headOf, statementsOf } from "./migration-text.ts";
import { sql } from "./sql.ts";

/** A migration, and the record that it was applied, in SQL. */
type Step = { name: string; text: string; record: string };

/** How long a statement waits for a lock, and how often it tries. */
export type LockTries = { count: number; lockMs: number; pauseMs: number };

/**
 * A statement that waits for a lock holds up all later statements on the table. It gives up soon,
 * lets them pass, and tries again: 90 seconds in all.
 */
export const lockTries: LockTries = { count: 60, lockMs: 500, pauseMs: 1000 };

/** A migration that could not get a lock; the message says who holds it. */
export class MigrationBlocked extends Error {}

// lock not available, deadlock, serialization failure: nothing of the statement was done
const repeatable = new Set(["55P03", "40P01", "40001"]);

/**
 * Applies one migration: in a transaction, or else statement by statement, and tries again what did
 * not get its lock. Throws MigrationBlocked.
 */
export async function applyMigration(
  database: Database,
  session: Database,
  step: Step,
  tries: LockTries,
): Promise<void> {
  const watch = await watchBlockers(database, session);
  const patiently = async (work: () => Promise<void>): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        const state = sqlState(error);
        if (state === undefined || !repeatable.has(state)) throw error;
        if (attempt >= tries.count) throw blocked(step.name, watch.seen(), error);
        await new Promise((resolve) => setTimeout(resolve, tries.pauseMs));
      }
    }
  };
  try {
    await session.execute(`set lock_timeout = ${tries.lockMs}`);
    if (!headOf(step.text).isOutsideTransaction) {
      return await patiently(() => applyTogether(session, step));
    }
    for (const { code, text } of statementsOf(step.text)) {
      const index = /^(?:create|drop)\b[\w ]* concurrently\b/i.test(code);
      await patiently(() =>
        index ? changeIndex(session, code, text, tries) : session.execute(text),
      );
    }
    await session.execute(step.record);
  } finally {
    watch.stop();
  }
}

async function applyTogether(session: Database, { text, record }: Step): Promise<void> {
  try {
    await session.execute(`begin; ${text}\n; ${record}; commit`);
  } catch (error) {
    await session.execute("rollback").catch(() => undefined); // `error` says more
    throw error;
  }
}

/**
 * Builds or drops an index concurrently. It waits for the transactions of all others, for as long
 * as they take, but nobody waits for it. An attempt that failed leaves an index that PostgreSQL
 * does not use; it is dropped first.
 */
async function changeIndex(
  session: Database,
  code: string,
  text: string,
  tries: LockTries,
): Promise<void> {
  const name = /^create (?:unique )?index concurrently if not exists (\w+)/i.exec(code)?.[1];
  await session.execute("set lock_timeout = 0");
  try {
    if (name !== undefined && (await isUnfinished(session, name))) {
      await session.execute(`drop index concurrently ${name}`);
    }
    await session.execute(text);
  } finally {
    await session.execute(`set lock_timeout = ${tries.lockMs}`).catch(() => undefined);
  }
}

async function isUnfinished(session: Database, name: string): Promise<boolean> {
  const rows = await session.query(sql`
    select from pg_index where indexrelid = to_regclass(${name}::text) and not indisvalid`);
  return rows.length > 0;
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
  const timer = setInterval(() => void look().catch(() => undefined), 100);
  return { seen: () => seen, stop: () => clearInterval(timer) };
}

type Blocker = { pid: number; name: string; state: string; since: Temporal.Instant | null };

function describeBlocker({ pid, name, state, since }: Blocker): string {
  const known = [name, state, since && `in a transaction since ${since}`].filter(Boolean);
  return `session ${pid} (${known.join(", ")})`;
}

const blocked = (name: string, holder: string, cause: unknown): MigrationBlocked =>
  new MigrationBlocked(
    `Migration ${name} needs a lock that ${holder} holds, and has not been applied. ` +
      "End that session (select pg_terminate_backend(…)), or wait until it ends; then start again.",
    { cause },
  );

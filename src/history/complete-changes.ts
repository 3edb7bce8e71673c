import { present } from "#src/lib/assert.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { lastSequence } from "./change.ts";

/** The end of the history at some time, and the transactions that were writing changes then. */
export type NotedEnd = {
  /** The number of the last change that could be read. */
  last: bigint;
  writers: string[];
};

/** The part of the history that is complete. */
type Completeness = {
  /**
   * The number up to which the history is complete: no change with that number or a lower one will
   * be committed later, and later statements see all these changes. Null if it is not known yet.
   */
  complete: bigint | null;
  /** The end to give to the next call; null if all changes were complete. */
  noted: NotedEnd | null;
};

/**
 * Finds where the history is complete. A transaction may be committed after one that has written a
 * change with a higher number. But a transaction locks the table before it gets the number of its
 * change, and keeps the lock until its changes can be read. So the changes up to the last readable
 * one are complete when all transactions have ended that hold the lock now. If such a transaction
 * is still running, a later call returns that number. Transactions that do not write changes, and
 * those of other databases, delay nothing. The caller must store `noted` in this database: if a
 * standby takes over, an end that was noted on the other server may not fit its history.
 */
export async function findComplete(on: Queryable, noted: NotedEnd | null): Promise<Completeness> {
  const { last, writers, hasPrepared } = await readMoment(on);
  if (writers.length === 0) return { complete: last, noted: null };
  const now = { last, writers };
  const running = new Set(writers);
  // a transaction has another name once it is prepared
  const isOver = noted && !hasPrepared && !noted.writers.some((writer) => running.has(writer));
  return isOver ? { complete: noted.last, noted: now } : { complete: null, noted: noted ?? now };
}

type Moment = NotedEnd & { hasPrepared: boolean };

/**
 * Reads the last number and then the locks: a statement's snapshot is older than the locks that the
 * same statement reads. Every user may read the locks of all users.
 */
async function readMoment(on: Queryable): Promise<Moment> {
  const row = await first<Moment>(
    on,
    sql`
    select ${lastSequence} as last, coalesce(w.writers, '{}') as writers,
      coalesce(w.has_prepared, false) as "hasPrepared"
    from (
      select array_agg(l.virtualtransaction) as writers, bool_or(l.pid is null) as has_prepared
      from pg_locks l
      where l.locktype = 'relation' and l.relation = 'change'::regclass
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.mode = 'RowExclusiveLock' and l.granted
    ) w`,
  );
  return present(row, "the state of the history");
}

/** A locked cursor: the reader may read the changes after `from` and up to `to`. */
export type LockedCursor = {
  from: bigint;
  /** Equal to `from` if no further change is complete. */
  to: bigint;
  noted: NotedEnd | null;
};

/**
 * Locks the cursor of a reader of the history until the end of the transaction. Null if another
 * process has locked it, or it does not fit the condition. `table` has one row, with the columns
 * `last` (the last change that was read), `noted` and `writers`. The caller stores `noted` with
 * `notedColumns`.
 */
export async function lockCursor(
  on: Queryable,
  table: Sql,
  condition: Sql = sql`true`,
): Promise<LockedCursor | null> {
  const cursor = await first<{ last: bigint; noted: bigint | null; writers: string[] }>(
    on,
    sql`select last, noted, writers from ${table} where ${condition} for update skip locked`,
  );
  if (!cursor) return null;
  const { last: from, noted: last, writers } = cursor;
  const { complete, noted } = await findComplete(on, last === null ? null : { last, writers });
  return { from, to: complete !== null && complete > from ? complete : from, noted };
}

/** The part of `set` that stores a noted end with a cursor. */
export const notedColumns = (noted: NotedEnd | null): Sql => sql`
  noted = ${noted?.last ?? null}::bigint, writers = ${noted?.writers ?? []}::text[]`;

import { present } from "#src/lib/assert.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { lastSequence } from "./change.ts";

/** The state of the history at one moment. */
type Moment = {
  /** The number of the last change that could be read. */
  last: bigint;
  /** The transactions that were writing changes. */
  writers: string[];
  /** Whether one of them is prepared, so that it may have had another name before. */
  hasPrepared: boolean;
};

/**
 * Returns the number up to which the history is complete: no change with that number or a lower one
 * will be committed later. Later statements see all these changes. Returns null if the number is
 * not known yet.
 */
export type FindComplete = (on: Queryable) => Promise<bigint | null>;

/**
 * Creates the function that finds where the history is complete. A transaction may be committed
 * after one that has written a change with a higher number. But a transaction locks the table
 * before it gets the number of its change, and keeps the lock until its changes can be read. So the
 * changes up to the last readable one are complete when all transactions have ended that hold the
 * lock now. If such a transaction is still running, a later call returns that number. Transactions
 * that do not write changes, and those of other databases, delay nothing.
 */
export function createFindComplete(): FindComplete {
  let awaited: Moment | undefined;
  return async (on) => {
    const now = await readMoment(on);
    if (now.writers.length === 0) {
      awaited = undefined;
      return now.last;
    }
    const running = new Set(now.writers);
    awaited ??= now;
    const { last, writers } = awaited;
    if (now.hasPrepared || writers.some((writer) => running.has(writer))) return null;
    awaited = now;
    return last;
  };
}

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

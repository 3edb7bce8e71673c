import type { Notice } from "#src/bank/notice.ts";
import { lastSequence } from "#src/history/change.ts";
import { type LockedCursor, lockCursor, notedColumns } from "#src/history/complete-changes.ts";
import type { Pace } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { isOver } from "#src/storage/lease.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { changesToTell, readNotices } from "./read-notices.ts";

/** The work of a process that tells the core what has happened to consents and orders. */
export type NoticeWork = {
  /** Looks for something to tell at this interval of the pace, until the work is stopped. */
  start(intervalMs: number, pace: Pace): void;
  /** Begins no further call, and waits for the last one for the given time at most. */
  stop(withinMs: number): Promise<void>;
  /** Tells everything that can be told now. */
  tick(): Promise<void>;
};

type NoticeWorkOptions = {
  database: Database;
  tell(notices: readonly Notice[]): Promise<void>;
  /** Whether the work may begin, and a call would reach the core now. */
  admits: () => boolean;
  /** The longest that a call may take. */
  deadlineMs: number;
  /** The pause after a failed call. */
  retryMs: number;
  log: { error(details: object, text: string): void };
};

// Changes that are read together. After each failed call, half as many are read.
const batchSize = 100;
// Reading a batch and storing the cursor take much less.
const graceMs = 10_000;
const longestError = 500;

type Claim = Pick<LockedCursor, "from" | "to"> & { failures: number };

/**
 * Creates the work. Of any number of processes, the one that holds the cursor tells. It holds no
 * lock while the core works, so no consent or order ever waits for the core. If the process dies,
 * another one tells the same notices again after a time.
 */
export function createNoticeWork(options: NoticeWorkOptions): NoticeWork {
  const { database, log } = options;
  const holder = newId("teller");
  let end = async (): Promise<void> => undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;
  let hasCursor = false;

  async function tick(): Promise<void> {
    if (!hasCursor && options.admits()) {
      await database.query(createCursor);
      hasCursor = true;
    }
    while (!isStopped && options.admits() && (await tellNext(options, holder)));
  }

  const run = (): Promise<void> => {
    running ??= tick()
      .catch((error) => {
        if (!isStopped) log.error({ err: error }, "the work on notices failed; it will try again");
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    tick: run,
    start(intervalMs, pace) {
      end = pace.every(intervalMs, run);
    },
    async stop(withinMs) {
      isStopped = true;
      void end();
      const { promise, resolve } = Promise.withResolvers<void>();
      const patience = setTimeout(resolve, withinMs);
      await Promise.race([running, promise]);
      clearTimeout(patience);
    },
  };
}

const createCursor = sql`insert into notice_cursor default values on conflict do nothing`;

/** Tells the next notices. Returns whether it moved the cursor. */
async function tellNext(options: NoticeWorkOptions, holder: string): Promise<boolean> {
  const { database, tell, retryMs, log } = options;
  // checked without a lock, because usually there is nothing new
  if (!(await hasNews(options))) return false;
  const claim = await claimChanges(options, holder);
  if (!claim) return false;
  const { from, to, failures } = claim;
  const limit = Math.max(1, Math.floor(batchSize / 2 ** failures));
  const { notices, last } = await readNotices(database, { from, to, limit });
  try {
    if (notices.length > 0) await tell(notices);
  } catch (error) {
    await release(
      database,
      holder,
      sql`failures = failures + 1, holder = null, held_until = ${fromNow(retryMs)},
      failed_at = clock_timestamp(), failure = ${whyOf(error)}`,
    );
    const told = { first: notices[0]?.noticeId, notices: notices.length };
    log.error({ err: error, ...told }, "the core was not told; Aldgate will tell it again");
    return false;
  }
  return release(
    database,
    holder,
    sql`last = ${last}, failures = 0, holder = null, held_until = null, failed_at = null,
    failure = null`,
  );
}

/** What the core has said, if the error of its guard has a cause. */
const whyOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  return textOf(cause ?? error).slice(0, longestError);
};

const fromNow = (milliseconds: number): Sql =>
  sql`clock_timestamp() + make_interval(secs => ${milliseconds / 1000}::float8)`;

/** For how long the call of a claim may last. */
const heldMs = ({ deadlineMs }: NoticeWorkOptions): number => deadlineMs + graceMs;

const isFree = (options: NoticeWorkOptions): Sql =>
  isOver(sql`held_until`, Math.max(heldMs(options), options.retryMs) / 1000);

async function hasNews(options: NoticeWorkOptions): Promise<boolean> {
  const row = await first<{ isNews: boolean }>(
    options.database,
    sql`select ${lastSequence} > last and ${isFree(options)} as "isNews" from notice_cursor`,
  );
  return row?.isNews ?? false;
}

/** Takes the cursor for a time. Null if another process has it, or nothing new is complete. */
const claimChanges = (options: NoticeWorkOptions, holder: string): Promise<Claim | null> =>
  options.database.transaction(async (on) => {
    const cursor = await lockCursor(on, sql`notice_cursor`, isFree(options));
    if (!cursor) return null;
    const { from, to, noted } = cursor;
    const isNews = to > from;
    const held = isNews
      ? sql`, holder = ${holder}, held_until = ${fromNow(heldMs(options))}`
      : sql``;
    const row = await first<{ failures: number }>(
      on,
      sql`update notice_cursor set ${notedColumns(noted)}${held} returning failures`,
    );
    return row && isNews ? { from, to, failures: row.failures } : null;
  });

/** Stores the outcome. Returns false if another process has taken the cursor meanwhile. */
async function release(on: Queryable, holder: string, columns: Sql): Promise<boolean> {
  const rows = await on.query(
    sql`update notice_cursor set ${columns} where holder = ${holder} returning last`,
  );
  return rows.length === 1;
}

/** When the oldest change happened that the core has not been told; null if there is none. */
export async function oldestUntold(on: Queryable): Promise<Temporal.Instant | null> {
  const row = await first<{ at: Temporal.Instant }>(
    on,
    sql`
    select c."occurredAt" as at
    from notice_cursor k cross join lateral ${changesToTell(sql`k.last`, lastSequence)} c
    order by c.sequence limit 1`,
  );
  return row?.at ?? null;
}

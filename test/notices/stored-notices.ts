import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Who skipped a notice, why and when, as it is stored. */
export type StoredSkip = { actor: string; reason: string; at: Temporal.Instant };

/** Reads why a notice was skipped. */
export const readSkip = (on: Queryable, noticeId: string): Promise<StoredSkip | undefined> =>
  first(
    on,
    sql`
    select actor, reason, skipped_at as at from notice_skip where notice_id = ${noticeId}`,
  );

/** Holds the work of telling for some seconds, as a process does that has died. */
export const holdForDead = async (on: Queryable, seconds: number): Promise<void> =>
  void (await on.query(sql`update notice_cursor set holder = 'dead',
    held_until = clock_timestamp() + make_interval(secs => ${seconds}::float8)`));

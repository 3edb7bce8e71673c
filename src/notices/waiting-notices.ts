import type { Notice } from "#src/bank/notice.ts";
import { lastSequence } from "#src/history/change.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { readNotices } from "./read-notices.ts";

/** A notice that the core has not been told, as operators see it; times in RFC 3339. */
type WaitingNotice = Pick<Notice, "noticeId" | "occasion" | "kind" | "consentId" | "orderId"> & {
  at: string;
};

/** The notices that the core has not been told, and how the last calls went. */
export type WaitingNotices = {
  /** The oldest ones, in the order in which the core will be told. */
  notices: WaitingNotice[];
  /** The failed calls since the last one that succeeded. */
  failures: number;
  /** The last call, if it failed; otherwise null. */
  lastFailure: { at: string; error: string } | null;
};

/** Who skips a notice, and why. */
export type NoticeSkip = { actor: string; reason: string };

const mostListed = 1000;
const nothing: WaitingNotices = { notices: [], failures: 0, lastFailure: null };

type Cursor = {
  last: bigint;
  end: bigint;
  failures: number;
  failedAt: Temporal.Instant | null;
  failure: string | null;
};

/** Lists up to 1,000 notices that the core has not been told. */
export async function listWaitingNotices(on: Queryable): Promise<WaitingNotices> {
  const cursor = await first<Cursor>(
    on,
    sql`select last, ${lastSequence} as end, failures, failed_at as "failedAt", failure
      from notice_cursor`,
  );
  // no core of this bank has ever had `tell`
  if (!cursor) return nothing;
  const { last: from, end: to, failures, failedAt, failure } = cursor;
  const { notices } = await readNotices(on, { from, to, limit: mostListed });
  return {
    notices: notices.map(({ noticeId, at, occasion, kind, consentId, orderId }) => ({
      noticeId,
      at: at.toString(),
      occasion,
      kind,
      consentId,
      orderId,
    })),
    failures,
    lastFailure: failedAt && { at: failedAt.toString(), error: failure ?? "" },
  };
}

/**
 * Stores that the core is never told a notice. Returns false, and stores nothing, if the notice is
 * not among those that wait.
 */
export async function skipNotice(
  on: Queryable,
  noticeId: string,
  { actor, reason }: NoticeSkip,
  now: Temporal.Instant,
): Promise<boolean> {
  const cursor = await first<Pick<Cursor, "last" | "end">>(
    on,
    sql`select last, ${lastSequence} as end from notice_cursor`,
  );
  if (!cursor) return false;
  const { notices } = await readNotices(on, {
    from: cursor.last,
    to: cursor.end,
    limit: mostListed,
  });
  const notice = notices.find((one) => one.noticeId === noticeId);
  if (!notice) return false;
  await on.query(sql`
    insert into notice_skip (notice_id, position, skipped_at, actor, reason)
    values (${noticeId}, ${notice.position}, ${now}, ${actor}, ${reason})
    on conflict do nothing`);
  return true;
}

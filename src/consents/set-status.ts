import type { ConsentStatus } from "#src/standard/api-version.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { ConsentCourse } from "./states.ts";

// The columns by which the sweeps find consents depend on the status, on `deleted_at`, on
// `created_at` and on `expires_at`. They are not generated columns, because the server would parse
// their expressions again for each statement that writes a consent. So every statement that sets a
// status or `deleted_at` uses `setStatus` or `setDeleted`, and no other file names those columns in
// a `set` (test/consents/set-status.test.ts).

/**
 * What can still happen to a consent: it is `waiting` for its customer or its file, it is `open`
 * and may expire, or it has `ended`.
 */
type ConsentStage = "waiting" | "open" | "ended";

const sweptColumns: Record<ConsentStage, Sql> = {
  waiting: sql`waits_since = created_at, lapses_at = expires_at`,
  open: sql`waits_since = null, lapses_at = expires_at`,
  ended: sql`waits_since = null, lapses_at = null`,
};

/** Returns the stage of a consent in a status. */
export function stageOf(
  { states }: Pick<ConsentCourse, "states">,
  status: ConsentStatus,
): ConsentStage {
  const events = states[status] ?? {};
  if (events.reject) return "waiting";
  return Object.keys(events).length > 0 ? "open" : "ended";
}

/**
 * SQL: the part of a `set` clause that gives consents a status. `stage` is the stage of a consent
 * with that status; null if its stage does not change.
 */
export const setStatus = (status: ConsentStatus | Sql, stage: ConsentStage | null): Sql =>
  stage === null ? sql`status = ${status}` : sql`status = ${status}, ${sweptColumns[stage]}`;

/** SQL: the part of a `set` clause that deletes consents. Their rows remain as a record. */
export const setDeleted = (at: Temporal.Instant): Sql =>
  sql`deleted_at = ${at}, ${sweptColumns.ended}`;

import { type Change, changesBetween, factsBefore } from "#src/history/change.ts";
import { findComplete, type NotedEnd } from "#src/history/complete-changes.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * Creates a function that reads the complete changes that it has not read before, in order. If
 * transactions are writing, a later call reads their changes.
 */
export function createChangeReader(on: Queryable): () => Promise<Change[]> {
  let last = 0n;
  let noted: NotedEnd | null = null;
  return async () => {
    const found = await findComplete(on, noted);
    noted = found.noted;
    const { complete } = found;
    if (complete === null || complete <= last) return [];
    const rows = sql`
      select c.*, p.before from (${changesBetween(sql`${last}`, sql`${complete}`)}) c
      ${factsBefore({ objectId: sql`c."objectId"`, sequence: sql`c.sequence` })}
      order by c.sequence`;
    last = complete;
    return on.query<Change>(rows);
  };
}

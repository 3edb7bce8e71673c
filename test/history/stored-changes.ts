import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** Returns how many changes were made by statements that gave no cause. */
export const countUnexplained = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from change where cause = 'unknown'`)).length;

/** Returns the changes of objects, with the status after each. */
export const changesOf = (
  on: Queryable,
  objectIds: readonly string[],
): Promise<{ objectId: string; sequence: bigint; status: string; cause: string }[]> =>
  on.query(sql`
    select object_id as "objectId", sequence, after::json->>'status' as status, cause
    from change where object_id = any(${objectIds}::text[]) order by sequence`);

/** SQL: deletes the history of one object. */
export const historyRemoval = (objectId: string): Sql =>
  sql`delete from change where object_id = ${objectId}`;

/** SQL: statements that would rewrite the history of an object, which the database refuses. */
export const rewriting = (objectId: string): readonly Sql[] => [
  sql`update change set cause = 'bank' where object_id = ${objectId}`,
  historyRemoval(objectId),
  sql`truncate change`,
];

/** Stores a further change of an object, with the facts of its last one. */
export const addChange = (on: Queryable, objectId: string, at: Temporal.Instant) =>
  on.query(sql`
    insert into change (object_kind, object_id, after, cause, occurred_at)
    select c.object_kind, c.object_id, c.after, 'bank', ${at}::timestamptz from change c
    where c.object_id = ${objectId} order by c.sequence desc limit 1`);

/** Runs work while the history cannot record what TPPs do, as if its disk were full. */
export async function withFullHistory<Result>(
  on: Queryable,
  work: () => Promise<Result>,
): Promise<Result> {
  await on.query(sql`alter table change add constraint full_disk check (cause <> 'tpp')
    not valid`);
  try {
    return await work();
  } finally {
    await on.query(sql`alter table change drop constraint full_disk`);
  }
}

/** SQL: the changes that the bank has made to orders, as a table. */
export const bankOrderChanges: Sql = sql`(
  select object_id, sequence, occurred_at from change
  where object_kind = 'order' and cause = 'bank')`;

import { type Change, listChanges } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An act of a tester on a consent or an order, with the part of its history that followed. */
type TesterAct = {
  act: string;
  at: Temporal.Instant;
  /** The number of the object's last change before the act. */
  afterChange: Change["sequence"];
  /** The number of its last change when the act was done. */
  untilChange: Change["sequence"];
};

/** Does something to a consent or an order, and keeps that a tester did it. */
export async function asTester(
  on: Queryable,
  { id, act, at }: { id: string; act: string; at: Temporal.Instant },
  work: () => Promise<unknown>,
): Promise<void> {
  const lastChange = async () => (await listChanges(on, id)).at(-1)?.sequence ?? 0n;
  const afterChange = await lastChange();
  await work();
  await on.query(sql`
    insert into sandbox_order_act (order_id, act, acted_at, after_change, until_change)
    values (${id}, ${act}, ${at}, ${afterChange}, ${await lastChange()})`);
}

/** What testers have done to a consent or an order, in order of time. */
export const listActs = (on: Queryable, id: string): Promise<TesterAct[]> =>
  on.query(sql`
    select act, acted_at as at, after_change as "afterChange", until_change as "untilChange"
    from sandbox_order_act where order_id = ${id} order by act_id`);

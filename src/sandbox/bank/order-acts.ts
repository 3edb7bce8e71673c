import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An act of a tester on an order, with the part of the order's history that it brought about. */
type OrderAct = {
  act: string;
  at: Temporal.Instant;
  /** The number of the order's last change before the act. */
  afterChange: bigint;
  /** The number of its last change when the act was done. */
  untilChange: bigint;
};

/** Keeps that a tester has done something to an order. */
export const recordOrderAct = async (
  on: Queryable,
  orderId: string,
  { act, at, afterChange, untilChange }: OrderAct,
): Promise<void> => {
  await on.query(sql`
    insert into sandbox_order_act (order_id, act, acted_at, after_change, until_change)
    values (${orderId}, ${act}, ${at}, ${afterChange}, ${untilChange})`);
};

/** What testers have done to an order, in order of time. */
export const listOrderActs = (on: Queryable, orderId: string): Promise<OrderAct[]> =>
  on.query(sql`
    select act, acted_at as at, after_change as "afterChange", until_change as "untilChange"
    from sandbox_order_act where order_id = ${orderId} order by act_id`);

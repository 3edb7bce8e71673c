import { batched } from "#src/lib/batched.ts";
import type { LimitWindow } from "#src/payments/limits/windows.ts";
import { type Database, type Queryable, sqlState } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import {
  batchLimits,
  creation,
  type NewOrder,
  notNullViolation,
  orderRecord,
  paymentRows,
} from "./create-order.ts";

/** An order with the limits of its consent. */
export type LimitedOrder = NewOrder & { limits: readonly LimitWindow[] };

/** Whether an order was created; if not, the positions of the limits that it would exceed. */
export type Taking = { isCreated: boolean; exceeded: readonly number[] };

/**
 * Makes the function that creates orders within the limits of their consents. Concurrent orders, of
 * one consent or of several, share a statement and a commit.
 */
export const limitedCreation = (database: Database): ((order: LimitedOrder) => Promise<Taking>) =>
  batched<LimitedOrder, Taking>(batchLimits, (orders) => createWithinLimits(database, orders));

/**
 * Creates the orders that fit the limits of their consents, in one statement, each after the ones
 * before it in the list. An order that does not fit changes nothing and leaves the others as they
 * are. An order that is not created although it exceeds no limit came after another request with
 * its key, or its consent cannot be used any more. Source: V-115…V-120, V-124.
 */
export async function createWithinLimits(
  on: Queryable,
  orders: readonly LimitedOrder[],
): Promise<Taking[]> {
  const records = JSON.stringify(orders.map(toRecord));
  try {
    const rows = await on.query<{ orderId: string; exceeded: number[] }>(statement({ records }));
    return orders.map(({ order }) => {
      const exceeded = rows.find(({ orderId }) => orderId === order.orderId)?.exceeded;
      return { isCreated: exceeded?.length === 0, exceeded: exceeded ?? [] };
    });
  } catch (error) {
    if (orders.length > 1 || sqlState(error) !== notNullViolation) throw error;
    return [{ isCreated: false, exceeded: [] }];
  }
}

const statement = prepare(({ records }: { records: string }) =>
  creation(records, paymentRows(sql`g.payments`), {
    consumed: sql`
      taken as materialized (
        select t.order_id, t.exceeded from take_limits(${records}::json) t
      ), consumed as (
        select g.* from taken t join given g using (order_id) where t.exceeded = '{}')`,
    // an order leaves such a consent as it is
    changes: null,
    result: sql`select order_id as "orderId", to_json(exceeded) as exceeded from taken`,
  }),
);

const toRecord = (order: LimitedOrder): object => ({
  ...orderRecord(order),
  limits: order.limits.map(({ position, startsAt, endsAt, limitMinor }) => ({
    position,
    starts_at: startsAt.toString(),
    ends_at: endsAt.toString(),
    limit_minor: limitMinor.toString(),
  })),
});

import { useOf } from "#src/consents/consent.ts";
import { batched } from "#src/lib/batched.ts";
import { type Day, isoDay } from "#src/payments/calendar/day.ts";
import { uncounted } from "#src/payments/limits/usage.ts";
import type { LimitWindow } from "#src/payments/limits/windows.ts";
import { type Database, type Queryable, sqlState } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import {
  amountOf,
  batchLimits,
  creation,
  type Drafts,
  draftedPayments,
  drafts,
  type NewOrder,
  notNullViolation,
} from "./create-order.ts";

/** An order with its London day and the limits of its consent on that day. */
export type LimitedOrder = NewOrder & {
  day: Day;
  limits: readonly LimitWindow[];
};

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
  const taken = JSON.stringify(orders.map(takenRecord));
  try {
    const rows = await on.query<Taken>(statement({ ...drafts(orders), taken }));
    return orders.map(({ order }) => {
      const exceeded = rows.find(({ orderId }) => orderId === order.orderId)?.exceeded;
      return { isCreated: exceeded?.length === 0, exceeded: exceeded ?? [] };
    });
  } catch (error) {
    if (orders.length > 1 || sqlState(error) !== notNullViolation) throw error;
    return [{ isCreated: false, exceeded: [] }];
  }
}

type Taken = { orderId: string; exceeded: number[] };

const statement = prepare(({ records, payments, taken }: Drafts & { taken: string }) =>
  creation(records, draftedPayments(payments), {
    use: sql`'within limits'`,
    consumed: sql`
      taken as materialized (
        select t.order_id, t.exceeded from take_limits(${taken}::json) t
      ), consumed as (
        select g.* from taken t join given g using (order_id) where t.exceeded = '{}')`,
    // an order leaves such a consent as it is
    changes: null,
    result: sql`select order_id as "orderId", to_json(exceeded) as exceeded from taken`,
  }),
);

/** The part of an order that `take_limits` reads. */
const takenRecord = ({ order, consent, course, payments, day, limits }: LimitedOrder): object => ({
  ...useOf(consent, course),
  order_id: order.orderId,
  ...amountOf(order, payments),
  day: isoDay(day),
  is_counted: uncounted.some((status) => status === order.status) ? false : undefined,
  limits: limits.map(({ position, first, last, limitMinor }) => ({
    position,
    first: isoDay(first),
    last: isoDay(last),
    limit_minor: limitMinor.toString(),
  })),
});

import { statusesBefore } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { type Day, isoDay } from "#src/payments/calendar/day.ts";
import type { LimitWindow } from "#src/payments/limits/periods.ts";
import { uncounted } from "#src/payments/limits/usage.ts";
import {
  type Creation,
  creation,
  type Drafts,
  draftedPayments,
  drafts,
  type NewOrder,
  type Taking,
  wasTooLate,
} from "#src/payments/order/create-order.ts";
import type { Queryable } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";

/** An order with its London day and the limits of its consent on that day. */
export type LimitedOrder = NewOrder & {
  day: Day;
  limits: readonly LimitWindow[];
};

/**
 * Creates the orders that fit the limits of their consents, in one statement, each after the ones
 * before it in the list. An order that does not fit changes nothing and leaves the others as they
 * are. An order that is not created although it exceeds no limit came after another request with
 * its key, or its consent cannot be used any more. Source: V-115…V-120, V-124.
 */
export const inLimits: Creation<LimitedOrder> = () => createWithinLimits;

async function createWithinLimits(
  on: Queryable,
  orders: readonly LimitedOrder[],
): Promise<Taking[]> {
  try {
    const rows = await on.query<Taken>(statement({ ...drafts(orders), takings: takings(orders) }));
    return orders.map(({ order, limits }) => {
      const exceeded = rows.find(({ orderId }) => orderId === order.orderId)?.exceeded;
      const positions = (exceeded ?? []).map((place) => present(limits[place], "it").position);
      return { isCreated: exceeded?.length === 0, exceeded: positions };
    });
  } catch (error) {
    if (orders.length > 1 || !wasTooLate(error)) throw error;
    return [{ isCreated: false, exceeded: [] }];
  }
}

type Taken = { orderId: string; exceeded: number[] };

const statement = prepare((given: Drafts & { takings: string }) =>
  creation(given.records, draftedPayments(given.payments), {
    use: sql`'within limits'`,
    consumed: sql`
      taken as materialized (
        select t.order_id, t.exceeded from take_limits(${given.takings}::json) t
      ), consumed as (
        select g.* from taken t join given g using (order_id) where t.exceeded = '{}')`,
    // an order leaves such a consent as it is
    changes: null,
    result: sql`select order_id as "orderId", to_json(exceeded) as exceeded from taken`,
  }),
);

/** The parameter of `take_limits`: each order with the limits of its consent. */
const takings = (orders: readonly LimitedOrder[]): string =>
  JSON.stringify(
    orders.map(({ order, consent, course, day, payments: [payment], limits }) => ({
      order_id: order.orderId,
      consent_id: consent.consentId,
      usable_in: statusesBefore(course, "consume"),
      day: isoDay(day),
      amount_minor: present(payment, "an order's payment").amount.amountMinor.toString(),
      is_counted: !uncounted.some((status) => status === order.status),
      limits: limits.map(({ first, last, limitMinor }) => ({
        first: isoDay(first),
        last: isoDay(last),
        limit_minor: limitMinor.toString(),
      })),
    })),
  );

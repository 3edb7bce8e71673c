import type { Consent } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { bankDay, bankZone, isoDay } from "#src/payments/calendar/timing.ts";
import type { PaymentStatus } from "#src/payments/order/order-states.ts";
import { usedAs } from "#src/payments/order/order-use.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import {
  anchorOf,
  type LimitPeriod,
  type PeriodType,
  periodicLimit,
  periodOf,
  validityOf,
} from "./order-limits.ts";

/** A limit of a consent in its current period, and the sum of that period's payments. */
export type LimitUsage = LimitPeriod & { type: PeriodType; usedMinor: bigint };

/** A payment under a consent that is used within limits. */
export type LimitedPayment = {
  orderId: string;
  createdAt: Temporal.Instant;
  amountMinor: bigint;
  currency: string;
  status: string;
  /** The name of the payee, or the number of the account. */
  payee: string;
};

/** The outcome of a payment: whether the money left the account. */
export type LimitOutcome = "paid" | "not paid" | "in progress";

const outcomes: Readonly<Record<string, LimitOutcome>> = {
  RJCT: "not paid",
  BLCK: "not paid",
  ACSC: "paid",
  ACCC: "paid",
  ACWP: "paid",
};

/** Returns what a payment's status means for its money. */
export const outcomeOf = (status: string): LimitOutcome => outcomes[status] ?? "in progress";

/**
 * Loads the usage of each limit of a consent. Before the consent's first day, the usage is that of
 * its first period.
 */
export async function loadUsage(
  on: Queryable,
  { consentId, createdAt }: Pick<Consent, "consentId" | "createdAt">,
  limits: RequestedLimits,
  now: Temporal.Instant,
): Promise<LimitUsage[]> {
  const anchor = anchorOf(validityOf(limits), bankDay(createdAt));
  const date = Math.max(anchor, bankDay(now));
  const periods = limits.periods.map(periodicLimit).map((limit) => ({
    type: limit.type,
    ...periodOf(limit, anchor, date),
  }));
  const windows = periods.map(({ first, last }, position) => ({
    position,
    first: isoDay(first),
    last: isoDay(last),
  }));
  const rows = await on.query<{ position: number; usedMinor: bigint }>(sql`
    select w.position, coalesce(sum(u.amount_minor), 0)::bigint as "usedMinor"
    from json_to_recordset(${JSON.stringify(windows)}::json)
      as w(position integer, first date, last date)
    left join limit_use u on u.consent_id = ${consentId} and u.day between w.first and w.last
    group by w.position`);
  return periods.map((period, position) => {
    const row = rows.find((one) => one.position === position);
    return { ...period, usedMinor: present(row, "the sum of a period").usedMinor };
  });
}

/** The statuses of payments that do not count towards limits. Source: V-123, V-124. */
export const uncounted: readonly PaymentStatus[] = ["RJCT", "BLCK"];

const isLimited = usedAs(usedWithinLimits, sql`o.consent_use`);

/**
 * SQL: gives back the amounts that orders used of their consents' limits, each on its own day.
 * `moved` is a query of orders whose status has just changed, with `consent_use`, `consent_id`,
 * `created_at`, `amount_minor` and `status`. The rows are locked in one order, as in
 * `take_limits`.
 */
export const givingBack = (moved: Sql): Sql => sql`
  insert into limit_use (consent_id, day, amount_minor)
  select o.consent_id, (o.created_at at time zone ${bankZone})::date as day, -sum(o.amount_minor)
  from ${moved} o
  where ${isLimited} and o.status = any(${[...uncounted]}::text[])
  group by 1, 2 order by 1, 2
  on conflict (consent_id, day) do update
    set amount_minor = limit_use.amount_minor + excluded.amount_minor`;

/** Lists payments under a consent, newest first: `count` of them, from `first`. */
export const listPayments = (
  on: Queryable,
  { consentId }: Pick<Consent, "consentId">,
  { first, count }: { first: number; count: number },
): Promise<LimitedPayment[]> =>
  on.query<LimitedPayment>(sql`
    select o.order_id as "orderId", o.created_at as "createdAt", o.amount_minor as "amountMinor",
      o.currency, o.status,
      coalesce(p.creditor->>'name', p.creditor->>'identification') as payee
    from payment_order o join payment p on p.order_id = o.order_id
    where o.consent_id = ${consentId} and ${isLimited}
    order by o.created_at desc, o.order_id limit ${count}::integer offset ${first}::integer`);

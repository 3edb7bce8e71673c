import type { Consent } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { bankZone } from "#src/payments/calendar/timing.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { periodicLimit, validityOf } from "./order-limits.ts";
import { type LimitPeriod, type PeriodType, periodOf } from "./periods.ts";
import { anchorOf, dateIn, startOf } from "./validity.ts";

/** A limit of a consent in its current period, and the sum of that period's payments. */
export type LimitUsage = LimitPeriod & { type: PeriodType; usedMinor: bigint };

/** A payment under a consent that is used within limits. */
export type LimitedPayment = {
  orderId: string;
  createdAt: Temporal.Instant;
  amountMinor: bigint;
  currency: string;
  status: string;
};

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
  const anchor = anchorOf(validityOf(limits), dateIn(bankZone, createdAt));
  const today = dateIn(bankZone, now);
  const date = Temporal.PlainDate.compare(today, anchor) < 0 ? anchor : today;
  const periods = limits.periods.map(periodicLimit).map((limit) => ({
    type: limit.type,
    ...periodOf(limit, anchor, date),
  }));
  const windows = periods.map(({ first, last }, position) => ({
    position,
    starts_at: startOf(bankZone, first).toString(),
    ends_at: startOf(bankZone, last.add({ days: 1 })).toString(),
  }));
  // sums the same payments as take_limits
  const rows = await on.query<{ position: number; usedMinor: bigint }>(sql`
    select w.position, coalesce(sum(p.amount_minor), 0)::bigint as "usedMinor"
    from json_to_recordset(${JSON.stringify(windows)}::json)
      as w(position integer, starts_at timestamptz, ends_at timestamptz)
    left join payment_order p on p.consent_id = ${consentId}
      and p.consent_use = 'within limits'
      and p.created_at >= w.starts_at and p.created_at < w.ends_at
      and p.status not in ('RJCT', 'BLCK')
    group by w.position`);
  return periods.map((period, position) => {
    const row = rows.find((one) => one.position === position);
    return { ...period, usedMinor: present(row, "the sum of a period").usedMinor };
  });
}

/** Lists the newest payments under a consent. */
export const listPayments = (
  on: Queryable,
  { consentId }: Pick<Consent, "consentId">,
  count: number,
): Promise<LimitedPayment[]> =>
  on.query<LimitedPayment>(sql`
    select order_id as "orderId", created_at as "createdAt", amount_minor as "amountMinor",
      currency, status
    from payment_order where consent_id = ${consentId}
    order by created_at desc, order_id limit ${count}`);

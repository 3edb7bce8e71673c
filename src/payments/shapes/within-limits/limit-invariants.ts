import { bankZone } from "#src/payments/calendar/timing.ts";
import { uncounted } from "#src/payments/limits/usage.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/** The invariants of consents that are used within limits. verify-limits.ts checks the limits. */
export const limitInvariants: readonly Invariant[] = [
  {
    name: "a day's use of a consent's limits is the sum of that day's orders",
    breaches: (within) => sql`select consent_id || ' on ' || day, coalesce(o.sum, 0),
        coalesce(u.amount_minor, 0)
      from (
        select consent_id, day, amount_minor from limit_use where ${within(sql`consent_id`)}
      ) u full join (
        select consent_id, (created_at at time zone ${bankZone})::date as day,
          sum(amount_minor) as sum
        from payment_order
        where ${within(sql`consent_id`)} and consent_use = 'within limits'
          and status <> all(${[...uncounted]}::text[])
        group by 1, 2
      ) o using (consent_id, day)
      where coalesce(o.sum, 0) <> coalesce(u.amount_minor, 0)`,
  },
];

import type { ConsentBody } from "#src/consents/consent.ts";
import { consentFacts } from "#src/consents/consent-facts.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { formatAmount } from "#src/lib/money.ts";
import { bankDay, bankZone, isoDay, toDay } from "#src/payments/calendar/timing.ts";
import { type PaymentKind, requestOf } from "#src/payments/definitions/payment-kind.ts";
import {
  anchorOf,
  periodicLimit,
  periodOf,
  standingOn,
  validityOf,
} from "#src/payments/limits/order-limits.ts";
import { uncounted } from "#src/payments/limits/usage.ts";
import { usedAs } from "#src/payments/order/order-use.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import {
  type Breach,
  type Invariant,
  shownBreaches,
  type VerifyOptions,
} from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

// Checks the payments of consents against their limits once more. It shares no SQL with
// take_limits: the database adds up each London day, and this code adds up the days of each period.

/** The payments of one consent on one day, without those that do not count. */
type Day = { day: string; sumMinor: string; largestMinor: string };

type UsedConsent = {
  consentId: string;
  kind: KindId;
  apiVersion: ApiVersionId;
  createdAt: Temporal.Instant;
  body: ConsentBody;
  days: Day[];
};

const names = {
  limits: "a consent that is used within limits has limits",
  period: "the payments of a period do not exceed the limit of their consent",
  single: "a payment does not exceed the maximum of its consent",
  validity: "a payment was accepted while its consent was valid",
} as const;

// The number of consents that one statement reads, with their payments added up by day.
const consentsPerSlice = 200;

/**
 * Finds the payments that exceed a period or the maximum of their consents, or are outside the
 * dates of the consent. Payments may be made meanwhile, because one statement reads a whole
 * consent. Kinds that the bank was opened without are not checked. Source: V-113, V-115.
 */
export async function verifyLimits(
  on: Queryable,
  kinds: readonly PaymentKind[],
  { onProgress = () => undefined, perSlice = consentsPerSlice }: VerifyOptions = {},
): Promise<Breach[]> {
  const limited = kinds.filter(({ consent }) => consent.use === usedWithinLimits.use);
  const found: Breach[] = [];
  let after = "";
  for (let checked = 0; limited.length > 0; checked += perSlice) {
    onProgress(`Checking the limits of consents (${checked} checked)`);
    const consents = await loadSlice(on, limited, after, perSlice);
    for (const consent of consents) {
      const kind = present(
        limited.find(({ id }) => id === consent.kind),
        "the kind of the statement",
      );
      for (const breach of breachesOf(consent, requestOf(kind, consent).limits)) {
        const same = found.filter(({ invariant }) => invariant === breach.invariant);
        if (same.length < shownBreaches) found.push(breach);
      }
    }
    const last = consents.at(-1);
    if (!last || consents.length < perSlice) break;
    after = last.consentId;
  }
  return found;
}

const loadSlice = (
  on: Queryable,
  kinds: readonly PaymentKind[],
  after: string,
  perSlice: number,
): Promise<UsedConsent[]> =>
  on.query<UsedConsent>(sql`
    select c.consent_id as "consentId", c.kind, c.api_version as "apiVersion",
      c.created_at as "createdAt", c.body, d.days
    from ${consentFacts} c cross join lateral (
      select coalesce(json_agg(s), '[]') as days
      from (
        select (o.created_at at time zone ${bankZone})::date::text as day,
          sum(o.amount_minor)::text as "sumMinor", max(o.amount_minor)::text as "largestMinor"
        from payment_order o
        where o.consent_id = c.consent_id and ${usedAs(usedWithinLimits, sql`o.consent_use`)}
          and o.status not in ('RJCT', 'BLCK')
        group by 1 order by 1
      ) s
    ) d
    where c.kind = any(${kinds.map(({ id }) => id)}::text[]) and c.consent_id > ${after}
    order by c.consent_id limit ${perSlice}::integer`);

function breachesOf(
  { consentId, createdAt, days }: UsedConsent,
  limits: RequestedLimits | null,
): Breach[] {
  const breaches: Breach[] = [];
  const add = (name: keyof typeof names, expected: string, found: string) =>
    breaches.push({ invariant: names[name], subject: consentId, expected, found });
  if (!limits) {
    add("limits", "limits", "none");
    return breaches;
  }
  const validity = validityOf(limits);
  const anchor = anchorOf(validity, bankDay(createdAt));
  const { amountMinor: most, currency } = present(limits.single?.money, "a checked maximum");
  const text = (minor: bigint) => `${formatAmount(minor, currency)} ${currency}`;
  const paid = new Map<string, { expected: string; limitMinor: bigint; sumMinor: bigint }>();
  for (const { day, sumMinor, largestMinor } of days) {
    const date = toDay(Temporal.PlainDate.from(day));
    const largest = BigInt(largestMinor);
    if (largest > most) add("single", `at most ${text(most)}`, `${text(largest)} on ${day}`);
    const isEarly = date < anchor;
    if (isEarly || standingOn(validity, date) !== "valid") {
      const last = validity.to === null ? "" : ` until ${isoDay(validity.to)}`;
      add("validity", `used from ${isoDay(anchor)}${last}`, `used on ${day}`);
    }
    if (isEarly) continue;
    limits.periods.map(periodicLimit).forEach((limit, position) => {
      const { first, last, limitMinor } = periodOf(limit, anchor, date);
      const key = `${position} ${first}`;
      const dates = `from ${isoDay(first)} to ${isoDay(last)}`;
      const expected = `at most ${text(limitMinor)} per ${limit.type} ${dates}`;
      const before = paid.get(key)?.sumMinor ?? 0n;
      paid.set(key, { expected, limitMinor, sumMinor: before + BigInt(sumMinor) });
    });
  }
  for (const { expected, limitMinor, sumMinor } of paid.values()) {
    if (sumMinor > limitMinor) add("period", expected, text(sumMinor));
  }
  return breaches;
}

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
        where ${within(sql`consent_id`)} and ${usedAs(usedWithinLimits, sql`consent_use`)}
          and status <> all(${[...uncounted]}::text[])
        group by 1, 2
      ) o using (consent_id, day)
      where coalesce(o.sum, 0) <> coalesce(u.amount_minor, 0)`,
  },
];

import { earlierOf } from "#src/lib/date-time.ts";
import type { PaymentStatus } from "#src/payments/order/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { callOf, type ExecutionStep } from "./settle.ts";

type PaymentCall = Exclude<ExecutionStep, "warehouse">;

/** Every call of the port on payments. */
export const paymentCalls: readonly PaymentCall[] = ["ask", "reserve", "execute"];

/** The unfinished payments whose next call is the same, for metrics. */
export type UnfinishedFigures = {
  call: PaymentCall;
  /** Since when the oldest one should have been made. */
  oldest: Temporal.Instant;
  /** The payments of which it is not known whether they were made. */
  inDoubt: number;
  /** The most failed calls in a row that one payment has had. */
  failures: number;
};

// A scrape must not read a backlog: of payments that are due, only the earliest are read.
const mostRead = 1000;
const mostListed = 1000;

/**
 * A payment's outcome is unknown when a lease has ended and its owner is still there, and while a
 * process asks about a payment on which the core fails.
 */
const inDoubt = sql`(p.lease_owner is not null
  and (p.failures > 0 or p.lease_until is null or p.lease_until <= clock_timestamp()))`;

/** When the payment should have been made. */
const since = sql`coalesce(p.execute_at, p.created_at)`;

/** At most 1,000 payments on which the core fails, and as many due by `until`, each by an index. */
const unfinished = (until: Temporal.Instant): Sql => sql`(
  (select payment_id from payment where failures > 0 limit ${mostRead}::int)
  union
  select payment_id from (
    select payment_id from payment where due_at <= ${until}
    order by due_at, sequence limit ${mostRead}::int) due)`;

/** Measures the payments that are due or have failed. */
export async function measureUnfinished(
  on: Queryable,
  now: Temporal.Instant,
): Promise<UnfinishedFigures[]> {
  type CountedRow = Omit<UnfinishedFigures, "call"> & { status: PaymentStatus; isInDoubt: boolean };
  const rows = await on.query<CountedRow>(sql`
    select p.status, ${inDoubt} as "isInDoubt", min(${since}) as oldest,
      (count(*) filter (where ${inDoubt}))::int as "inDoubt", max(p.failures) as failures
    from ${unfinished(now)} u join payment p on p.payment_id = u.payment_id
    where p.due_at is not null group by 1, 2`);
  return paymentCalls.flatMap((call) => {
    const those = rows.filter(({ status, isInDoubt }) => callOf(status, isInDoubt) === call);
    const [first, ...others] = those.map(({ oldest }) => oldest);
    if (!first) return [];
    const oldest = others.reduce(earlierOf, first);
    return [
      {
        call,
        oldest,
        inDoubt: those.reduce((sum, one) => sum + one.inDoubt, 0),
        failures: Math.max(...those.map(({ failures }) => failures)),
      },
    ];
  });
}

/** A payment that does not proceed, without amounts and names. */
export type StuckPayment = {
  paymentId: string;
  orderId: string;
  consentId: string;
  kind: string;
  status: string;
  /** When it should have been made. */
  since: string;
  /** How often an engine has taken it up. */
  attempts: number;
  /** The failed calls in a row, for this payment alone. */
  failures: number;
  /** The last failed call; null if none has failed for this payment alone. */
  lastFailure: { at: string; call: string; error: string } | null;
  /** Whether it may have been made. */
  isInDoubt: boolean;
  next: { call: PaymentCall; at: string };
};

const graceSeconds = 60;

/** Lists payments on which the core fails, and those due for more than a minute, oldest first. */
export async function listStuckPayments(
  on: Queryable,
  now: Temporal.Instant,
): Promise<StuckPayment[]> {
  type StuckRow = Pick<
    StuckPayment,
    "paymentId" | "orderId" | "consentId" | "kind" | "attempts"
  > & {
    status: PaymentStatus;
    failures: number;
    isInDoubt: boolean;
    since: Temporal.Instant;
    dueAt: Temporal.Instant;
    failedAt: Temporal.Instant | null;
    step: string;
    error: string;
  };
  const rows = await on.query<StuckRow>(sql`
    select p.payment_id as "paymentId", p.order_id as "orderId", o.consent_id as "consentId",
      o.kind, p.status, p.attempt as attempts, p.failures, ${inDoubt} as "isInDoubt",
      ${since} as since, p.due_at as "dueAt", f.failed_at as "failedAt", f.step, f.error
    from ${unfinished(now.subtract({ seconds: graceSeconds }))} u
    join payment p on p.payment_id = u.payment_id
    join payment_order o on o.order_id = p.order_id
    left join payment_failure f on f.payment_id = p.payment_id
    where p.due_at is not null order by ${since}, p.payment_id limit ${mostListed}::int`);
  return rows.map(({ since: from, dueAt, failedAt, step, error, isInDoubt, ...row }) => ({
    ...row,
    isInDoubt,
    since: from.toString(),
    lastFailure: failedAt && { at: failedAt.toString(), call: step, error },
    next: { call: callOf(row.status, isInDoubt), at: dueAt.toString() },
  }));
}

/** A failed call for one payment alone. */
type PaymentFailure = { paymentId: string; call: string; error: string };

const longestError = 300;

/** Stores the last failed call of each payment, for operators. */
export async function storeFailures(
  on: Queryable,
  failures: readonly PaymentFailure[],
  now: Temporal.Instant,
): Promise<void> {
  const errors = failures.map(({ error }) => error.replaceAll("\0", "").slice(0, longestError));
  await on.query(sql`
    insert into payment_failure (payment_id, failed_at, step, error)
    select id, ${now}, step, error
    from unnest(${failures.map(({ paymentId }) => paymentId)}::text[],
      ${failures.map(({ call }) => call)}::text[], ${errors}::text[]) as f(id, step, error)
    order by id
    on conflict (payment_id) do update
    set failed_at = excluded.failed_at, step = excluded.step, error = excluded.error`);
}

/** Deletes the failures of payments that no longer fail. */
export const purgeFailures = (on: Queryable): Promise<unknown> =>
  on.query(sql`
    delete from payment_failure f where not exists (
      select from payment p where p.payment_id = f.payment_id and p.failures > 0)`);

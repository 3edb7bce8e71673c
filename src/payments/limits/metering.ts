import { consentFacts } from "#src/consents/consent-facts.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { factsAt } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { formatAmount, parseAmount } from "#src/lib/money.ts";
import { bankDay, bankZone, isoDay, toDay } from "#src/payments/calendar/timing.ts";
import { usedAs } from "#src/payments/order/order-use.ts";
import { sweepingType } from "#src/standard/shared/vrp-types.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { startOf } from "./order-limits.ts";
import { type LimitOutcome, outcomeOf } from "./usage.ts";

// Lists the payments that TPPs have made under contracts, so that the bank can bill them. It is
// derived from the orders and their history, so no payment writes more for it. Source: B-183.

/** A payment under a contract, as of a given time. */
export type MeteredPayment = {
  clientId: string;
  contractId: string;
  consentId: string;
  orderId: string;
  /** The type of the payment: `UK.OBIE.VRPType.Other`. */
  type: string;
  amount: string;
  currency: string;
  /** The London date on which the bank accepted the payment. */
  date: string;
  /** The status at that time, and since when. */
  status: string;
  statusSince: string;
  outcome: LimitOutcome;
};

/** A period of London dates (inclusive), and the time as of which statuses are listed. */
export type MeteringPeriod = {
  from: Temporal.PlainDate;
  until: Temporal.PlainDate;
  asOf: Temporal.Instant;
};

type MeteredRow = Pick<
  MeteredPayment,
  "clientId" | "contractId" | "consentId" | "orderId" | "type"
> & {
  amountMinor: bigint;
  currency: string;
  createdAt: Temporal.Instant;
  status: string;
  since: Temporal.Instant;
};

// How many payments a statement reads, so that no list is in memory as a whole.
const pageSize = 1000;

/**
 * Lists the payments under contracts that the bank accepted in a period, in the order of their
 * consents. Sweeping payments are left out, even if their consent has a contract. The result for a
 * period and a time in the past is always the same. Source: B-183, B-186.
 */
export async function* meterPayments(
  on: Queryable,
  { from, until, asOf }: MeteringPeriod,
): AsyncGenerator<MeteredPayment> {
  const starts = startOf(bankZone, toDay(from));
  const ends = startOf(bankZone, toDay(until) + 1);
  let after = { consentId: "", createdAt: starts, orderId: "" };
  for (;;) {
    const rows: MeteredRow[] = await on.query<MeteredRow>(sql`
      select o.client_id as "clientId", c.terms->'vrpContract'->>'contractId' as "contractId",
        o.consent_id as "consentId", o.order_id as "orderId", o.terms->'use'->>'type' as type,
        o.amount_minor as "amountMinor", o.currency, o.created_at as "createdAt",
        h.facts->>'status' as status, h.since
      from payment_order o
      join ${consentFacts} c on c.consent_id = o.consent_id
      ${factsAt(sql`o.order_id`, asOf)}
      where ${usedAs(usedWithinLimits, sql`o.consent_use`)} and c.terms->'vrpContract' is not null
        and o.terms->'use'->>'type' <> ${sweepingType}
        and o.created_at >= ${starts} and o.created_at < ${ends}
        and (o.consent_id, o.created_at, o.order_id)
          > (${after.consentId}, ${after.createdAt}, ${after.orderId})
      order by o.consent_id, o.created_at, o.order_id limit ${pageSize}::integer`);
    for (const row of rows) yield metered(row);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last;
  }
}

function metered({ amountMinor, createdAt, since, ...row }: MeteredRow): MeteredPayment {
  const { currency, status } = row;
  return {
    ...row,
    amount: formatAmount(amountMinor, currency),
    date: isoDay(bankDay(createdAt)),
    statusSince: since.toString(),
    outcome: outcomeOf(status),
  };
}

/** The payments of a contract in a period, added up by their outcome. */
export type MeteringTotal = Pick<MeteredPayment, "clientId" | "contractId" | "type"> & {
  outcome: LimitOutcome;
  currency: string;
  payments: number;
  amount: string;
};

/** Adds up payments per TPP, contract, type and outcome. Source: B-183. */
export async function totalPayments(
  payments: AsyncIterable<MeteredPayment>,
): Promise<MeteringTotal[]> {
  const totals = new Map<string, MeteringTotal & { amountMinor: bigint }>();
  for await (const { clientId, contractId, type, outcome, currency, amount } of payments) {
    const group = { clientId, contractId, type, outcome, currency };
    const key = Object.values(group).join(" ");
    const { payments: count, amountMinor } = totals.get(key) ?? { payments: 0, amountMinor: 0n };
    const sum = amountMinor + present(parseAmount(amount, currency), "an amount");
    const total = { payments: count + 1, amount: formatAmount(sum, currency), amountMinor: sum };
    totals.set(key, { ...group, ...total });
  }
  return [...totals.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { amountMinor: _, ...total }]) => total);
}

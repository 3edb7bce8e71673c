import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { youCanCancel } from "#src/pages/wording.ts";
import { holidaysOf, processingInstant } from "#src/payments/calendar/timing.ts";
import { defineOrderShape, type OrderPlan } from "#src/payments/definitions/payment-kind.ts";
import { exchangeRows, openRateOf, priceRows } from "#src/payments/international/summary.ts";
import { waitingStatuses } from "#src/payments/order/order-states.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import type { RequestedAmount } from "#src/payments/request/payment-request.ts";
import { readSchedule } from "#src/payments/schedule/read-schedule.ts";
import { firstOccurrence, type Schedule } from "#src/payments/schedule/schedule.ts";
import { toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import {
  amountLines,
  repetitionText,
  scheduleAmount,
  scheduleRows,
} from "#src/payments/schedule/schedule-text.ts";
import { draftPayment } from "#src/payments/shapes/draft-order.ts";
import { usesUpConsent } from "#src/payments/shapes/order-steps.ts";
import {
  askedDayRows,
  chargeText,
  cutOffNotes,
  isDueOnApproval,
  listedMoney,
  payeeOf,
  payeeRows,
  referenceLines,
  referenceRows,
  refundNotes,
  waitsForOthers,
  whyOtherCurrency,
} from "#src/payments/shapes/summary-parts.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * The invariants of standing orders. Once its day has come, a payment of a standing order that has
 * ended may still wait under a lease or for its engine.
 */
const recurringInvariants: readonly Invariant[] = [
  {
    name: "a running standing order has one planned payment, until its last payment",
    breaches: (
      within,
    ) => sql`select o.order_id, case when s.ended then 'none' else 'one' end, s.waiting
      from payment_order o join lateral (
        select count(*) filter (where p.status = any(${waitingStatuses}::text[])) as waiting,
          bool_or(p.is_last and p.status <> all(${waitingStatuses}::text[])) as ended
        from payment p where p.order_id = o.order_id
      ) s on true
      where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        and o.status not in ('CANC', 'RJCT')
        and s.waiting <> (not s.ended)::integer`,
  },
  {
    name: "a cancelled or rejected order has no planned payment",
    breaches: (within) => sql`select o.order_id, 'nothing to come', p.scheduled_on
      from payment_order o join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        and o.status in ('CANC', 'RJCT')
        and p.status = any(${waitingStatuses}::text[]) and p.execute_at > o.status_updated_at`,
  },
  {
    name: "a standing order's payments are numbered without gaps, in order of date",
    breaches: (within) => sql`select p.order_id, 'payment ' || p.position, 'payment ' || p.sequence
        || ' on ' || p.scheduled_on || ' after ' || p.before
      from (
        select p.order_id, p.sequence, p.scheduled_on,
          row_number() over steps as position, lag(p.scheduled_on) over steps as before
        from payment p join payment_order o on o.order_id = p.order_id
        where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        window steps as (partition by p.order_id order by p.sequence)
      ) p
      where p.sequence <> p.position or p.scheduled_on is null or p.scheduled_on <= p.before`,
  },
];

/** A standing order: payments on a schedule. */
export const recurring = defineOrderShape({
  ...usesUpConsent,
  noun: "standing order",
  payments: (plan) => [firstPayment(plan, scheduleOf(plan))],
  additions(plan) {
    const schedule = scheduleOf(plan);
    const { mandate = null, remittance = null } = plan.request.schedule ?? {};
    return {
      terms: {
        schedule: toScheduleRecord(schedule),
        ...(mandate ? { mandate } : {}),
        ...(remittance ? { remittance } : {}),
      },
      startsAt: processingInstant(schedule.firstDate, holidaysOf(plan.config)),
    };
  },
  listed({ payment, schedule }, config) {
    const holidays = holidaysOf(config);
    const all = present(schedule, "the schedule of a standing order");
    const next = listedMoney(payment);
    return {
      ...next,
      rule: scheduleAmount(all, holidays),
      noun: "standing order",
      lines: (day) => [
        `Next on ${day}`,
        `Standing order ${repetitionText(all, holidays)}`,
        ...amountLines(all, holidays),
        ...referenceLines(payment),
      ],
      rows: (day) => [
        ...scheduleRows(all, holidays).map(({ label, value, facts = {} }) => ({
          label,
          value,
          facts,
        })),
        { label: "Next", value: `${next.amount} on ${day}` },
        ...referenceRows(payment),
      ],
    };
  },
  summarise(plan) {
    const schedule = plan.placed?.schedule ?? scheduleOf(plan);
    const payment = shownPayment(plan, schedule);
    const holidays = holidaysOf(plan.config);
    return {
      type: "payment",
      noun: "standing order",
      amount: scheduleAmount(schedule, holidays),
      ...payeeOf(payment.creditor),
      rows: [
        ...payeeRows(payment),
        ...askedDayRows(plan.request, plan.config),
        ...scheduleRows(schedule, holidays, isDueOnApproval(plan, payment.executeAt)),
        ...(payment.international
          ? exchangeRows(plan.terms, plan.request)
          : chargeRows(plan, payment)),
      ],
      ...(payment.international ? openRateOf(plan.terms) : {}),
      notes: [...cutOffNotes(plan), aboutCancelling(plan), ...refundNotes(plan)],
    };
  },
  price: {
    dependsOnAccount: ({ kind }) => kind.currencies === "exchanged",
    async rows(plan, account, bank) {
      const payment = shownPayment(plan, scheduleOf(plan));
      return ofFirstPayment(await priceRows(bank, payment, account, plan.terms, "each payment"));
    },
  },
  whyOtherCurrency,
  invariants: { orders: recurringInvariants },
});

const aboutCancelling = (plan: OrderPlan): string =>
  "This sets up a standing order. Its payments are then made automatically. " +
  `${youCanCancel(waitsForOthers(plan))} the standing order in online banking at any time.`;

/**
 * The schedule of a standing order. An amount that is left out is the same as the previous one; a
 * single payment has the first amount.
 */
function scheduleOf({ request, now, config }: OrderPlan): Schedule {
  const first = moneyOf(request.amount);
  const recurring = request.recurringAmount ? moneyOf(request.recurringAmount) : first;
  const final = request.finalAmount ? moneyOf(request.finalAmount) : recurring;
  return readSchedule(request, { first, recurring, final }, { now, holidays: holidaysOf(config) });
}

const moneyOf = (amount: RequestedAmount | null): Money =>
  present(amount?.money ?? null, "a checked amount");

/** The first payment of a standing order; the engine plans the later ones. */
function firstPayment(plan: OrderPlan, schedule: Schedule): PaymentDraft {
  const holidays = holidaysOf(plan.config);
  const first = firstOccurrence(schedule, holidays);
  const occurrence = present(first, "the first payment of a checked schedule");
  const executeAt = processingInstant(occurrence.date, holidays);
  return { ...draftPayment(plan, { amount: occurrence.amount, executeAt }), occurrence };
}

const shownPayment = (plan: OrderPlan, schedule: Schedule): PaymentDraft =>
  plan.placed?.payment ?? firstPayment(plan, schedule);

function chargeRows(plan: OrderPlan, { amount }: PaymentDraft): SummaryRow[] {
  const charge = chargeText(plan, amount);
  if (charge === null) return [];
  const value = `${charge} for each payment`;
  return [{ label: "Bank charge", value, about: "cost", confirmed: true, eachCosts: charge }];
}

/** Only the price of the first payment is known: it is not the headline. */
const ofFirstPayment = (rows: readonly SummaryRow[]): SummaryRow[] =>
  rows.map(({ total, ...row }) =>
    total
      ? {
          ...row,
          label: "First payment takes",
          value: [row.value, total.detail].filter(Boolean).join(", "),
          first: { takes: row.value, later: total.later },
        }
      : row,
  );

import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { processingInstant } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import { defineOrderShape, type OrderPlan } from "#src/payments/definitions/payment-kind.ts";
import { exchangeRows, priceRows } from "#src/payments/international/summary.ts";
import type { PaymentDraft } from "#src/payments/order/payment-draft.ts";
import type { RequestedAmount } from "#src/payments/request/payment-request.ts";
import { readSchedule } from "#src/payments/schedule/read-schedule.ts";
import { firstOccurrence, type Schedule } from "#src/payments/schedule/schedule.ts";
import { toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import {
  capitalised,
  repetitionText,
  scheduleAmount,
  scheduleRows,
} from "#src/payments/schedule/schedule-text.ts";
import { draftPayment } from "#src/payments/shapes/payment-draft.ts";
import {
  chargeText,
  cutOffNotes,
  listedMoney,
  payeeOf,
  payeeRows,
  referenceLines,
  referenceRows,
  refundNotes,
  whyOtherCurrency,
} from "#src/payments/shapes/summary-parts.ts";
import { usesUpConsent } from "#src/payments/shapes/uses-up.ts";
import { recurringInvariants } from "./recurring-invariants.ts";

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
  listed({ payment, schedule }) {
    const often = repetitionText(present(schedule, "the schedule of a standing order"));
    return {
      ...listedMoney(payment),
      noun: "standing order",
      lines: (day) => [`Next on ${day}`, `Standing order ${often}`, ...referenceLines(payment)],
      rows: (day) => [
        { label: "How often", value: capitalised(often) },
        { label: "Next", value: day },
        ...referenceRows(payment),
      ],
    };
  },
  summarise(plan) {
    const schedule = plan.placed?.schedule ?? scheduleOf(plan);
    const payment = shownPayment(plan, schedule);
    return {
      type: "payment",
      noun: "standing order",
      amount: scheduleAmount(schedule),
      ...payeeOf(payment.creditor),
      rows: [
        ...payeeRows(payment),
        ...scheduleRows(schedule),
        ...(payment.international
          ? exchangeRows(plan.terms, plan.request)
          : chargeRows(plan, payment)),
      ],
      notes: [...cutOffNotes(plan, payment), aboutCancelling, ...refundNotes(plan.request)],
    };
  },
  price: {
    dependsOnAccount: ({ kind }) => kind.currencies === "exchanged",
    async rows(plan, account, bank) {
      const payment = shownPayment(plan, scheduleOf(plan));
      return ofFirstPayment(await priceRows(bank, payment, account, plan.terms));
    },
  },
  whyOtherCurrency,
  invariants: { orders: recurringInvariants },
});

const aboutCancelling =
  "This sets up a standing order. Its payments are then made automatically. If a payment date " +
  "is not a working day, the money leaves your account on the next working day. You can " +
  "cancel the standing order in online banking at any time.";

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
  return [{ label: "Bank charge", value: `${charge} for each payment`, about: "cost" }];
}

/** Only the price of the first payment is known: it is not the headline. */
const ofFirstPayment = (rows: readonly SummaryRow[]): SummaryRow[] =>
  rows.map(({ total, ...row }) =>
    total
      ? {
          ...row,
          label: "First payment takes",
          value: [row.value, total.detail].filter(Boolean).join(", "),
        }
      : row,
  );

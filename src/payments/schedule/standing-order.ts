import { present } from "#src/lib/assert.ts";
import type { Money } from "#src/lib/money.ts";
import { processingInstant } from "#src/payments/calendar/timing.ts";
import { holidaysOf } from "#src/payments/calendar/working-days.ts";
import { internationalTerms } from "#src/payments/international/terms.ts";
import {
  accountReference,
  type OrderPlan,
  type PaymentDraft,
} from "#src/payments/kinds/payment-kind.ts";
import type { RequestedAmount } from "#src/payments/request/payment-request.ts";
import { debtorCharges } from "#src/payments/request/tariff.ts";
import { readSchedule, type ScheduleContext } from "./read-schedule.ts";
import { firstOccurrence, type Schedule } from "./schedule.ts";

/**
 * The schedule of a standing order. An amount that is left out is the same as the previous one; a
 * single payment has the first amount.
 */
export function scheduleOf({ request, now, config }: OrderPlan): Schedule {
  const first = moneyOf(request.amount);
  const recurring = request.recurringAmount ? moneyOf(request.recurringAmount) : first;
  const final = request.finalAmount ? moneyOf(request.finalAmount) : recurring;
  return readSchedule(request, { first, recurring, final }, contextOf(now, config));
}

const contextOf = (now: Temporal.Instant, config: OrderPlan["config"]): ScheduleContext => ({
  now,
  holidays: holidaysOf(config),
});

const moneyOf = (amount: RequestedAmount | null): Money =>
  present(amount?.money ?? null, "a checked amount");

/** The first payment of a standing order; the engine plans the later ones. */
export function firstPayment(plan: OrderPlan): PaymentDraft[] {
  const { kind, request, terms } = plan;
  const holidays = holidaysOf(plan.config);
  const schedule = present(kind.schedule, "the schedule of a standing order")(plan);
  const occurrence = present(
    firstOccurrence(schedule, holidays),
    "the first payment of a checked schedule",
  );
  return [
    {
      amount: occurrence.amount,
      chargeMinor: debtorCharges(terms, occurrence.amount.currency),
      executeAt: processingInstant(occurrence.date, holidays),
      creditor: accountReference(present(request.creditor, "the creditor account")),
      endToEndId: null,
      reference: request.reference,
      localInstrument: null,
      occurrence,
    },
  ];
}

/**
 * The first payment of an international standing order: charged in the account's currency, at the
 * rate of the day.
 */
export const firstInternationalPayment = (plan: OrderPlan): PaymentDraft[] =>
  firstPayment(plan).map((payment) => ({
    ...payment,
    chargeMinor: 0n,
    international: internationalTerms(plan),
  }));

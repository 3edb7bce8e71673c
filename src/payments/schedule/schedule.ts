import type { Money } from "#src/lib/money.ts";
import { type Holidays, lastYearOf, workingDayFrom } from "#src/payments/calendar/timing.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { nextDate } from "./rhythm.ts";

// How a standing order recurs. A format reads the frequency from its own notation, read-schedule.ts
// makes a `Schedule` of the request, and check-schedule.ts lists what is wrong with it. This file
// and rhythm.ts calculate its dates and amounts: standing-order.ts plans the first payment with
// them, and the engine each later one. schedule-record.ts stores the schedule, and schedule-text.ts
// describes it to the customer.

/**
 * The amounts and dates of a standing order. The dates are calendar dates. A date that is not a
 * working day is paid on a later day, which does not shift the later dates.
 */
export type Schedule = {
  rhythm: Rhythm;
  firstDate: Temporal.PlainDate;
  /**
   * The date of the second payment, from which the rhythm continues; null for the rhythm's next
   * date.
   */
  recurringDate: Temporal.PlainDate | null;
  /** The number of payments; null if something else ends the schedule. */
  numberOfPayments: number | null;
  /** The last possible date of a payment; null if something else ends the schedule. */
  finalDate: Temporal.PlainDate | null;
  amounts: Amounts;
};

/** The amounts of the first, the following and the last payment. */
export type Amounts = { first: Money; recurring: Money; final: Money };

/** One payment of a schedule. */
export type Occurrence = {
  /** The first payment has the number 1. */
  sequence: number;
  date: Temporal.PlainDate;
  amount: Money;
  /** Whether this is the last payment. */
  isLast: boolean;
};

/** The first payment of a schedule; null if the schedule ends before it. */
export const firstOccurrence = (schedule: Schedule, holidays?: Holidays): Occurrence | null =>
  occurrence(schedule, 1, schedule.firstDate, holidays);

/**
 * Returns the payment after the one with this sequence number and calendar date; null after the
 * last.
 */
export function nextOccurrence(
  schedule: Schedule,
  after: Pick<Occurrence, "sequence" | "date">,
  holidays?: Holidays,
): Occurrence | null {
  const date = dateAfter(schedule, after, holidays);
  return occurrence(schedule, after.sequence + 1, date, holidays);
}

// A page must not take long: weekly payments until the last known holiday, which is years away.
const mostCounted = 500;

/**
 * The number and the calendar date of the last payment. Null if the schedule has no end, or one
 * that is beyond the holidays that the bank knows.
 */
export function lastOccurrence(
  schedule: Schedule,
  holidays: Holidays,
): Pick<Occurrence, "sequence" | "date"> | null {
  if (schedule.numberOfPayments === null && schedule.finalDate === null) return null;
  const lastYear = lastYearOf(holidays);
  let date = schedule.firstDate;
  for (let sequence = 1; sequence <= mostCounted; sequence += 1) {
    if (date.year > lastYear) return null;
    const next = dateAfter(schedule, { sequence, date }, holidays);
    if (isOver(schedule, sequence + 1, next)) {
      return workingDayFrom(date, holidays).year > lastYear ? null : { sequence, date };
    }
    date = next;
  }
  return null;
}

function dateAfter(
  { rhythm, recurringDate }: Schedule,
  { sequence, date }: Pick<Occurrence, "sequence" | "date">,
  holidays: Holidays | undefined,
): Temporal.PlainDate {
  return sequence === 1 && recurringDate !== null
    ? recurringDate
    : nextDate(rhythm, date, holidays);
}

function occurrence(
  schedule: Schedule,
  sequence: number,
  date: Temporal.PlainDate,
  holidays: Holidays | undefined,
): Occurrence | null {
  if (isOver(schedule, sequence, date)) return null;
  const isLast = isOver(schedule, sequence + 1, dateAfter(schedule, { sequence, date }, holidays));
  const { first, recurring, final } = schedule.amounts;
  // a single payment has the first amount
  const amount = sequence === 1 ? first : isLast ? final : recurring;
  return { sequence, date, amount, isLast };
}

function isOver(
  { numberOfPayments, finalDate }: Schedule,
  sequence: number,
  date: Temporal.PlainDate,
): boolean {
  if (numberOfPayments !== null && sequence > numberOfPayments) return true;
  return finalDate !== null && Temporal.PlainDate.compare(date, finalDate) > 0;
}

import type { Money } from "#src/lib/money.ts";
import type { Holidays } from "#src/payments/calendar/working-days.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { nextDate } from "./rhythm.ts";

/**
 * What a standing order pays and when. Its dates are those of the calendar; on which working day a
 * payment is then executed is another matter, and never moves the dates after it.
 */
export type Schedule = {
  rhythm: Rhythm;
  firstDate: Temporal.PlainDate;
  /** The date of the second payment, from which the rhythm goes on; null is the rhythm's own. */
  recurringDate: Temporal.PlainDate | null;
  /** How many payments there are; null when that is not what ends it. */
  numberOfPayments: number | null;
  /** No payment is dated after it; null when that is not what ends it. */
  finalDate: Temporal.PlainDate | null;
  amounts: Amounts;
};

/** Of the first payment, those after it, and the last. */
export type Amounts = { first: Money; recurring: Money; final: Money };

/** One payment of a schedule. */
export type Occurrence = {
  /** 1 is the first. */
  sequence: number;
  date: Temporal.PlainDate;
  amount: Money;
  /** Whether no other follows. */
  isLast: boolean;
};

/** The first payment of a schedule; null when its end is before. */
export const firstOccurrence = (schedule: Schedule, holidays?: Holidays): Occurrence | null =>
  occurrence(schedule, 1, schedule.firstDate, holidays);

/**
 * The payment that follows one of the schedule's, given its sequence and its date by the calendar;
 * null when that was the last.
 */
export function nextOccurrence(
  schedule: Schedule,
  after: Pick<Occurrence, "sequence" | "date">,
  holidays?: Holidays,
): Occurrence | null {
  const date = dateAfter(schedule, after, holidays);
  return occurrence(schedule, after.sequence + 1, date, holidays);
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
  // an only payment is a first one
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

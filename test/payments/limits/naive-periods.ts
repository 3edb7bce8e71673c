import type { PeriodAlignment, PeriodType } from "#src/payments/limits/order-limits.ts";

// An independent model of limited periods for the tests. It counts one day after the other, with
// numbers for year, month and day, and uses neither Temporal nor the project's calculations.

/** A day of the Gregorian calendar; the month is 1 to 12. */
export type NaiveDay = { year: number; month: number; day: number };

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysOfMonth = (year: number, month: number): number =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;

/** The next day. */
export function tomorrow({ year, month, day }: NaiveDay): NaiveDay {
  if (day < daysOfMonth(year, month)) return { year, month, day: day + 1 };
  return month < 12 ? { year, month: month + 1, day: 1 } : { year: year + 1, month: 1, day: 1 };
}

/** The day as the standard writes it. */
export const textOf = ({ year, month, day }: NaiveDay): string =>
  [
    String(year).padStart(4, "0"),
    ...[month, day].map((part) => String(part).padStart(2, "0")),
  ].join("-");

// 1 is Monday, because 1 January 1900 was a Monday
function weekdayOf({ year, month, day }: NaiveDay): number {
  let days = day - 1;
  for (let earlier = 1900; earlier < year; earlier++) days += isLeap(earlier) ? 366 : 365;
  for (let earlier = 1; earlier < month; earlier++) days += daysOfMonth(year, earlier);
  return (days % 7) + 1;
}

const fixed: Partial<Record<PeriodType, number>> = { Day: 1, Week: 7, Fortnight: 14 };
const months: Partial<Record<PeriodType, number>> = { Month: 1, "Half-year": 6, Year: 12 };

/** Whether a calendar period begins on that day. */
function isCalendarStart(type: PeriodType, day: NaiveDay): boolean {
  switch (type) {
    case "Day":
      return true;
    case "Week":
      return weekdayOf(day) === 1;
    case "Month":
      return day.day === 1;
    case "Half-year":
      return day.day === 1 && (day.month === 1 || day.month === 7);
    default:
      return day.day === 1 && day.month === 1;
  }
}

/** Whether a period aligned with the consent begins this many days after the anchor. */
function isConsentStart(type: PeriodType, anchor: NaiveDay, day: NaiveDay, after: number): boolean {
  const length = fixed[type];
  if (length !== undefined) return after % length === 0;
  const apart = (day.year - anchor.year) * 12 + day.month - anchor.month;
  if (apart % (months[type] ?? 0) !== 0) return false;
  return day.day === Math.min(anchor.day, daysOfMonth(day.year, day.month));
}

/** A period with its days, and the number of days in the whole calendar period. */
export type NaivePeriod = { days: string[]; outOf: number };

/** Lists the periods from an anchor on, by checking one day after the other. */
export function listPeriods(
  { type, alignment }: { type: PeriodType; alignment: PeriodAlignment },
  anchor: NaiveDay,
  until: string,
): NaivePeriod[] {
  const periods: NaivePeriod[] = [];
  let day = anchor;
  for (let after = 0; ; after++) {
    const begins =
      alignment === "Calendar"
        ? isCalendarStart(type, day)
        : isConsentStart(type, anchor, day, after);
    if (after === 0 || begins) {
      if (textOf(day) > until) break;
      periods.push({ days: [], outOf: 0 });
    }
    periods.at(-1)?.days.push(textOf(day));
    day = tomorrow(day);
  }
  for (const period of periods) period.outOf = period.days.length;
  const [first] = periods;
  if (first && alignment === "Calendar") first.outOf += daysBefore(type, anchor);
  return periods;
}

/** Returns how many days of the anchor's calendar period come before the anchor. */
function daysBefore(type: PeriodType, anchor: NaiveDay): number {
  // the period begins at most a year earlier: search from there for its latest start
  let day: NaiveDay = { year: anchor.year - 1, month: 1, day: 1 };
  let count = 0;
  while (textOf(day) < textOf(anchor)) {
    count = isCalendarStart(type, day) ? 1 : count + 1;
    day = tomorrow(day);
  }
  return isCalendarStart(type, anchor) ? 0 : count;
}

/** A share of an amount in pence, rounded half up, by long division. */
export function shareOf(amountMinor: bigint, days: number, outOf: number): bigint {
  let pence = 0n;
  let rest = amountMinor * BigInt(days);
  const divisor = BigInt(outOf);
  for (let step = 10n ** 18n; step > 0n; step /= 10n) {
    while (rest >= divisor * step) {
      rest -= divisor * step;
      pence += step;
    }
  }
  return rest + rest >= divisor ? pence + 1n : pence;
}

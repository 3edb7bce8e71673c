// The periods of a limit, written down from the standard's examples of periodic limits, not from
// the product's code.

/** A limit for the sum of a period's payments. */
type Limit = { type: string; alignment: string; amount: number };

/** A period, both days included, and what may be paid in it. */
export type Period = { first: string; last: string; amount: number };

const weeks: Record<string, number> = { Day: 1, Week: 7, Fortnight: 14 };
const months: Record<string, number> = { Month: 1, "Half-year": 6, Year: 12 };

const dayOf = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);

/** Returns the bank's day of an instant: the date in London. */
export const bankDayOf = (instant: Temporal.Instant): string =>
  instant.toZonedDateTimeISO("Europe/London").toPlainDate().toString();

/**
 * Returns the period of a limit that contains a day. The anchor is the first day on which its
 * consent may be used. Periods of the consent begin there. Periods of the calendar begin with the
 * calendar's days, weeks, months, halves and years; the first one begins with the anchor, and its
 * limit is in proportion to its days.
 */
export function periodOf({ type, alignment, amount }: Limit, anchor: string, day: string): Period {
  const date = dayOf(day);
  const beginning = dayOf(anchor);
  if (alignment === "Consent") {
    for (let count = 1; ; count += 1) {
      const next = startOf(type, beginning, count);
      if (Temporal.PlainDate.compare(next, date) <= 0) continue;
      const first = startOf(type, beginning, count - 1).toString();
      return { first, last: next.subtract({ days: 1 }).toString(), amount };
    }
  }
  const first = calendarStart(type, date);
  const last = startOf(type, first, 1).subtract({ days: 1 });
  if (Temporal.PlainDate.compare(first, beginning) >= 0) {
    return { first: first.toString(), last: last.toString(), amount };
  }
  const share = daysIn(beginning, last) / daysIn(first, last);
  return { first: anchor, last: last.toString(), amount: Math.round(amount * share) };
}

/** The number of days from one day to another, both included. */
const daysIn = (first: Temporal.PlainDate, last: Temporal.PlainDate): number =>
  first.until(last, { largestUnit: "days" }).days + 1;

/** The start of a period, counted from the start of the first. */
const startOf = (type: string, first: Temporal.PlainDate, count: number): Temporal.PlainDate =>
  months[type] === undefined
    ? first.add({ days: (weeks[type] ?? 1) * count })
    : first.add({ months: months[type] * count });

function calendarStart(type: string, date: Temporal.PlainDate): Temporal.PlainDate {
  if (type === "Day") return date;
  if (type === "Week") return date.subtract({ days: date.dayOfWeek - 1 });
  const length = months[type] ?? 1;
  return date.with({ month: date.month - ((date.month - 1) % length), day: 1 });
}

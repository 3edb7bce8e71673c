import { type Holidays, isWorkingDay, workingDayFrom } from "#src/payments/calendar/timing.ts";
import {
  type OpenRhythm,
  type QuarterDays,
  quarterDays,
  type Rhythm,
} from "#src/standard/shared/rhythm.ts";

/** Returns a rhythm that starts from a date, with the day that the date gives if it was open. */
export function startingFrom(rhythm: OpenRhythm, start: Temporal.PlainDate): Rhythm {
  switch (rhythm.unit) {
    case "week":
    case "weekdayOfMonth":
      return { ...rhythm, dayOfWeek: rhythm.dayOfWeek ?? start.dayOfWeek };
    case "month":
      return { ...rhythm, day: rhythm.day ?? start.day };
    default:
      return rhythm;
  }
}

/**
 * Returns the date of a rhythm that follows one of its dates, or follows the date after which it
 * starts.
 */
export function nextDate(
  rhythm: Rhythm,
  date: Temporal.PlainDate,
  holidays?: Holidays,
): Temporal.PlainDate {
  switch (rhythm.unit) {
    case "day":
      return date.add({ days: rhythm.every });
    case "workingDay":
      return workingDayFrom(date.add({ days: 1 }), holidays);
    case "week":
      return dateInPeriod(rhythm, date.add({ weeks: rhythm.every }), holidays);
    case "quarterDay":
      return quarterDayFrom(rhythm.days, date.add({ days: 1 }));
    default: {
      const months = rhythm.unit === "month" ? rhythm.every : 1;
      return dateInPeriod(rhythm, date.with({ day: 1 }).add({ months }), holidays);
    }
  }
}

/** The first date of a rhythm that is not before that day. */
export function dateFrom(
  rhythm: Rhythm,
  day: Temporal.PlainDate,
  holidays?: Holidays,
): Temporal.PlainDate {
  const date = dateInPeriod(rhythm, day, holidays);
  if (Temporal.PlainDate.compare(date, day) >= 0) return date;
  const next = rhythm.unit === "week" ? day.add({ weeks: 1 }) : day.with({ day: 1 }).add(oneMonth);
  return dateInPeriod(rhythm, next, holidays);
}

const oneMonth = { months: 1 };

/**
 * The date of a rhythm in the week or month of that day; for a rhythm without one, the first date
 * from that day on.
 */
function dateInPeriod(
  rhythm: Rhythm,
  day: Temporal.PlainDate,
  holidays: Holidays | undefined,
): Temporal.PlainDate {
  switch (rhythm.unit) {
    case "day":
      return day;
    case "workingDay":
      return workingDayFrom(day, holidays);
    case "week":
      return day.add({ days: rhythm.dayOfWeek - day.dayOfWeek });
    case "month": {
      const { daysInMonth } = day;
      return day.with({
        day: rhythm.day > 0 ? Math.min(rhythm.day, daysInMonth) : daysInMonth + 1 + rhythm.day,
      });
    }
    case "weekdayOfMonth":
      return weekdayOfMonth(rhythm.week, rhythm.dayOfWeek, day);
    case "lastWorkingDay":
      return lastWorkingDay(day, holidays);
    case "quarterDay":
      return quarterDayFrom(rhythm.days, day);
  }
}

function weekdayOfMonth(
  week: number,
  dayOfWeek: number,
  day: Temporal.PlainDate,
): Temporal.PlainDate {
  const first = 1 + ((dayOfWeek - day.with({ day: 1 }).dayOfWeek + 7) % 7);
  const most = Math.floor((day.daysInMonth - first) / 7);
  return day.with({ day: first + 7 * (week > 0 ? Math.min(week - 1, most) : most) });
}

function lastWorkingDay(
  day: Temporal.PlainDate,
  holidays: Holidays | undefined,
): Temporal.PlainDate {
  let last = day.with({ day: day.daysInMonth });
  while (!isWorkingDay(last, holidays)) last = last.subtract({ days: 1 });
  return last;
}

function quarterDayFrom(days: QuarterDays, day: Temporal.PlainDate): Temporal.PlainDate {
  for (const [month, dayOfMonth] of quarterDays[days]) {
    const date = day.with({ month, day: dayOfMonth });
    if (Temporal.PlainDate.compare(date, day) >= 0) return date;
  }
  return quarterDayFrom(days, day.with({ month: 1, day: 1 }).add({ years: 1 }));
}

import type { Habit } from "./persona.ts";

const utc = (date: Temporal.PlainDate): number => date.toZonedDateTime("UTC").epochMilliseconds;

/** Milliseconds since 1970 at a time of a day (`06:00` or `06:00:30`), UTC. */
export function moment(date: Temporal.PlainDate, time: string): number {
  const { hour, minute, second } = Temporal.PlainTime.from(time);
  return utc(date) + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Lists the first days of the months from one date to another, including both dates' months. */
export function monthsBetween(
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
): Temporal.PlainDate[] {
  const months: Temporal.PlainDate[] = [];
  let month = from.with({ day: 1 });
  while (Temporal.PlainDate.compare(month, to) <= 0) {
    months.push(month);
    month = month.add({ months: 1 });
  }
  return months;
}

/** Lists the days of a month on which a habit recurs. Bank holidays are treated as working days. */
export function daysOf(when: Habit["when"], month: Temporal.PlainDate): Temporal.PlainDate[] {
  if ("weekday" in when) {
    const first = month.add({ days: (when.weekday - month.dayOfWeek + 7) % 7 });
    return [0, 7, 14, 21, 28]
      .map((days) => first.add({ days }))
      .filter((date) => date.month === month.month);
  }
  const day = dayInMonth(when.day, month);
  if (when.roll === undefined || day.dayOfWeek <= 5) return [day];
  const days = when.roll === "after" ? 8 - day.dayOfWeek : 5 - day.dayOfWeek;
  return [day.add({ days })];
}

/**
 * Returns the due day of a habit in a month, which may be a non-working day; null for a weekly
 * habit.
 */
export const dayBeforeRolling = (
  when: Habit["when"],
  month: Temporal.PlainDate,
): Temporal.PlainDate | null => ("weekday" in when ? null : dayInMonth(when.day, month));

const dayInMonth = (day: number, month: Temporal.PlainDate): Temporal.PlainDate =>
  month.with({ day: Math.min(day, month.daysInMonth) });

import { bankZone, workingDayFrom } from "#src/payments/calendar/timing.ts";

/** How often an originator collects. */
export type MandateFrequency =
  | "Annual"
  | "Daily"
  | "Fortnightly"
  | "HalfYearly"
  | "Monthly"
  | "Quarterly"
  | "Weekly";

const steps: Record<MandateFrequency, { days: number } | { months: number }> = {
  Daily: { days: 1 },
  Weekly: { days: 7 },
  Fortnightly: { days: 14 },
  Monthly: { months: 1 },
  Quarterly: { months: 3 },
  HalfYearly: { months: 6 },
  Annual: { months: 12 },
};

/**
 * Returns the collection day that follows `day`, which may be a non-working day. Monthly
 * frequencies return to `dayOfMonth` after a month that is too short for it.
 */
export function nextCollectionDay(
  day: Temporal.PlainDate,
  frequency: MandateFrequency,
  dayOfMonth: number,
): Temporal.PlainDate {
  const step = steps[frequency];
  const next = day.add(step);
  if ("days" in step) return next;
  return next.with({ day: Math.min(dayOfMonth, next.daysInMonth) });
}

// In London time: early, and again in the afternoon, so that the customer has time to pay money in.
const tries = ["02:30", "14:30"] as const;

/**
 * Returns the time of a collection attempt, on the collection day or the next working day; null
 * after the last attempt.
 */
export function collectionTry(day: Temporal.PlainDate, index: number): Temporal.Instant | null {
  const time = tries[index];
  if (time === undefined) return null;
  return workingDayFrom(day)
    .toZonedDateTime({ timeZone: bankZone, plainTime: Temporal.PlainTime.from(time) })
    .toInstant();
}

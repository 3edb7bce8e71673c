import { bankZone } from "#src/payments/calendar/timing.ts";
import { workingDayFrom } from "#src/payments/calendar/working-days.ts";

/** How often an originator collects. */
export type CollectionFrequency =
  | "Annual"
  | "Daily"
  | "Fortnightly"
  | "HalfYearly"
  | "Monthly"
  | "Quarterly"
  | "Weekly";

const steps: Record<CollectionFrequency, { days: number } | { months: number }> = {
  Daily: { days: 1 },
  Weekly: { days: 7 },
  Fortnightly: { days: 14 },
  Monthly: { months: 1 },
  Quarterly: { months: 3 },
  HalfYearly: { months: 6 },
  Annual: { months: 12 },
};

/**
 * The day that the collection after the one of `day` is for, which may be no working day.
 * `dayOfMonth`: what frequencies of months come back to after a month that is too short for it.
 */
export function nextCollectionDay(
  day: Temporal.PlainDate,
  frequency: CollectionFrequency,
  dayOfMonth: number,
): Temporal.PlainDate {
  const step = steps[frequency];
  const next = day.add(step);
  if ("days" in step) return next;
  return next.with({ day: Math.min(dayOfMonth, next.daysInMonth) });
}

// London time: early, and once more after the morning in which the customer can pay in.
const tries = ["02:30", "14:30"] as const;

/** When a collection is tried: on its day, or on the next working day; null after the last try. */
export function collectionTry(day: Temporal.PlainDate, index: number): Temporal.Instant | null {
  const time = tries[index];
  if (time === undefined) return null;
  return workingDayFrom(day)
    .toZonedDateTime({ timeZone: bankZone, plainTime: Temporal.PlainTime.from(time) })
    .toInstant();
}

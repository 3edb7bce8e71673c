import type { QuarterDays } from "./v4/frequency.ts";

/**
 * The frequency of a standing order with every day named. The next date never depends on the date
 * of the request, so dates do not drift.
 */
export type Rhythm =
  | { unit: "day"; every: number }
  | { unit: "workingDay" }
  /** `dayOfWeek`: 1 is Monday. */
  | { unit: "week"; every: number; dayOfWeek: number }
  /** `day`: 1 to 31, or the last of a shorter month; -1 is the last day, -2 the one before. */
  | { unit: "month"; every: number; day: number }
  /** `week`: 1 to 5, counted by that weekday; -1 and a fifth that a month lacks are its last. */
  | { unit: "weekdayOfMonth"; week: number; dayOfWeek: number }
  | { unit: "lastWorkingDay" }
  | { unit: "quarterDay"; days: QuarterDays };

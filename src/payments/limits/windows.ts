import type { Day } from "#src/payments/calendar/day.ts";
import { type LimitPeriod, type PeriodicLimit, periodOf } from "./periods.ts";

/** The period of a limit to which a payment belongs. */
export type LimitWindow = LimitPeriod & {
  /** The position of the limit in its consent, from 0. */
  position: number;
};

/**
 * Lists the windows of a consent's limits for a payment that the bank accepts on that date. A
 * payment belongs to the window in which the bank accepted it, whenever it is executed. Source:
 * V-115, V-117, V-124.
 */
export const windowsOf = (
  limits: readonly PeriodicLimit[],
  { anchor, date }: { anchor: Day; date: Day },
): LimitWindow[] =>
  limits.map((limit, position) => ({ position, ...periodOf(limit, anchor, date) }));

import { type PeriodicLimit, periodOf } from "./periods.ts";
import { dateIn, startOf } from "./validity.ts";

/** The period of a limit in which a payment falls, as instants: until before `endsAt`. */
export type LimitWindow = {
  /** The position of the limit in its consent, from 0. */
  position: number;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /** The most that the payments accepted in this time may add up to. */
  limitMinor: bigint;
};

/**
 * Lists a consent's limits for a payment that the bank accepts at that instant. The sums are those
 * of the payments accepted in the same window, whenever they are made. Source: V-115, V-117, V-124.
 */
export function windowsOf(
  limits: readonly PeriodicLimit[],
  {
    anchor,
    acceptedAt,
    zone,
  }: {
    anchor: Temporal.PlainDate;
    acceptedAt: Temporal.Instant;
    zone: string;
  },
): LimitWindow[] {
  const date = dateIn(zone, acceptedAt);
  return limits.map((limit, position) => {
    const { first, last, limitMinor } = periodOf(limit, anchor, date);
    const startsAt = startOf(zone, first);
    const endsAt = startOf(zone, last.add({ days: 1 }));
    return { position, startsAt, endsAt, limitMinor };
  });
}

import { type Day, toDate } from "#src/payments/calendar/day.ts";

/** The first and the last day on which a consent may be used; null if that end is open. */
export type Validity = { from: Day | null; to: Day | null };

/**
 * Returns the anchor of a consent's periods: the day from which it is valid, or the day on which it
 * was created if that is later. Source: V-025, V-028.
 */
export const anchorOf = ({ from }: Pick<Validity, "from">, createdOn: Day): Day =>
  from !== null && from > createdOn ? from : createdOn;

/**
 * Returns how a day relates to a consent's validity, which includes the whole last day. Source:
 * V-097.
 */
export function standingOn({ from, to }: Validity, day: Day): "too early" | "valid" | "over" {
  if (to !== null && day > to) return "over";
  return from !== null && day < from ? "too early" : "valid";
}

/** Returns the instant at which a day begins in a zone, even if the clocks skip midnight. */
export const startOf = (zone: string, day: Day): Temporal.Instant =>
  toDate(day).toZonedDateTime({ timeZone: zone }).toInstant();

/**
 * Returns the instant at which a consent expires, or null if it is open-ended. Source: V-096,
 * V-097.
 */
export const expiryOf = (zone: string, { to }: Pick<Validity, "to">): Temporal.Instant | null =>
  to === null ? null : startOf(zone, to + 1);

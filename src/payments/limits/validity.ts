/** The first and the last date on which a consent may be used; null if that end is open. */
export type Validity = { from: Temporal.PlainDate | null; to: Temporal.PlainDate | null };

/**
 * Returns the date of an instant in a zone, to which a payment accepted at that instant belongs.
 */
export const dateIn = (zone: string, instant: Temporal.Instant): Temporal.PlainDate =>
  instant.toZonedDateTimeISO(zone).toPlainDate();

/**
 * Returns the anchor of a consent's periods: the date from which it is valid, or the date on which
 * it was created if that is later. Source: V-025, V-028.
 */
export function anchorOf(
  { from }: Pick<Validity, "from">,
  createdOn: Temporal.PlainDate,
): Temporal.PlainDate {
  return from && Temporal.PlainDate.compare(from, createdOn) > 0 ? from : createdOn;
}

/**
 * Returns how a date relates to a consent's validity, which includes the whole last day. Source:
 * V-097.
 */
export function standingOn(
  { from, to }: Validity,
  date: Temporal.PlainDate,
): "too early" | "valid" | "over" {
  if (to && Temporal.PlainDate.compare(date, to) > 0) return "over";
  return from && Temporal.PlainDate.compare(date, from) < 0 ? "too early" : "valid";
}

/** Returns the instant at which a date begins in a zone, even if the clocks skip midnight. */
export const startOf = (zone: string, date: Temporal.PlainDate): Temporal.Instant =>
  date.toZonedDateTime({ timeZone: zone }).toInstant();

/**
 * Returns the instant at which a consent expires, or null if it is open-ended. Source: V-096,
 * V-097.
 */
export const expiryOf = (zone: string, { to }: Pick<Validity, "to">): Temporal.Instant | null =>
  to && startOf(zone, to.add({ days: 1 }));

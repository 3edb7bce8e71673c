/** The first and the last date on which a consent may be used; null is open. */
export type Validity = { from: Temporal.PlainDate | null; to: Temporal.PlainDate | null };

/** The date that an instant has in a zone: that of a payment accepted then. */
export const dateIn = (zone: string, instant: Temporal.Instant): Temporal.PlainDate =>
  instant.toZonedDateTimeISO(zone).toPlainDate();

/**
 * The anchor of a consent's periods: the date that it is valid from, but not before the date on
 * which it was created. Source: V-025, V-028.
 */
export function anchorOf(
  { from }: Pick<Validity, "from">,
  createdOn: Temporal.PlainDate,
): Temporal.PlainDate {
  return from && Temporal.PlainDate.compare(from, createdOn) > 0 ? from : createdOn;
}

/** How a date relates to a consent's validity; its last day is valid to its end. Source: V-097. */
export function standingOn(
  { from, to }: Validity,
  date: Temporal.PlainDate,
): "too early" | "valid" | "over" {
  if (to && Temporal.PlainDate.compare(date, to) > 0) return "over";
  return from && Temporal.PlainDate.compare(date, from) < 0 ? "too early" : "valid";
}

/** The instant at which a date begins in a zone, also if its midnight was skipped. */
export const startOf = (zone: string, date: Temporal.PlainDate): Temporal.Instant =>
  date.toZonedDateTime({ timeZone: zone }).toInstant();

/** The instant at which a consent expires; null if it is open-ended. Source: V-096, V-097. */
export const expiryOf = (zone: string, { to }: Pick<Validity, "to">): Temporal.Instant | null =>
  to && startOf(zone, to.add({ days: 1 }));

/** Returns the next Monday at 10:00 in London: a working day, before its cut-off. */
export function nextMonday(now: Temporal.Instant): Temporal.Instant {
  const today = now.toZonedDateTimeISO("Europe/London");
  const day = today.toPlainDate().add({ days: 8 - today.dayOfWeek });
  return day.toZonedDateTime({ timeZone: "Europe/London", plainTime: "10:00" }).toInstant();
}

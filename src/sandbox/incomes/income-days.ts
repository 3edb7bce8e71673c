import { isWorkingDay } from "#src/payments/calendar/timing.ts";

/**
 * Returns the time at which an income of a day arrives: at that time in UTC, and if `comesBefore`
 * is set, on the last working day until then.
 */
export function incomeInstant(
  day: Temporal.PlainDate,
  timeOfDay: string,
  comesBefore: boolean,
): Temporal.Instant {
  let date = day;
  while (comesBefore && !isWorkingDay(date)) date = date.subtract({ days: 1 });
  const plainTime = Temporal.PlainTime.from(timeOfDay);
  return date.toZonedDateTime({ timeZone: "UTC", plainTime }).toInstant();
}

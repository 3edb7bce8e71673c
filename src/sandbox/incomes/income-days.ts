import { isWorkingDay } from "#src/payments/calendar/working-days.ts";

/** The time (UTC) at which an income of a day arrives, on the working day before if requested. */
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

import { isWorkingDay } from "#src/payments/calendar/working-days.ts";

/** When an income of a day comes: at a time (UTC), on the working day before when it is to be. */
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

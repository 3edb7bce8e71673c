import { assert } from "#src/lib/assert.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import { type Holidays, workingDayFrom } from "#src/payments/calendar/working-days.ts";
import type { MandateRelatedInformation } from "#src/standard/shared/v4/mandate-related-information.ts";
import { readFrequency } from "./read-frequency.ts";
import { dateFrom } from "./rhythm.ts";
import type { Amounts, Schedule } from "./schedule.ts";

/** What a standing order's initiation says of its schedule. */
export type ScheduleInitiation = {
  MandateRelatedInformation: MandateRelatedInformation;
  NumberOfPayments?: string;
};

/** What reading a schedule depends on besides the initiation. */
export type ScheduleContext = {
  now: Temporal.Instant;
  v3Patterns: boolean;
  holidays?: Holidays;
};

/** How many payments a text asks for: 1 to 9999; null when it is no such number. */
export const readNumberOfPayments = (text: string): number | null =>
  /^0*[1-9]\d{0,3}$/.test(text) ? Number(text) : null;

/** The first day on which an order that nobody has dated can pay: the next processing date. */
export const nextProcessingDate = (
  now: Temporal.Instant,
  holidays?: Holidays,
): Temporal.PlainDate => workingDayFrom(bankDate(now).add({ days: 1 }), holidays);

/** The calendar date of a date-time, as it is written in its own offset; null without one. */
export const dateOf = (text: string | undefined): Temporal.PlainDate | null =>
  parseDateTime(text ?? "")?.local.toPlainDate() ?? null;

/**
 * The schedule that an initiation orders now, once every check has passed. Without a first date it
 * starts on the first date of its rhythm that the bank can meet. Source: digest 2.18.
 */
export function readSchedule(
  { MandateRelatedInformation: mandate, NumberOfPayments }: ScheduleInitiation,
  amounts: Amounts,
  { now, v3Patterns, holidays }: ScheduleContext,
): Schedule {
  const given = dateOf(mandate.FirstPaymentDateTime);
  const start = given ?? nextProcessingDate(now, holidays);
  const recurring = dateOf(mandate.RecurringPaymentDateTime);
  const read = readFrequency(mandate.Frequency, { anchor: recurring ?? start, v3Patterns });
  assert("rhythm" in read, "a checked frequency has a rhythm");
  const { rhythm } = read;
  return {
    rhythm,
    firstDate: given ?? (recurring === null ? dateFrom(rhythm, start, holidays) : start),
    // the same date as the first says nothing new
    recurringDate: recurring?.equals(start) ? null : recurring,
    numberOfPayments:
      NumberOfPayments === undefined ? null : readNumberOfPayments(NumberOfPayments),
    finalDate: dateOf(mandate.FinalPaymentDateTime),
    amounts,
  };
}

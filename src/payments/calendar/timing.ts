import type { ParsedDateTime } from "#src/lib/date-time.ts";
import { type Day, dayIn, toDate } from "./day.ts";
import { type Holidays, workingDayFrom } from "./working-days.ts";

// When payments are executed: immediately or on a given day (this file, execution-instant.ts),
// before or after the cut-off (cut-off.ts), on working days only (working-days.ts), and by local
// instruments that take several days (domestic-instruments.ts). day.ts counts days in the bank's
// time zone.

/** The bank's own time zone: its days, its cut-off and its processing time. */
export const bankZone = "Europe/London";

// The London time at which dated payments are executed.
const processingTime = Temporal.PlainTime.from("06:00");

/**
 * When a kind's payments are executed: immediately, or on the request's `executionDate`. The bank
 * uses that date as it is written, in its own offset.
 */
export type Timing =
  | { when: "immediate" }
  | {
      when: "onDate";
      /** The maximum number of days until the date. */
      horizonDays: number;
      /** Whether the date may be left out, for an immediate payment, and may be today. */
      optional?: true;
    };

/** The day in London to which an instant belongs. */
export const bankDay = (now: Temporal.Instant): Day => dayIn(bankZone, now);

/** The date today in London. */
export const bankDate = (now: Temporal.Instant): Temporal.PlainDate => toDate(bankDay(now));

/**
 * The time at which the bank processes payments of that date: on it, or on the next working day.
 */
export const processingInstant = (
  date: Temporal.PlainDate,
  holidays?: Holidays,
): Temporal.Instant =>
  workingDayFrom(date, holidays)
    .toZonedDateTime({ timeZone: bankZone, plainTime: processingTime })
    .toInstant();

/** Whether an instant has come. */
export const hasCome = (instant: Temporal.Instant, now: Temporal.Instant): boolean =>
  Temporal.Instant.compare(instant, now) <= 0;

/** A request for a payment on a date, as it is written; null for no date. */
export type Dated = { executionDate: ParsedDateTime | null };

/** Whether a request is for an immediate payment, to which the cut-off applies. */
export const isAtOnce = (timing: Timing, { executionDate }: Dated): boolean =>
  timing.when === "immediate" || (timing.optional === true && executionDate === null);

import { textAt } from "#src/payments/request/json-path.ts";
import { type Holidays, workingDayFrom } from "./working-days.ts";

/** The bank's own time zone: its days, its cut-off and its processing time. */
export const bankZone = "Europe/London";

// When dated payments are executed on their day, London time.
const processingTime = Temporal.PlainTime.from("06:00");

/** When a kind's payments are executed: at once, or on a day that the initiation names. */
export type Timing =
  | { when: "immediate" }
  | {
      when: "onDate";
      /** Path in the initiation; the calendar date counts as it is written, in its own offset. */
      field: string;
      /** How far ahead the day may lie. */
      horizonDays: number;
      /** Whether it may be left out, for at once, and may be today. */
      optional?: true;
    };

/** The date today in London. */
export const bankDate = (now: Temporal.Instant): Temporal.PlainDate =>
  now.toZonedDateTimeISO(bankZone).toPlainDate();

/** When the bank processes what is dated that day: on it, or on the next working day. */
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

/** Whether an initiation asks for no day: then the cut-off counts. */
export const isAtOnce = (timing: Timing, initiation: unknown): boolean =>
  timing.when === "immediate" ||
  (timing.optional === true && textAt(initiation, timing.field) === undefined);

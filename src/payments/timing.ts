import type { Config } from "#src/config/config.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { textAt } from "./json-path.ts";
import { workingDayFrom } from "./working-days.ts";

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

/** What of the configuration says when the bank stops for the day. */
export type CutOffConfig = Pick<Config, "CUT_OFF_STRATEGY" | "CUT_OFF_TIME">;

/** The date today in London. */
export const bankDate = (now: Temporal.Instant): Temporal.PlainDate =>
  now.toZonedDateTimeISO(bankZone).toPlainDate();

/** When the bank processes what is dated that day: on it, or on the next working day. */
export const processingInstant = (date: Temporal.PlainDate): Temporal.Instant =>
  workingDayFrom(date)
    .toZonedDateTime({ timeZone: bankZone, plainTime: processingTime })
    .toInstant();

/** The cut-off of that day in London; null when the bank has none. */
function cutOffOn(date: Temporal.PlainDate, config: CutOffConfig): Temporal.Instant | null {
  if (config.CUT_OFF_TIME === undefined) return null;
  const plainTime = Temporal.PlainTime.from(config.CUT_OFF_TIME);
  return date.toZonedDateTime({ timeZone: bankZone, plainTime }).toInstant();
}

/** Whether an instant has come. */
export const hasCome = (instant: Temporal.Instant, now: Temporal.Instant): boolean =>
  Temporal.Instant.compare(instant, now) <= 0;

/** Whether today's cut-off has passed. */
export function isAfterCutOff(now: Temporal.Instant, config: CutOffConfig): boolean {
  if (config.CUT_OFF_TIME === undefined) return false;
  const cutOff = cutOffOn(bankDate(now), config);
  return cutOff !== null && hasCome(cutOff, now);
}

/** The cut-off that an immediate payment asked for now must meet: today's, or the next one. */
export function nextCutOff(now: Temporal.Instant, config: CutOffConfig): Temporal.Instant | null {
  const today = bankDate(now);
  if (!isAfterCutOff(now, config)) return cutOffOn(today, config);
  return cutOffOn(workingDayFrom(today.add({ days: 1 })), config);
}

/** Whether an initiation asks for no day: then the cut-off counts. */
export const isAtOnce = (timing: Timing, initiation: unknown): boolean =>
  timing.when === "immediate" ||
  (timing.optional === true && textAt(initiation, timing.field) === undefined);

/**
 * When a payment submitted now is executed; null is at once. After the cut-off an immediate payment
 * waits for the next working day. Source: digest 2.8, 2.17.
 */
export function executionInstant(
  timing: Timing,
  initiation: Record<string, unknown>,
  now: Temporal.Instant,
  config: CutOffConfig,
): Temporal.Instant | null {
  if (timing.when === "immediate" || isAtOnce(timing, initiation)) {
    if (!isAfterCutOff(now, config)) return null;
    return processingInstant(bankDate(now).add({ days: 1 }));
  }
  const parsed = parseDateTime(textAt(initiation, timing.field) ?? "");
  return parsed && processingInstant(parsed.local.toPlainDate());
}

import type { Config } from "#src/config/config.ts";
import { valueFor } from "#src/config/value-for.ts";
import type { ParsedDateTime } from "#src/lib/date-time.ts";
import type { KindId } from "#src/standard/kind-id.ts";

// When payments are executed: immediately or on a given day, on working days only, before or after
// the cut-off, and by local instruments that take several days. Days are numbers, counted in the
// bank's time zone.

/**
 * A calendar date as the number of days since 1 January 1970. Every payment within limits
 * calculates several dates, and numbers are ten times as fast as `Temporal` dates.
 */
export type Day = number;

const millisecondsOfDay = 86_400_000;

/**
 * The day with these numbers. Months and days may be outside their range: day 0 of a month is the
 * last day of the month before.
 */
export const dayOf = (year: number, month: number, day: number): Day =>
  new Date(0).setUTCFullYear(year, month - 1, day) / millisecondsOfDay;

/** The numbers of a day; the month is 1 to 12. */
export function partsOf(day: Day): { year: number; month: number; day: number } {
  const date = new Date(day * millisecondsOfDay);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The same day some months later, or the last day of that month if the month is shorter. */
export function monthsLater(from: Day, months: number): Day {
  const { year, month, day } = partsOf(from);
  return Math.min(dayOf(year, month + months, day), dayOf(year, month + months + 1, 0));
}

/** The day of a date, or of a local time. */
export const toDay = ({ year, month, day }: { year: number; month: number; day: number }): Day =>
  dayOf(year, month, day);

/** The date of a day. */
export function toDate(day: Day): Temporal.PlainDate {
  const { year, month, day: dayOfMonth } = partsOf(day);
  return new Temporal.PlainDate(year, month, dayOfMonth);
}

/** A day of four-digit years as ISO 8601 writes it: `2026-11-22`. */
export const isoDay = (day: Day): string =>
  new Date(day * millisecondsOfDay).toISOString().slice(0, 10);

/** A time in which the offset of a zone does not change, in milliseconds; the end is not part. */
type Era = { zone: string; start: number; end: number; offset: number };

const mostEras = 16;
const eras: Era[] = [];

/** The day of an instant in a time zone. */
export function dayIn(zone: string, instant: Temporal.Instant): Day {
  const at = instant.epochMilliseconds;
  const known = eras.find((era) => era.start <= at && at < era.end && era.zone === zone);
  const { offset } = known ?? learnEra(zone, instant);
  return Math.floor((at + offset) / millisecondsOfDay);
}

function learnEra(zone: string, instant: Temporal.Instant): Era {
  // an instant at which the offset changes belongs to the era that it starts
  const inside = instant.add({ nanoseconds: 1 }).toZonedDateTimeISO(zone);
  const era = {
    zone,
    start: inside.getTimeZoneTransition("previous")?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: inside.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: inside.offsetNanoseconds / 1e6,
  };
  if (eras.length >= mostEras) eras.shift();
  eras.push(era);
  return era;
}

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

/** The later of two instants. Null stands for now, which is earlier. */
export const laterOf = (
  one: Temporal.Instant | null,
  other: Temporal.Instant | null,
): Temporal.Instant | null =>
  one === null || (other !== null && hasCome(one, other)) ? other : one;

/** A request for a payment on a date, as it is written; null for no date. */
type Dated = { executionDate: ParsedDateTime | null };

/** Whether a request is for an immediate payment, to which the cut-off applies. */
export const isAtOnce = (timing: Timing, { executionDate }: Dated): boolean =>
  timing.when === "immediate" || (timing.optional === true && executionDate === null);

/** The days, besides weekends, on which a bank makes no dated payments, as ISO dates. */
export type Holidays = ReadonlySet<string>;

/**
 * Bank holidays in England and Wales, which Faster Payments, Bacs and CHAPS follow for processing
 * days. Source: GOV.UK, UK bank holidays: as far as announced, and after that the days that the
 * Banking and Financial Dealings Act 1971 and the yearly proclamations have given since 1978.
 * One-off holidays (a coronation) are added when they are proclaimed.
 */
const englandAndWales: Holidays = new Set(
  `2025-01-01 2025-04-18 2025-04-21 2025-05-05 2025-05-26 2025-08-25 2025-12-25 2025-12-26
  2026-01-01 2026-04-03 2026-04-06 2026-05-04 2026-05-25 2026-08-31 2026-12-25 2026-12-28
  2027-01-01 2027-03-26 2027-03-29 2027-05-03 2027-05-31 2027-08-30 2027-12-27 2027-12-28
  2028-01-03 2028-04-14 2028-04-17 2028-05-01 2028-05-29 2028-08-28 2028-12-25 2028-12-26
  2029-01-01 2029-03-30 2029-04-02 2029-05-07 2029-05-28 2029-08-27 2029-12-25 2029-12-26
  2030-01-01 2030-04-19 2030-04-22 2030-05-06 2030-05-27 2030-08-26 2030-12-25 2030-12-26
  2031-01-01 2031-04-11 2031-04-14 2031-05-05 2031-05-26 2031-08-25 2031-12-25 2031-12-26
  2032-01-01 2032-03-26 2032-03-29 2032-05-03 2032-05-31 2032-08-30 2032-12-27 2032-12-28
  2033-01-03 2033-04-15 2033-04-18 2033-05-02 2033-05-30 2033-08-29 2033-12-26 2033-12-27
  2034-01-02 2034-04-07 2034-04-10 2034-05-01 2034-05-29 2034-08-28 2034-12-25 2034-12-26
  2035-01-01 2035-03-23 2035-03-26 2035-05-07 2035-05-28 2035-08-27 2035-12-25 2035-12-26`.split(
    /\s+/,
  ),
);

const configured = new Map<string, Holidays>();

/** The holidays of a bank: those of England and Wales, added to or replaced by BANK_HOLIDAYS. */
export function holidaysOf({ BANK_HOLIDAYS: text }: Pick<Config, "BANK_HOLIDAYS">): Holidays {
  if (text === undefined) return englandAndWales;
  let holidays = configured.get(text);
  if (!holidays) {
    const entries = text.split(",").map((entry) => entry.trim());
    const own = entries.filter((entry) => !entry.startsWith("+"));
    const added = entries.filter((entry) => entry.startsWith("+")).map((entry) => entry.slice(1));
    holidays = new Set([...(own.length > 0 ? own : englandAndWales), ...added]);
    configured.set(text, holidays);
  }
  return holidays;
}

/** The last year whose holidays are known; 0 for none. */
export const lastYearOf = (holidays: Holidays): number =>
  Math.max(0, ...[...holidays].map((day) => Number(day.slice(0, 4))));

/** What to log if payments can be dated in a year whose holidays are not known; or null. */
export function unknownHolidays(
  kinds: readonly { timing: Timing }[],
  config: Pick<Config, "BANK_HOLIDAYS">,
  now: Temporal.Instant,
): string | null {
  const horizons = kinds.map(({ timing }) => (timing.when === "onDate" ? timing.horizonDays : 0));
  const { year } = partsOf(bankDay(now) + Math.max(0, ...horizons));
  const known = lastYearOf(holidaysOf(config));
  if (year <= known) return null;
  return (
    `no bank holidays are known after ${known}, but payments can be dated in ${year}: ` +
    `add later holidays to BANK_HOLIDAYS, such as +${year}-01-01`
  );
}

/** Whether the bank executes dated payments on that day: Monday to Friday, except bank holidays. */
export const isWorkingDay = (
  date: Temporal.PlainDate,
  holidays: Holidays = englandAndWales,
): boolean => date.dayOfWeek <= 5 && !holidays.has(date.toString());

/** That day, or the first working day after it. */
export function workingDayFrom(
  date: Temporal.PlainDate,
  holidays: Holidays = englandAndWales,
): Temporal.PlainDate {
  let day = date;
  while (!isWorkingDay(day, holidays)) day = day.add({ days: 1 });
  return day;
}

/** The first working day after that day. */
const nextWorkingDay = (date: Temporal.PlainDate, holidays?: Holidays): Temporal.PlainDate =>
  workingDayFrom(date.add({ days: 1 }), holidays);

/** The local instruments of domestic payments; the first is the default. */
export const domesticInstruments: readonly string[] = [
  "UK.OBIE.FPS",
  "UK.OBIE.CHAPS",
  "UK.OBIE.BACS",
];

// The number of working days that a payment takes, including the day of its execution. Bacs accepts
// a payment on the first day, processes it on the second and pays on the third. The other
// instruments pay immediately.
const cycles: Readonly<Record<string, number>> = { "UK.OBIE.BACS": 3 };

/** The time at which the creditor's bank receives a payment that is executed at that instant. */
export function settlementInstant(
  localInstrument: string | null | undefined,
  execution: Temporal.Instant,
  holidays?: Holidays,
): Temporal.Instant {
  const days = cycles[localInstrument ?? ""];
  if (days === undefined) return execution;
  let day = workingDayFrom(bankDate(execution), holidays);
  for (let passed = 1; passed < days; passed += 1) day = nextWorkingDay(day, holidays);
  return processingInstant(day, holidays);
}

/** The settings of the cut-off, with values per kind. */
export type CutOffConfig = Pick<Config, "BANK_HOLIDAYS" | "CUT_OFF_STRATEGY" | "CUT_OFF_TIME">;

/** A kind's daily cut-off, and what happens to later payments. */
type CutOff = {
  /** London time; null for no cut-off. */
  time: Temporal.PlainTime | null;
  strategy: "accept" | "reject";
  holidays: Holidays;
};

/** A kind of payments, as the cut-off sees it. */
export type CutOffKind = { id: KindId; hasCutOff: boolean };

/** The cut-off of a kind of payments. A time for all kinds leaves out the kinds without one. */
export function cutOffOf({ id, hasCutOff }: CutOffKind, config: CutOffConfig): CutOff {
  const time = (hasCutOff && valueFor(id, config.CUT_OFF_TIME)) || "none";
  return {
    time: time === "none" ? null : Temporal.PlainTime.from(time),
    strategy: valueFor(id, config.CUT_OFF_STRATEGY) === "reject" ? "reject" : "accept",
    holidays: holidaysOf(config),
  };
}

/** The cut-off of that day in London; null when there is none. */
function cutOffOn(date: Temporal.PlainDate, { time }: CutOff): Temporal.Instant | null {
  return time && date.toZonedDateTime({ timeZone: bankZone, plainTime: time }).toInstant();
}

/** Whether today's cut-off has passed. */
export function isAfterCutOff(now: Temporal.Instant, cutOff: CutOff): boolean {
  if (cutOff.time === null) return false;
  const instant = cutOffOn(bankDate(now), cutOff);
  return instant !== null && hasCome(instant, now);
}

/** The cut-off of an immediate payment that is requested now: today's, or the next one. */
export function nextCutOff(now: Temporal.Instant, cutOff: CutOff): Temporal.Instant | null {
  const today = bankDate(now);
  if (!isAfterCutOff(now, cutOff)) return cutOffOn(today, cutOff);
  return cutOffOn(nextWorkingDay(today, cutOff.holidays), cutOff);
}

/**
 * Lists the faults of the kinds that the cut-off settings name: a kind that the bank does not have,
 * or one without a cut-off.
 */
export function cutOffMistakes(kinds: readonly CutOffKind[], config: CutOffConfig): string[] {
  const known: string[] = kinds.filter(({ hasCutOff }) => hasCutOff).map(({ id }) => id);
  return (["CUT_OFF_STRATEGY", "CUT_OFF_TIME"] as const).flatMap((setting) => {
    const named = (config[setting] ?? "").split(",").filter((entry) => entry.includes("="));
    return named
      .map((entry) => entry.split("=")[0]?.trim() ?? "")
      .filter((id) => !known.includes(id))
      .map(
        (id) => `${setting}: ${id} has no cut-off; the kinds that have one: ${known.join(", ")}`,
      );
  });
}

/**
 * The time at which a payment submitted now is executed; null means immediately. After the cut-off,
 * an immediate payment waits for the next working day. Source: P-187, P-188.
 */
export function executionInstant(
  kind: CutOffKind & { timing: Timing },
  request: Dated,
  now: Temporal.Instant,
  config: CutOffConfig,
): Temporal.Instant | null {
  if (isAtOnce(kind.timing, request)) {
    if (!isAfterCutOff(now, cutOffOf(kind, config))) return null;
    return processingInstant(bankDate(now).add({ days: 1 }), holidaysOf(config));
  }
  const { executionDate } = request;
  return executionDate && processingInstant(executionDate.local.toPlainDate(), holidaysOf(config));
}

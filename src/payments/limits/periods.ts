import { assert } from "#src/lib/assert.ts";
import { type Day, dayOf, monthsLater, partsOf, toDate } from "#src/payments/calendar/day.ts";

// Calculates the periods of the limits of a consent that allows several payments. Every date is a
// calendar date in the bank's time zone. The time of day in a consent's dates is ignored. A payment
// belongs to the date on which the bank accepted it. Source: VRP resource pages, Domestic VRP
// consents, Examples of Periodic Limits; V-016, V-017, V-025.

/** The lengths of a limited period, as the standard writes them. Source: V-020. */
export const periodTypes = ["Day", "Week", "Fortnight", "Month", "Half-year", "Year"] as const;

/** The length of a limited period. */
export type PeriodType = (typeof periodTypes)[number];

/** Where periods begin: with the consent, or with the calendar. */
export const periodAlignments = ["Consent", "Calendar"] as const;

/** Where the periods of a limit begin. */
export type PeriodAlignment = (typeof periodAlignments)[number];

/** A limit for the sum of a period's payments. */
export type PeriodicLimit = {
  type: PeriodType;
  alignment: PeriodAlignment;
  amountMinor: bigint;
};

/** A period of a limit, both days included, and how much may be paid in it. */
export type LimitPeriod = {
  first: Day;
  last: Day;
  limitMinor: bigint;
};

type Days = Omit<LimitPeriod, "limitMinor">;

/**
 * Whether the standard defines the period. Fortnights can begin only with the consent. Source:
 * V-016.
 */
export const isPeriod = ({ type, alignment }: Pick<PeriodicLimit, "type" | "alignment">): boolean =>
  type !== "Fortnight" || alignment === "Consent";

/**
 * Returns the period of a limit that contains a date. The anchor is the first day of the consent's
 * first period. The first calendar period starts at the anchor, and its limit is prorated by days.
 */
export function periodOf(limit: PeriodicLimit, anchor: Day, date: Day): LimitPeriod {
  assert(anchor <= date, "no period begins before its anchor");
  if (limit.alignment === "Consent") {
    return { ...consentPeriod(limit.type, anchor, date), limitMinor: limit.amountMinor };
  }
  const { first, last } = calendarPeriod(limit.type, date);
  if (first >= anchor) return { first, last, limitMinor: limit.amountMinor };
  const limitMinor = prorate(limit.amountMinor, daysIn(anchor, last), daysIn(first, last));
  return { first: anchor, last, limitMinor };
}

/** The number of days from one date to another, both included. */
const daysIn = (first: Day, last: Day): bigint => BigInt(last - first + 1);

/** A part of an amount in minor units, rounded half up. */
const prorate = (amountMinor: bigint, days: bigint, outOf: bigint): bigint =>
  (2n * amountMinor * days + outOf) / (2n * outOf);

const monthsOf = { Month: 1, "Half-year": 6, Year: 12 } as const;
const daysOf = { Day: 1, Week: 7, Fortnight: 14 } as const;

const isOfMonths = (type: PeriodType): type is keyof typeof monthsOf => type in monthsOf;

function consentPeriod(type: PeriodType, anchor: Day, date: Day): Days {
  // each start is calculated from the anchor, not from the previous start: if the anchor is the
  // 31st, a period that begins on 28 February must not move the later ones to the 28th
  if (isOfMonths(type)) {
    const months = monthsOf[type];
    const [from, to] = [partsOf(anchor), partsOf(date)];
    const apart = 12 * (to.year - from.year) + to.month - from.month;
    const startOf = (count: number) => monthsLater(anchor, count * months);
    const count = Math.floor(apart / months);
    const inCount = startOf(count) <= date ? count : count - 1;
    return { first: startOf(inCount), last: startOf(inCount + 1) - 1 };
  }
  const days = daysOf[type];
  const first = date - ((date - anchor) % days);
  return { first, last: first + days - 1 };
}

// 5 January 1970
const aMonday: Day = 4;

function calendarPeriod(type: PeriodType, date: Day): Days {
  if (isOfMonths(type)) {
    const months = monthsOf[type];
    const { year, month } = partsOf(date);
    const start = month - ((month - 1) % months);
    return { first: dayOf(year, start, 1), last: dayOf(year, start + months, 0) };
  }
  assert(type !== "Fortnight", "the calendar has no fortnights");
  if (type === "Day") return { first: date, last: date };
  const monday = aMonday + 7 * Math.floor((date - aMonday) / 7);
  return { first: monday, last: monday + 6 };
}

/** The period of a limit to which a payment belongs. */
export type LimitWindow = LimitPeriod & {
  /** The position of the limit in its consent, from 0. */
  position: number;
};

/**
 * Lists the windows of a consent's limits for a payment that the bank accepts on that date. A
 * payment belongs to the window in which the bank accepted it, whenever it is executed. Source:
 * V-115, V-117, V-124.
 */
export const windowsOf = (
  limits: readonly PeriodicLimit[],
  { anchor, date }: { anchor: Day; date: Day },
): LimitWindow[] =>
  limits.map((limit, position) => ({ position, ...periodOf(limit, anchor, date) }));

/** The first and the last day on which a consent may be used; null if that end is open. */
export type Validity = { from: Day | null; to: Day | null };

/**
 * Returns the anchor of a consent's periods: the day from which it is valid, or the day on which it
 * was created if that is later. Source: V-025, V-028.
 */
export const anchorOf = ({ from }: Pick<Validity, "from">, createdOn: Day): Day =>
  from !== null && from > createdOn ? from : createdOn;

/**
 * Returns how a day relates to a consent's validity, which includes the whole last day. Source:
 * V-097.
 */
export function standingOn({ from, to }: Validity, day: Day): "too early" | "valid" | "over" {
  if (to !== null && day > to) return "over";
  return from !== null && day < from ? "too early" : "valid";
}

/** Returns the instant at which a day begins in a zone, even if the clocks skip midnight. */
export const startOf = (zone: string, day: Day): Temporal.Instant =>
  toDate(day).toZonedDateTime({ timeZone: zone }).toInstant();

/**
 * Returns the instant at which a consent expires, or null if it is open-ended. Source: V-096,
 * V-097.
 */
export const expiryOf = (zone: string, { to }: Pick<Validity, "to">): Temporal.Instant | null =>
  to === null ? null : startOf(zone, to + 1);

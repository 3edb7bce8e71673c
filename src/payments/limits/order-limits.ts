import type { StatusReason } from "#src/consents/consent.ts";
import { assert, present } from "#src/lib/assert.ts";
import { formatAmount } from "#src/lib/money.ts";
import {
  bankDay,
  type Day,
  dayOf,
  isoDay,
  monthsLater,
  partsOf,
  toDate,
  toDay,
} from "#src/payments/calendar/timing.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { aboveLimit, type RequestFault } from "#src/payments/request/checks.ts";
import type {
  PaymentRequest,
  RequestedLimits,
  RequestedUse,
} from "#src/payments/request/payment-request.ts";

// How a consent pays several times within limits. When a TPP creates it, consent-checks.ts checks
// the limits, and contracts.ts whether the TPP has the contract that some limits need. When an
// order arrives, this file checks the limits for a single order and lists the windows of the limits
// for a period. The database function `take_limits` checks the sums in these windows, in the
// transaction that creates the order. usage.ts reads the sums for pages, and verify-limits.ts
// checks them.
//
// Every date is a calendar date in the bank's time zone. The time of day in a consent's dates is
// ignored. A payment belongs to the date on which the bank accepted it. Source: VRP resource pages,
// Domestic VRP consents, Examples of Periodic Limits; V-016, V-017, V-025.

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
type Validity = { from: Day | null; to: Day | null };

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

/** Returns the dates on which a consent may be used, as written. Times and offsets are ignored. */
export const validityOf = ({
  validFrom,
  validTo,
}: Pick<RequestedLimits, "validFrom" | "validTo">): Validity => ({
  from: validFrom && toDay(validFrom.local),
  to: validTo && toDay(validTo.local),
});

/** Reads a periodic limit of a consent that has passed the checks. */
export function periodicLimit({
  type,
  alignment,
  amount,
}: RequestedLimits["periods"][number]): PeriodicLimit {
  assert(
    periodTypes.some((known) => known === type),
    "a checked period",
  );
  assert(
    periodAlignments.some((known) => known === alignment),
    "a checked alignment",
  );
  return {
    type: type as PeriodType,
    alignment: alignment as PeriodAlignment,
    amountMinor: present(amount.money, "a checked limit").amountMinor,
  };
}

/** Lists the limits of a consent for an order that is accepted today, each with its window. */
export function limitWindows(
  limits: RequestedLimits,
  { createdAt, today }: { createdAt: Temporal.Instant; today: Day },
): LimitWindow[] {
  const anchor = anchorOf(validityOf(limits), bankDay(createdAt));
  return windowsOf(limits.periods.map(periodicLimit), { anchor, date: today });
}

/**
 * Checks an order against those limits of its consent that do not depend on earlier orders. An
 * order is at fault if the consent is not valid yet, if the consent does not allow its type,
 * authentication or interaction, or if its amount is too large. Source: V-098, V-108…V-111, V-113,
 * V-119.
 */
export function checkLimits(
  { single, uses, ...limits }: RequestedLimits,
  { amount, use }: Pick<PaymentRequest, "amount" | "use">,
  today: Day,
): RequestFault[] {
  const validity = validityOf(limits);
  if (validity.from !== null && standingOn(validity, today) === "too early") {
    const message = `The consent cannot be used before ${isoDay(validity.from)}.`;
    return [{ code: "U014", member: "limits.validFrom", message }];
  }
  const faults = use ? checkUse(uses, use) : [];
  if (faults.length > 0) return faults;
  const most = present(single?.money, "a checked maximum");
  const asked = present(amount?.money, "a checked amount");
  if (asked.currency !== most.currency) {
    const message = `The currency must be ${most.currency}, the currency of the consent's limits.`;
    return [{ code: "U023", member: "amount.currency", message }];
  }
  if (asked.amountMinor <= most.amountMinor) return [];
  const text = `${formatAmount(most.amountMinor, most.currency)} ${most.currency}`;
  const message = `A single payment under this consent may be at most ${text}.`;
  return [{ code: "U014", member: "limits.single", message }];
}

/**
 * Checks that the consent allows the type, the authentication and the interaction of an order. A
 * value that the order or the consent does not name is not checked. Source: V-108…V-111.
 */
const checkUse = (allowed: RequestedLimits["uses"], use: RequestedUse): RequestFault[] =>
  (["type", "authentication", "interaction"] as const).flatMap((member): RequestFault[] => {
    const [given, agreed] = [use[member], allowed[member]];
    if (given === null || agreed === null || agreed.includes(given)) return [];
    const message = `The value must be one that the consent allows: ${agreed.join(", ")}.`;
    return [{ code: "U014", member: `use.${member}`, message }];
  });

/**
 * Lists the faults of an order that exceeds the limits at these positions in its consent. Source:
 * V-115, V-116.
 */
export const exceededFaults = (
  { periods }: Pick<RequestedLimits, "periods">,
  positions: readonly number[],
): RequestFault[] =>
  positions.map((position) => {
    const { type } = present(periods[position], "an exceeded limit");
    const message =
      `The amount is larger than the amount left in the limit of this period (${type}). ` +
      "Send a smaller amount, or wait for the next period.";
    return { code: "U014", member: "limits.periods", position, message };
  });

/**
 * Returns the reason why the bank rejects an order that its consent allows: the amount is above the
 * bank's own limit, which the TPP cannot know. Returns null if the bank accepts the order. Source:
 * V-126.
 */
export function rejectionOf(
  { amount }: Pick<PaymentRequest, "amount">,
  { PAYMENT_LIMIT }: Pick<PaymentConfig, "PAYMENT_LIMIT">,
): StatusReason | null {
  const { amountMinor, currency } = present(amount?.money, "a checked amount");
  const limit = BigInt(PAYMENT_LIMIT);
  if (amountMinor <= limit) return null;
  return { code: "AM14", text: aboveLimit(limit, currency) };
}

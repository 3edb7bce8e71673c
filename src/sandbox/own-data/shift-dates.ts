import type { CustomerDocument, OwnAccount, OwnTransaction } from "./document.ts";
import { dueDayOf, isCollectionOf, isPaymentOf, momentOf, withDay } from "./regular.ts";

/** How far a document moves: its times by whole days, its dates by the days between two dates. */
type Shift = { now: Temporal.Instant; asOf: Temporal.PlainDate; days: number; dates: number };

/**
 * Moves all dates of a document from the time for which it was written to the bank's time. What was
 * booked an hour or a year before the one is booked an hour or a year before the other, to the
 * day. Invalid dates stay as they are, for the check of the document to name.
 */
export function shiftDates(
  document: CustomerDocument,
  asOf: Temporal.Instant,
  now: Temporal.Instant,
): CustomerDocument {
  const written = dateOf(asOf);
  // whole days, so that times of the day stay, and nothing is booked after now
  const days = Math.floor((now.epochMilliseconds - asOf.epochMilliseconds) / 86_400_000);
  const dates = written.until(dateOf(now), { largestUnit: "days" }).days;
  const shift = { now, asOf: written, days, dates };
  const { accounts, ...rest } = document;
  return {
    ...rest,
    accounts: accounts.map((account) => shiftAccount(account, shift)),
  };
}

function shiftAccount(account: OwnAccount, shift: Shift): OwnAccount {
  const { openedOn, transactions = [], directDebits = [], standingOrders = [] } = account;
  const { scheduledPayments = [] } = account;
  let booked = transactions.map((one) => ({ ...one, at: shiftTime(one.at, shift.days) }));
  const follow = <Rule extends { dayOfMonth: number }>(
    rules: readonly Rule[],
    isOf: (rule: Rule, transaction: OwnTransaction) => boolean,
  ): Rule[] =>
    rules.map((rule) => {
      const moved = shiftRule(rule.dayOfMonth, shift);
      booked = booked.map((one, index) => {
        const before = transactions[index];
        return before && isOf(rule, before) ? { ...one, at: moved.timeOf(before.at, one.at) } : one;
      });
      return { ...rule, dayOfMonth: moved.dayOfMonth };
    });
  return {
    ...account,
    ...(openedOn === undefined ? {} : { openedOn: shiftDate(openedOn, shift.days) }),
    ...(directDebits.length > 0 && { directDebits: follow(directDebits, isCollectionOf) }),
    ...(standingOrders.length > 0 && { standingOrders: follow(standingOrders, isPaymentOf) }),
    ...(scheduledPayments.length > 0 && {
      scheduledPayments: scheduledPayments.map((one) => ({
        ...one,
        on: shiftDate(one.on, shift.dates),
      })),
    }),
    ...(transactions.length > 0 && { transactions: booked }),
  };
}

/**
 * Moves a monthly payment. It is due on the day of the month to which its latest due day moves. If
 * the next payment would then be due before its time, because that month is shorter, the day of the
 * next due day counts. Months have different lengths, so a payment that was made may fall before
 * its due day or after the next one: it moves to the nearest day between them.
 */
function shiftRule(dayOfMonth: number, { now, asOf, days }: Shift) {
  const latest = dueOn(asOf, dayOfMonth);
  const moved = latest.add({ days });
  const next = monthsAfter(latest, 1, dayOfMonth).add({ days });
  const isEarly = !isAfter(monthsAfter(moved, 1, moved.day), asOf.add({ days }));
  const day = (isEarly ? next : moved).day;
  const newest = isEarly ? monthsAfter(next, -1, day) : moved;
  return {
    dayOfMonth: day,
    timeOf(before: string, after: string): string {
      const [was, is] = [momentOf(before), momentOf(after)];
      if (!was || !is) return after;
      const due = dueDayOf(was, dayOfMonth);
      const months = (latest.year - due.year) * 12 + latest.month - due.month;
      const first = monthsAfter(newest, -months, day);
      const last = monthsAfter(newest, 1 - months, day).subtract({ days: 1 });
      const date = dateOf(is);
      const fitting = isAfter(first, date) ? first : isAfter(date, last) ? last : date;
      const later = is.add({ hours: 24 * date.until(fitting, { largestUnit: "days" }).days });
      return (Temporal.Instant.compare(later, now) > 0 ? now : later).toString();
    },
  };
}

const monthsAfter = (from: Temporal.PlainDate, months: number, dayOfMonth: number) =>
  withDay(from.with({ day: 1 }).add({ months }), dayOfMonth);

const dueOn = (date: Temporal.PlainDate, dayOfMonth: number): Temporal.PlainDate =>
  dueDayOf(date.toZonedDateTime("UTC").toInstant(), dayOfMonth);

const isAfter = (one: Temporal.PlainDate, other: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(one, other) > 0;

const dateOf = (instant: Temporal.Instant): Temporal.PlainDate =>
  instant.toZonedDateTimeISO("UTC").toPlainDate();

function shiftTime(text: string, days: number): string {
  return (
    momentOf(text)
      ?.add({ hours: 24 * days })
      .toString() ?? text
  );
}

function shiftDate(text: string, days: number): string {
  try {
    return Temporal.PlainDate.from(text).add({ days }).toString();
  } catch {
    return text;
  }
}

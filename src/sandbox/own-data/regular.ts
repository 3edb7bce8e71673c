import type { OwnAccount, OwnTransaction } from "./document.ts";

type DirectDebit = NonNullable<OwnAccount["directDebits"]>[number];
type StandingOrder = NonNullable<OwnAccount["standingOrders"]>[number];

/** Whether a transaction is a collection under a direct debit. */
export const isCollectionOf = (
  { reference }: DirectDebit,
  { type, indicator, reference: own }: OwnTransaction,
): boolean => type === "DD" && indicator === "Debit" && own === reference;

/** Whether a transaction is a payment of a standing order. */
export const isPaymentOf = (
  { reference, payee, amount }: StandingOrder,
  { type, indicator, text, reference: own, counterparty, amount: paid }: OwnTransaction,
): boolean =>
  type === "SO" &&
  indicator === "Debit" &&
  // the bank's own entries have the reference at the end of their text
  (own === reference || text.endsWith(` ${reference}`)) &&
  Number(paid) === Number(amount) &&
  counterparty?.identification === payee.number;

/** The day on which a monthly payment was due that was made at this time. */
export function dueDayOf(at: Temporal.Instant, dayOfMonth: number): Temporal.PlainDate {
  const day = at.toZonedDateTimeISO("UTC").toPlainDate();
  const here = withDay(day, dayOfMonth);
  if (Temporal.PlainDate.compare(here, day) <= 0) return here;
  return withDay(day.with({ day: 1 }).subtract({ months: 1 }), dayOfMonth);
}

/** The day of a month, or its last day if the month is shorter. */
export const withDay = (month: Temporal.PlainDate, day: number): Temporal.PlainDate =>
  month.with({ day: Math.min(day, month.daysInMonth) });

/** A date-time of a document; null if it has no offset. */
export function momentOf(text: string): Temporal.Instant | null {
  try {
    return Temporal.Instant.from(text);
  } catch {
    return null;
  }
}

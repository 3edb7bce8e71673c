import { parseDateTime } from "#src/lib/date-time.ts";
import { readSchedule } from "#src/payments/schedule/read-schedule.ts";
import {
  firstOccurrence,
  nextOccurrence,
  type Occurrence,
  type Schedule,
} from "#src/payments/schedule/schedule.ts";
import { readFrequency } from "#src/payments/versions/pisp-v4.0/frequency.ts";
import type { Frequency } from "#src/standard/shared/v4/frequency.ts";

const pounds = (amount: number) => ({ amountMinor: BigInt(amount * 100), currency: "GBP" });

/** The first payment is £50, the following ones £60, and the final one £70. */
export const amounts = { first: pounds(50), recurring: pounds(60), final: pounds(70) };

/** The members of an initiation that end a schedule. */
export type End = { NumberOfPayments?: number; FinalPaymentDateTime?: string };

/**
 * Makes the schedule of a frequency. `from` is `first`, `first/recurring`, or empty for neither.
 */
export function scheduleOf(
  Frequency: Frequency,
  from: string,
  { NumberOfPayments, FinalPaymentDateTime }: End = {},
  now = "2026-11-21T10:00:00Z",
): Schedule {
  const [first, recurring] = from.split("/");
  const request = {
    executionDate: first ? parseDateTime(first) : null,
    schedule: {
      frequency: readFrequency(Frequency),
      recurringDate: recurring ? parseDateTime(recurring) : null,
      finalDate: FinalPaymentDateTime ? parseDateTime(FinalPaymentDateTime) : null,
      numberOfPayments: NumberOfPayments ?? null,
      mandate: null,
      remittance: null,
    },
  };
  return readSchedule(request, amounts, { now: Temporal.Instant.from(now) });
}

/** Lists at most `most` payments of a schedule. */
export function occurrencesOf(schedule: Schedule, most: number): Occurrence[] {
  const found: Occurrence[] = [];
  let occurrence = firstOccurrence(schedule);
  while (occurrence && found.length < most) {
    found.push(occurrence);
    occurrence = nextOccurrence(schedule, occurrence);
  }
  return found;
}

/** Lists the dates of a schedule's first payments. */
export const datesOf = (schedule: Schedule, most: number): string[] =>
  occurrencesOf(schedule, most).map(({ date }) => date.toString());

import { dateOrNull } from "#src/lib/date-time.ts";
import type { Money } from "#src/lib/money.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import type { Schedule } from "./schedule.ts";

/** A schedule as JSON: dates as `2026-12-15`, minor units as text. */
export type ScheduleRecord = {
  rhythm: Rhythm;
  firstDate: string;
  recurringDate: string | null;
  numberOfPayments: number | null;
  finalDate: string | null;
  currency: string;
  firstMinor: string;
  recurringMinor: string;
  finalMinor: string;
};

/** Makes a schedule storable; its amounts are of one currency. */
export const toScheduleRecord = (schedule: Schedule): ScheduleRecord => ({
  rhythm: schedule.rhythm,
  firstDate: schedule.firstDate.toString(),
  recurringDate: schedule.recurringDate?.toString() ?? null,
  numberOfPayments: schedule.numberOfPayments,
  finalDate: schedule.finalDate?.toString() ?? null,
  currency: schedule.amounts.first.currency,
  firstMinor: schedule.amounts.first.amountMinor.toString(),
  recurringMinor: schedule.amounts.recurring.amountMinor.toString(),
  finalMinor: schedule.amounts.final.amountMinor.toString(),
});

/** The schedule that a record holds. */
export function fromScheduleRecord(record: ScheduleRecord): Schedule {
  const money = (minor: string): Money => ({
    amountMinor: BigInt(minor),
    currency: record.currency,
  });
  return {
    rhythm: record.rhythm,
    firstDate: Temporal.PlainDate.from(record.firstDate),
    recurringDate: dateOrNull(record.recurringDate),
    numberOfPayments: record.numberOfPayments,
    finalDate: dateOrNull(record.finalDate),
    amounts: {
      first: money(record.firstMinor),
      recurring: money(record.recurringMinor),
      final: money(record.finalMinor),
    },
  };
}

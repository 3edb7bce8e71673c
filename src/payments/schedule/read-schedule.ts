import { assert, present } from "#src/lib/assert.ts";
import type { ParsedDateTime } from "#src/lib/date-time.ts";
import { bankDate, type Holidays, workingDayFrom } from "#src/payments/calendar/timing.ts";
import type { PaymentRequest, ScheduleRequest } from "#src/payments/request/payment-request.ts";
import type { OpenRhythm } from "#src/standard/shared/rhythm.ts";
import { dateFrom, startingFrom } from "./rhythm.ts";
import type { Amounts, Schedule } from "./schedule.ts";

/** The further facts on which reading a schedule depends. */
type ScheduleContext = {
  now: Temporal.Instant;
  holidays?: Holidays;
};

/** The first day on which an order without a date can pay: the next processing date. */
export const nextProcessingDate = (
  now: Temporal.Instant,
  holidays?: Holidays,
): Temporal.PlainDate => workingDayFrom(bankDate(now).add({ days: 1 }), holidays);

/** The calendar date of a date-time, as it is written in its own offset; null without one. */
export const dateOf = (written: ParsedDateTime | null): Temporal.PlainDate | null =>
  written?.local.toPlainDate() ?? null;

/**
 * Returns the schedule of a request that has passed every check. Without a first date, it starts on
 * the first date of its rhythm that the bank can meet. Source: D-401-45.
 */
export function readSchedule(
  request: Pick<PaymentRequest, "schedule" | "executionDate">,
  amounts: Amounts,
  { now, holidays }: ScheduleContext,
): Schedule {
  const asked = present(request.schedule, "the schedule of a kind that has one");
  const given = dateOf(request.executionDate);
  const start = given ?? nextProcessingDate(now, holidays);
  const recurring = dateOf(asked.recurringDate);
  const rhythm = startingFrom(checkedRhythm(asked), recurring ?? start);
  const { numberOfPayments } = asked;
  return {
    rhythm,
    firstDate: given ?? (recurring === null ? dateFrom(rhythm, start, holidays) : start),
    // a second payment on the first date changes nothing
    recurringDate: recurring?.equals(start) ? null : recurring,
    numberOfPayments: numberOfPayments === "invalid" ? null : numberOfPayments,
    finalDate: dateOf(asked.finalDate),
    amounts,
  };
}

function checkedRhythm({ frequency }: ScheduleRequest): OpenRhythm {
  const { read } = present(frequency, "the frequency of a checked schedule");
  assert("rhythm" in read, "a checked frequency has a rhythm");
  return read.rhythm;
}

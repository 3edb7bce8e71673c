import { processingInstant } from "#src/payments/calendar/timing.ts";
import { nextOccurrence, type Schedule } from "#src/payments/schedule/schedule.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// How many payment dates per second the schedule of a standing order calculates: date, sequence,
// amount, whether it is the last, and the working day. Runs on one thread, once for each kind of
// frequency.

const rounds = isQuick ? 3 : 7;
const each = isQuick ? 20_000 : 100_000;
const pound = { amountMinor: 100n, currency: "GBP" };

const rhythms: Record<string, Rhythm> = {
  "every day": { unit: "day", every: 1 },
  "every working day": { unit: "workingDay" },
  "every 2 weeks": { unit: "week", every: 2, dayOfWeek: 5 },
  "every month on the 31st": { unit: "month", every: 1, day: 31 },
  "last Friday of a month": { unit: "weekdayOfMonth", week: -1, dayOfWeek: 5 },
  "last working day of a month": { unit: "lastWorkingDay" },
  "English quarter days": { unit: "quarterDay", days: "ENGLISH" },
};

/**
 * Calculates schedules of that frequency over twenty years, repeatedly. Returns dates per second.
 */
function measure(rhythm: Rhythm): number {
  const schedule: Schedule = {
    rhythm,
    firstDate: Temporal.PlainDate.from("2026-12-15"),
    recurringDate: null,
    numberOfPayments: 240,
    finalDate: null,
    amounts: { first: pound, recurring: pound, final: pound },
  };
  const started = performance.now();
  let after = { sequence: 1, date: schedule.firstDate };
  let latest = 0;
  for (let count = 0; count < each; count++) {
    const next = nextOccurrence(schedule, after);
    after = next ?? { sequence: 1, date: schedule.firstDate };
    latest = Math.max(latest, processingInstant(after.date).epochMilliseconds);
  }
  if (latest === 0) throw new Error("no date was found");
  return each / ((performance.now() - started) / 1000);
}

let slowest = Number.POSITIVE_INFINITY;
for (const [name, rhythm] of Object.entries(rhythms)) {
  measure(rhythm); // compiled by then
  const rate = median(Array.from({ length: rounds }, () => measure(rhythm)));
  show(`next date, ${name}`, `${Math.round(rate)}/s`);
  slowest = Math.min(slowest, rate);
}
conclude({
  name: "next dates per second, slowest schedule",
  value: slowest,
  unit: "/s",
  aim: "aim: far more than orders are executed",
});

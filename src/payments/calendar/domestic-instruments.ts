import { bankDate, processingInstant } from "./timing.ts";
import { type Holidays, nextWorkingDay, workingDayFrom } from "./working-days.ts";

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

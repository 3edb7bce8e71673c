import type { Config } from "#src/config/config.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import {
  bankDate,
  bankZone,
  type Dated,
  type Holidays,
  hasCome,
  holidaysOf,
  isAtOnce,
  nextWorkingDay,
  processingInstant,
  type Timing,
} from "./timing.ts";

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
  const time = hasCutOff ? valueFor(id, config.CUT_OFF_TIME ?? "none") : "none";
  return {
    time: time === "none" ? null : Temporal.PlainTime.from(time),
    strategy: valueFor(id, config.CUT_OFF_STRATEGY) === "reject" ? "reject" : "accept",
    holidays: holidaysOf(config),
  };
}

/** The value of a setting for a kind, or otherwise the value for all kinds. */
function valueFor(kindId: KindId, text: string): string {
  const entries = text.split(",").map((entry) => entry.trim());
  const own = entries.find((entry) => entry.startsWith(`${kindId}=`));
  return own?.slice(kindId.length + 1) ?? entries.find((entry) => !entry.includes("=")) ?? "none";
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

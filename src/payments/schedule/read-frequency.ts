import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import {
  type Frequency,
  type FrequencyCode,
  frequencyCodes,
  isV3Frequency,
  type QuarterDays,
} from "#src/standard/shared/v4/frequency.ts";

/** The fault of a refused frequency: the wrong member, and what is wrong with it. */
export type FrequencyFault = {
  member: "Type" | "CountPerPeriod" | "PointInTime";
  code: "U002" | "U005" | "U025";
  message: string;
};

/** The rhythm of a frequency, or the fault because of which it has none. */
export type ReadFrequency = { rhythm: Rhythm } | { fault: FrequencyFault };

/** The further facts on which reading a frequency depends. */
export type FrequencyContext = {
  /** The date from which the rhythm starts. It gives the day if the frequency leaves it open. */
  anchor: Temporal.PlainDate;
  /** Whether orders may be set up with the patterns of v3. Source: D-401-46. */
  v3Patterns: boolean;
};

/** The length of a period, and the way in which its days are counted. */
type Period =
  | { unit: "day" | "week" | "month"; every: number }
  | { unit: "workingDay" | "lastWorkingDay" | "lastWeekday" };

// ALMH and TWMH both mean every second month. Source: OBFrequency6Code, D-401-47.
const periods: Partial<Record<FrequencyCode, Period>> = {
  DAIL: { unit: "day", every: 1 },
  WODL: { unit: "workingDay" },
  WEEK: { unit: "week", every: 1 },
  FRTN: { unit: "week", every: 2 },
  FOWK: { unit: "week", every: 4 },
  MNTH: { unit: "month", every: 1 },
  TWMH: { unit: "month", every: 2 },
  ALMH: { unit: "month", every: 2 },
  QURT: { unit: "month", every: 3 },
  FOMH: { unit: "month", every: 4 },
  FIMH: { unit: "month", every: 5 },
  MIAN: { unit: "month", every: 6 },
  YEAR: { unit: "month", every: 12 },
  TWYR: { unit: "month", every: 24 },
  LWMH: { unit: "lastWorkingDay" },
  LXMH: { unit: "lastWeekday" },
};

/** The codes with which orders can be set up: those that define dates. Source: P-136. */
export const offeredCodes: readonly FrequencyCode[] = frequencyCodes.filter(
  (code) => periods[code] !== undefined,
);

/**
 * Reads a frequency. Without PointInTime, the day is that of the anchor. CountPerPeriod asks for
 * that number of payments per period at even intervals. Returns U025 if the bank does not offer the
 * frequency, U005 for members that exclude each other, U002 for an invalid number.
 */
export function readFrequency(given: Frequency, context: FrequencyContext): ReadFrequency {
  const { Type, CountPerPeriod, PointInTime } = given;
  const period = (periods as Partial<Record<string, Period>>)[Type];
  if (!period) {
    if (!isV3Frequency(Type))
      return fault("Type", "U025", `Type must be one of ${offeredCodes.join(", ")}.`);
    return readV3(given, context);
  }
  if (CountPerPeriod !== undefined && PointInTime !== undefined) {
    const message = "Send CountPerPeriod or PointInTime, not both.";
    return fault("PointInTime", "U005", message);
  }
  if (CountPerPeriod !== undefined) return readCount(period, CountPerPeriod, context.anchor);
  if (PointInTime !== undefined) return readPoint(period, PointInTime);
  return { rhythm: rhythmOf(period, context.anchor) };
}

const fault = (
  member: FrequencyFault["member"],
  code: FrequencyFault["code"],
  message: string,
): ReadFrequency => ({ fault: { member, code, message } });

function rhythmOf(period: Period, anchor: Temporal.PlainDate): Rhythm {
  switch (period.unit) {
    case "day":
      return { unit: "day", every: period.every };
    case "week":
      return { unit: "week", every: period.every, dayOfWeek: anchor.dayOfWeek };
    case "month":
      return { unit: "month", every: period.every, day: anchor.day };
    case "lastWeekday":
      return { unit: "weekdayOfMonth", week: -1, dayOfWeek: anchor.dayOfWeek };
    case "workingDay":
    case "lastWorkingDay":
      return { unit: period.unit };
  }
}

/**
 * Several payments per period: possible if the number divides the period into whole months, weeks
 * or days.
 */
function readCount(period: Period, count: number, anchor: Temporal.PlainDate): ReadFrequency {
  const member = "CountPerPeriod";
  if (count < 1) return fault(member, "U002", "CountPerPeriod must be at least 1.");
  if (count === 1) return { rhythm: rhythmOf(period, anchor) };
  const parts = "every" in period ? divide(period, count) : null;
  if (parts) return { rhythm: rhythmOf(parts, anchor) };
  const message =
    "CountPerPeriod must divide the period into equal parts of whole days, weeks or months.";
  return fault(member, "U025", message);
}

// The intervals of months that account information can express too. Source: A-161.
const monthIntervals = [1, 2, 3, 4, 5, 6, 12, 24];

function divide({ unit, every }: { unit: string; every: number }, count: number): Period | null {
  const share = every / count;
  if (unit === "month") return monthIntervals.includes(share) ? { unit, every: share } : null;
  if (unit !== "week") return null;
  if (Number.isInteger(share)) return { unit, every: share };
  return Number.isInteger(share * 7) ? { unit: "day", every: share * 7 } : null;
}

/** The day within a period. Source: D-401-48. */
function readPoint(period: Period, text: string): ReadFrequency {
  const member = "PointInTime";
  const point = /^(-?[1-9]|0[1-9]|[12]\d|3[01])$/.test(text) ? Number(text) : null;
  if (point === null) return fault(member, "U002", "PointInTime must be 01 to 31, or -1 to -5.");
  const outOf = (range: string) =>
    fault(member, "U025", `With this Type, PointInTime must be ${range}.`);
  switch (period.unit) {
    case "day":
      return point >= 1 ? { rhythm: { unit: "day", every: point } } : outOf("01 to 31");
    case "week":
    case "lastWeekday": {
      if (point < 1 || point > 7) return outOf("1 (Monday) to 7");
      if (period.unit === "week") return { rhythm: { ...period, unit: "week", dayOfWeek: point } };
      return { rhythm: { unit: "weekdayOfMonth", week: -1, dayOfWeek: point } };
    }
    case "month":
      if (point < -5) return outOf("01 to 31, or -1 to -5");
      return { rhythm: { unit: "month", every: period.every, day: point } };
    case "lastWorkingDay":
      return point === -1 ? { rhythm: { unit: period.unit } } : outOf("-1");
    default:
      return fault(member, "U025", "This Type already defines the day: leave PointInTime out.");
  }
}

function readV3(given: Frequency, { v3Patterns }: FrequencyContext): ReadFrequency {
  if (!v3Patterns) {
    const message = `New orders must not use a v3 frequency. Send one of ${offeredCodes.join(", ")}.`;
    return fault("Type", "U025", message);
  }
  for (const member of ["CountPerPeriod", "PointInTime"] as const) {
    if (given[member] === undefined) continue;
    return fault(member, "U005", "A v3 frequency is complete by itself: leave this field out.");
  }
  const [name, first = "", second = ""] = given.Type.split(":");
  switch (name) {
    case "EvryDay":
      return { rhythm: { unit: "day", every: 1 } };
    case "EvryWorkgDay":
      return { rhythm: { unit: "workingDay" } };
    case "IntrvlDay":
      return { rhythm: { unit: "day", every: Number(first) } };
    case "IntrvlWkDay":
      return { rhythm: { unit: "week", every: Number(first), dayOfWeek: Number(second) } };
    case "WkInMnthDay":
      return { rhythm: { unit: "weekdayOfMonth", week: Number(first), dayOfWeek: Number(second) } };
    case "IntrvlMnthDay":
      return { rhythm: { unit: "month", every: Number(first), day: Number(second) } };
    case "QtrDay":
      // safe: the pattern allows only these three
      return { rhythm: { unit: "quarterDay", days: first as QuarterDays } };
    default:
      return fault("Type", "U025", "A standing order must have a known frequency.");
  }
}

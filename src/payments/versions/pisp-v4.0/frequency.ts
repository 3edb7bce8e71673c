import { readV3Frequency } from "#src/payments/formats/v3-frequency.ts";
import type { FrequencyFault, RequestedFrequency } from "#src/payments/request/payment-request.ts";
import { numberAt, textAt } from "#src/payments/request/read-request.ts";
import type { OpenRhythm } from "#src/standard/shared/rhythm.ts";
import {
  type FrequencyCode,
  frequencyCodes,
  isFrequencyType,
  isV3Frequency,
} from "#src/standard/shared/v4/frequency.ts";

const weeks = (every: number): OpenRhythm => ({ unit: "week", every, dayOfWeek: null });
const months = (every: number): OpenRhythm => ({ unit: "month", every, day: null });

// ALMH and TWMH both mean every second month. Source: OBFrequency6Code, D-401-47.
const periods: Partial<Record<string, OpenRhythm>> = {
  DAIL: { unit: "day", every: 1 },
  WODL: { unit: "workingDay" },
  WEEK: weeks(1),
  FRTN: weeks(2),
  FOWK: weeks(4),
  MNTH: months(1),
  TWMH: months(2),
  ALMH: months(2),
  QURT: months(3),
  FOMH: months(4),
  FIMH: months(5),
  MIAN: months(6),
  YEAR: months(12),
  TWYR: months(24),
  LWMH: { unit: "lastWorkingDay" },
  LXMH: { unit: "weekdayOfMonth", week: -1, dayOfWeek: null },
} satisfies Partial<Record<FrequencyCode, OpenRhythm>>;

/** The codes with which orders can be set up: those that define dates. Source: P-136. */
export const offeredCodes: readonly FrequencyCode[] = frequencyCodes.filter(
  (code) => periods[code] !== undefined,
);

/** The members of a frequency. */
export const frequencyMembers = {
  type: "Type",
  perPeriod: "CountPerPeriod",
  pointInTime: "PointInTime",
} as const;

/**
 * Reads a frequency of v4.0: a code, or a pattern of v3. Without PointInTime, the day stays open.
 * CountPerPeriod asks for that number of payments per period at even intervals. The fault is U025
 * if the bank does not offer the frequency, U005 for members that exclude each other, and U002 for
 * an invalid number. Returns null if there is no frequency, or a Type that the schema refuses.
 */
export function readFrequency(given: unknown): RequestedFrequency | null {
  const type = textAt(given, frequencyMembers.type);
  if (type === undefined || !isFrequencyType(type)) return null;
  const count = numberAt(given, frequencyMembers.perPeriod);
  const point = textAt(given, frequencyMembers.pointInTime);
  const hasCount = count !== undefined;
  if (isV3Frequency(type)) {
    return { read: readV3(type, count, point), superseded: v3Refused, hasCount };
  }
  return { read: readCode(type, count, point), superseded: null, hasCount };
}

type Read = RequestedFrequency["read"];

const fault = (
  member: FrequencyFault["member"],
  code: FrequencyFault["code"],
  message: string,
): { fault: FrequencyFault } => ({ fault: { member, code, message } });

const { fault: v3Refused } = fault(
  "frequency.type",
  "U025",
  `New orders must not use a v3 frequency. Send one of ${offeredCodes.join(", ")}.`,
);

function readCode(type: string, count: number | undefined, point: string | undefined): Read {
  const period = periods[type];
  if (!period) {
    return fault("frequency.type", "U025", `Type must be one of ${offeredCodes.join(", ")}.`);
  }
  if (count !== undefined && point !== undefined) {
    const message = "Send CountPerPeriod or PointInTime, not both.";
    return fault("frequency.pointInTime", "U005", message);
  }
  if (count !== undefined) return readCount(period, count);
  return point === undefined ? { rhythm: period } : readPoint(period, point);
}

/**
 * Several payments per period: possible if the number divides the period into whole months, weeks
 * or days.
 */
function readCount(period: OpenRhythm, count: number): Read {
  const member = "frequency.perPeriod";
  if (count < 1) return fault(member, "U002", "CountPerPeriod must be at least 1.");
  if (count === 1) return { rhythm: period };
  const rhythm = divide(period, count);
  if (rhythm) return { rhythm };
  const message =
    "CountPerPeriod must divide the period into equal parts of whole days, weeks or months.";
  return fault(member, "U025", message);
}

// The intervals of months that account information can express too. Source: A-161.
const monthIntervals = [1, 2, 3, 4, 5, 6, 12, 24];

function divide(period: OpenRhythm, count: number): OpenRhythm | null {
  if (period.unit !== "month" && period.unit !== "week") return null;
  const share = period.every / count;
  if (period.unit === "month") return monthIntervals.includes(share) ? months(share) : null;
  if (Number.isInteger(share)) return weeks(share);
  return Number.isInteger(share * 7) ? { unit: "day", every: share * 7 } : null;
}

/** The day within a period. Source: D-401-48. */
function readPoint(period: OpenRhythm, text: string): Read {
  const member = "frequency.pointInTime";
  const point = /^(-?[1-9]|0[1-9]|[12]\d|3[01])$/.test(text) ? Number(text) : null;
  if (point === null) return fault(member, "U002", "PointInTime must be 01 to 31, or -1 to -5.");
  const outOf = (range: string) =>
    fault(member, "U025", `With this Type, PointInTime must be ${range}.`);
  switch (period.unit) {
    case "day":
      return point >= 1 ? { rhythm: { unit: "day", every: point } } : outOf("01 to 31");
    case "week":
    case "weekdayOfMonth":
      if (point < 1 || point > 7) return outOf("1 (Monday) to 7");
      return { rhythm: { ...period, dayOfWeek: point } };
    case "month":
      if (point < -5) return outOf("01 to 31, or -1 to -5");
      return { rhythm: { ...period, day: point } };
    case "lastWorkingDay":
      return point === -1 ? { rhythm: period } : outOf("-1");
    default:
      return fault(member, "U025", "This Type already defines the day: leave PointInTime out.");
  }
}

/** A pattern of v3 names its day itself. */
function readV3(type: string, count: number | undefined, point: string | undefined): Read {
  const message = "A v3 frequency is complete by itself: leave this field out.";
  if (count !== undefined) return fault("frequency.perPeriod", "U005", message);
  if (point !== undefined) return fault("frequency.pointInTime", "U005", message);
  const rhythm = readV3Frequency(type);
  if (rhythm) return { rhythm };
  return fault("frequency.type", "U025", "A standing order must have a known frequency.");
}

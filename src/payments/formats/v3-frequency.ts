import type { QuarterDays, Rhythm } from "#src/standard/shared/rhythm.ts";

/**
 * Reads a pattern of v3, such as `IntrvlMnthDay:01:15`, which the schema has accepted. Returns null
 * for `NotKnown`. Source: E-047.
 */
export function readV3Frequency(pattern: string): Rhythm | null {
  const [name, first = "", second = ""] = pattern.split(":");
  switch (name) {
    case "EvryDay":
      return { unit: "day", every: 1 };
    case "EvryWorkgDay":
      return { unit: "workingDay" };
    case "IntrvlDay":
      return { unit: "day", every: Number(first) };
    case "IntrvlWkDay":
      return { unit: "week", every: Number(first), dayOfWeek: Number(second) };
    case "WkInMnthDay":
      return { unit: "weekdayOfMonth", week: Number(first), dayOfWeek: Number(second) };
    case "IntrvlMnthDay":
      return { unit: "month", every: Number(first), day: Number(second) };
    case "QtrDay":
      // safe: the pattern allows only these three
      return { unit: "quarterDay", days: first as QuarterDays };
    default:
      return null;
  }
}

import type { Rhythm } from "#src/standard/shared/rhythm.ts";

/**
 * Returns a schedule in the notation of account information v3.1: `IntrvlMnthDay:01:15`. v3 has no
 * pattern for the last working day of a month, so that becomes NotKnown. The last weekday of a
 * month becomes the weekday of its fifth week. Source: A-161, E-047.
 */
export function frequencyPattern(rhythm: Rhythm): string {
  switch (rhythm.unit) {
    case "day":
      return rhythm.every === 1 ? "EvryDay" : `IntrvlDay:${twoDigits(rhythm.every)}`;
    case "workingDay":
      return "EvryWorkgDay";
    case "week":
      return `IntrvlWkDay:${twoDigits(rhythm.every)}:${twoDigits(rhythm.dayOfWeek)}`;
    case "month":
      return `IntrvlMnthDay:${twoDigits(rhythm.every)}:${twoDigits(rhythm.day)}`;
    case "weekdayOfMonth": {
      const week = rhythm.week > 0 ? rhythm.week : 5;
      return `WkInMnthDay:${twoDigits(week)}:${twoDigits(rhythm.dayOfWeek)}`;
    }
    case "lastWorkingDay":
      return "NotKnown";
    case "quarterDay":
      return `QtrDay:${rhythm.days}`;
  }
}

const twoDigits = (value: number): string =>
  `${value < 0 ? "-" : ""}${Math.abs(value).toString().padStart(2, "0")}`;

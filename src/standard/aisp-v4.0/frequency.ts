import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { frequencyPattern } from "#src/standard/shared/v3/frequency-pattern.ts";
import type { Frequency, FrequencyCode } from "#src/standard/shared/v4/frequency.ts";

const weekCodes: Readonly<Record<number, FrequencyCode>> = { 1: "WEEK", 2: "FRTN", 4: "FOWK" };

const monthCodes: Readonly<Record<number, FrequencyCode>> = {
  1: "MNTH",
  2: "TWMH",
  3: "QURT",
  4: "FOMH",
  5: "FIMH",
  6: "MIAN",
  12: "YEAR",
  24: "TWYR",
};

/**
 * A rhythm in the words of Account Information v4.0: a code, with the day in PointInTime. A rhythm
 * without a code is shown as v3.1 writes it. Source: E-049, E-050.
 */
export function frequencyOf(rhythm: Rhythm): Frequency {
  switch (rhythm.unit) {
    case "day":
      if (rhythm.every === 1) return { Type: "DAIL" };
      return { Type: "DAIL", PointInTime: twoCharacters(rhythm.every) };
    case "workingDay":
      return { Type: "WODL" };
    case "week":
      return coded(weekCodes[rhythm.every], rhythm.dayOfWeek, rhythm);
    case "month":
      return coded(monthCodes[rhythm.every], rhythm.day, rhythm);
    case "weekdayOfMonth": {
      const isLast = rhythm.week < 0 || rhythm.week === 5;
      return coded(isLast ? "LXMH" : undefined, rhythm.dayOfWeek, rhythm);
    }
    case "lastWorkingDay":
      return { Type: "LWMH", PointInTime: "-1" };
    case "quarterDay":
      return { Type: frequencyPattern(rhythm) };
  }
}

const coded = (code: FrequencyCode | undefined, point: number, rhythm: Rhythm): Frequency =>
  code === undefined
    ? { Type: frequencyPattern(rhythm) }
    : { Type: code, PointInTime: twoCharacters(point) };

// the last days of a month are counted backwards: -1 to -5
const twoCharacters = (value: number): string => String(value).padStart(2, "0");

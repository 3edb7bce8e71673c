import Type, { type Static } from "typebox";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { oneOf, open, text } from "#src/standard/shared/schema.ts";

/**
 * How often a standing order pays. LWMH is the last working day of a month, LXMH its last given
 * weekday, TWYR every two years. Source: OBFrequency6Code, D-401-47.
 */
export const frequencyCodes = [
  "ADHO",
  "YEAR",
  "DAIL",
  "FRTN",
  "INDA",
  "MNTH",
  "QURT",
  "MIAN",
  "WEEK",
  "WODL",
  "FOWK",
  "TWMH",
  "FOMH",
  "FIMH",
  "ALMH",
  "NONE",
  "LWMH",
  "LXMH",
  "TWYR",
] as const;

/** One of the codes. */
export type FrequencyCode = (typeof frequencyCodes)[number];

/** A frequency as v3 writes it; v4.0 allows it beside the codes. Source: E-047, E-050. */
export const v3FrequencyPattern =
  "^(NotKnown)$|^(EvryDay)$|^(EvryWorkgDay)$|" +
  "^(IntrvlDay:((0[2-9])|([1-2][0-9])|3[0-1]))$|" +
  "^(IntrvlWkDay:0[1-9]:0[1-7])$|^(WkInMnthDay:0[1-5]:0[1-7])$|" +
  "^(IntrvlMnthDay:(0[1-6]|12|24):(-0[1-5]|0[1-9]|[12][0-9]|3[01]))$|" +
  "^(QtrDay:(ENGLISH|SCOTTISH|RECEIVED))$";

const v3Frequency = new RegExp(v3FrequencyPattern);

/** Whether a frequency is written as v3 wrote it. */
export const isV3Frequency = (type: string): boolean => v3Frequency.test(type);

/** Whether a text is a frequency at all, offered or not. Source: P-135. */
export const isFrequencyType = (type: string): boolean =>
  (frequencyCodes as readonly string[]).includes(type) || isV3Frequency(type);

const frequencyType = Type.Unsafe<string>({
  oneOf: [oneOf(frequencyCodes), Type.String({ pattern: v3FrequencyPattern })],
});

/** How often, and on which day of the period or how often in it. Source: OBFrequency6. */
export const frequency = open(
  {
    Type: frequencyType,
    CountPerPeriod: Type.Optional(Type.Integer({ format: "int32" })),
    PointInTime: Type.Optional(Type.String({ maxLength: 2 })),
  },
  { title: "OBFrequency6" },
);

/** A frequency as a TPP sends it. */
export type Frequency = Static<typeof frequency>;

/** A sequence's length is a text. Source: D-401-49. */
export const numberOfPayments = text(35);

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
 * A rhythm as a code, with the day in PointInTime; null if it has no code. Source: E-049, E-050.
 */
export function codedFrequency(rhythm: Rhythm): Frequency | null {
  switch (rhythm.unit) {
    case "day":
      return rhythm.every === 1 ? { Type: "DAIL" } : coded("DAIL", rhythm.every);
    case "workingDay":
      return { Type: "WODL" };
    case "week":
      return coded(weekCodes[rhythm.every], rhythm.dayOfWeek);
    case "month":
      return coded(monthCodes[rhythm.every], rhythm.day);
    case "weekdayOfMonth": {
      const isLast = rhythm.week < 0 || rhythm.week === 5;
      return coded(isLast ? "LXMH" : undefined, rhythm.dayOfWeek);
    }
    case "lastWorkingDay":
      return coded("LWMH", -1);
    case "quarterDay":
      return null;
  }
}

// the last days of a month are counted backwards: -1 to -5
const coded = (code: FrequencyCode | undefined, point: number): Frequency | null =>
  code === undefined ? null : { Type: code, PointInTime: String(point).padStart(2, "0") };

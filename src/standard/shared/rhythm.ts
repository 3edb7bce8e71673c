/**
 * The frequency of a standing order with every day named. The next date never depends on the date
 * of the request, so dates do not drift.
 */
export type Rhythm =
  | { unit: "day"; every: number }
  | { unit: "workingDay" }
  /** `dayOfWeek`: 1 is Monday. */
  | { unit: "week"; every: number; dayOfWeek: number }
  /** `day`: 1 to 31, or the last of a shorter month; -1 is the last day, -2 the one before. */
  | { unit: "month"; every: number; day: number }
  /** `week`: 1 to 5, counted by that weekday; -1 and a fifth that a month lacks are its last. */
  | { unit: "weekdayOfMonth"; week: number; dayOfWeek: number }
  | { unit: "lastWorkingDay" }
  | { unit: "quarterDay"; days: QuarterDays };

type Opened<Member> = {
  [Name in keyof Member]: Name extends "day" | "dayOfWeek" ? Member[Name] | null : Member[Name];
};

/** A rhythm whose day may be null: the date from which the rhythm starts then gives the day. */
export type OpenRhythm = Opened<Rhythm>;

/** Whose quarter days. */
export type QuarterDays = "ENGLISH" | "SCOTTISH" | "RECEIVED";

/**
 * The days of a year on which rents fall due, as [month, day]. Source: PISP profile,
 * OBMandateRelatedInformation1.
 */
export const quarterDays: Readonly<Record<QuarterDays, readonly (readonly [number, number])[]>> = {
  ENGLISH: [
    [3, 25],
    [6, 24],
    [9, 29],
    [12, 25],
  ],
  SCOTTISH: [
    [2, 2],
    [5, 15],
    [8, 1],
    [11, 11],
  ],
  RECEIVED: [
    [3, 20],
    [6, 19],
    [9, 24],
    [12, 20],
  ],
};

import { capitalised } from "#src/lib/plain-text.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import {
  dayText,
  endOfDay,
  includingDay,
  moneyText,
  monthText,
  weekdayText,
} from "#src/pages/wording.ts";
import { type Holidays, isWorkingDay, workingDayFrom } from "#src/payments/calendar/timing.ts";
import type { QuarterDays, Rhythm } from "#src/standard/shared/rhythm.ts";
import type { Schedule } from "./schedule.ts";

/** The amount that a schedule repeats, and how often: `£12.00 every Tuesday`. */
export function scheduleAmount(schedule: Schedule): string {
  const { amounts, numberOfPayments } = schedule;
  const { amountMinor, currency } = numberOfPayments === 1 ? amounts.first : amounts.recurring;
  const amount = moneyText(amountMinor, currency);
  return numberOfPayments === 1 ? amount : `${amount} ${frequencyText(schedule)}`;
}

/** The rows of a page that show when a schedule pays, and how much. */
export function scheduleRows(schedule: Schedule, holidays: Holidays): SummaryRow[] {
  const { amounts, firstDate, recurringDate } = schedule;
  const once = schedule.numberOfPayments === 1;
  const money = ({ amountMinor, currency }: typeof amounts.first): string =>
    moneyText(amountMinor, currency);
  const changes = amounts.recurring.amountMinor !== amounts.first.amountMinor;
  const rows = [
    {
      label: "First payment",
      value: `${money(amounts.first)} on ${weekdayText(workingDayFrom(firstDate, holidays))}`,
    },
    !once && {
      label: changes ? "After that" : "How often",
      value: changes
        ? `${money(amounts.recurring)} ${frequencyText(schedule)}`
        : capitalised(frequencyText(schedule)),
    },
    !once &&
      recurringDate && {
        label: "Second payment",
        value: `On ${weekdayText(workingDayFrom(recurringDate, holidays))}`,
      },
    amounts.final.amountMinor !== amounts.recurring.amountMinor && {
      label: "Last payment",
      value: money(amounts.final),
    },
    {
      label: "Ends",
      value: endsText(schedule, holidays),
    },
  ];
  return rows
    .filter((row) => typeof row === "object" && row !== null)
    .map((row) => ({ ...row, about: "when", confirmed: true }));
}

/** The amounts as lines of a list; none if each payment has the same amount. */
export function amountLines(schedule: Schedule, holidays: Holidays): string[] {
  const { first, recurring, final } = schedule.amounts;
  const isOne = [recurring, final].every(({ amountMinor }) => amountMinor === first.amountMinor);
  if (isOne) return [];
  const rows = scheduleRows(schedule, holidays).filter(({ label }) => label !== "Ends");
  return rows.map(({ label, value }) => `${label}: ${value}`);
}

/** How often and until when: `on the 26th of every month, until you cancel it`. */
export function repetitionText(schedule: Schedule, holidays: Holidays): string {
  const end = endText(schedule, holidays);
  return schedule.numberOfPayments === 1 ? end : `${frequencyText(schedule)}, ${end}`;
}

/** The end of a schedule: `12 payments`, `until you cancel it`, or what `includingDay` says. */
function endText({ numberOfPayments, finalDate }: Schedule, holidays: Holidays): string {
  if (numberOfPayments === 1) return "one payment";
  if (numberOfPayments !== null) return `${numberOfPayments} payments`;
  if (finalDate === null) return "until you cancel it";
  return includingDay(dayText(finalDate)) + movedText(finalDate, holidays);
}

/** The end as the value of a row: `After 12 payments`, `When you cancel it`, or `endOfDay`. */
function endsText(schedule: Schedule, holidays: Holidays): string {
  const { numberOfPayments, finalDate } = schedule;
  if (numberOfPayments !== null) return `After ${endText(schedule, holidays)}`;
  if (finalDate === null) return "When you cancel it";
  return endOfDay(weekdayText(finalDate)) + movedText(finalDate, holidays);
}

/** When the last payment is made, if the last day is no working day; empty for a working day. */
function movedText(finalDate: Temporal.PlainDate, holidays: Holidays): string {
  if (isWorkingDay(finalDate, holidays)) return "";
  return ` (a payment due by then is made by ${weekdayText(workingDayFrom(finalDate, holidays))})`;
}

/** How often a schedule pays: `on the 15th of every month`, `every 2 weeks on Friday`. */
export function frequencyText({ rhythm, firstDate, recurringDate }: Schedule): string {
  switch (rhythm.unit) {
    case "day":
      return rhythm.every === 1 ? "every day" : `every ${rhythm.every} days`;
    case "workingDay":
      return "every working day";
    case "week": {
      const day = weekdays[rhythm.dayOfWeek - 1];
      return rhythm.every === 1 ? `every ${day}` : `every ${rhythm.every} weeks on ${day}`;
    }
    case "month":
      return monthlyText(rhythm, recurringDate ?? firstDate);
    case "weekdayOfMonth": {
      const last = rhythm.week < 0 || rhythm.week === 5;
      const which = last ? "last" : ordinal(rhythm.week);
      return `on the ${which} ${weekdays[rhythm.dayOfWeek - 1]} of every month`;
    }
    case "lastWorkingDay":
      return "on the last working day of every month";
    case "quarterDay":
      return quarterDayText[rhythm.days];
  }
}

function monthlyText(
  { every, day }: Extract<Rhythm, { unit: "month" }>,
  anchor: Temporal.PlainDate,
): string {
  const month = monthText(anchor);
  const years = every === 12 ? "every year" : `every ${every / 12} years`;
  if (day < 0) {
    const which = `on ${fromTheEnd[-day - 1]}`;
    if (every === 1) return `${which} of every month`;
    return every % 12 === 0 ? `${years} ${which} of ${month}` : `every ${every} months ${which}`;
  }
  if (every % 12 === 0) return `${years} on ${day} ${month}`;
  const shorter = day > 28 ? ", or the last day of a shorter month" : "";
  return every === 1
    ? `on the ${ordinal(day)} of every month${shorter}`
    : `every ${every} months on the ${ordinal(day)}${shorter}`;
}

const fromTheEnd = [
  "the last day",
  "the last day but one",
  "the last day but two",
  "the last day but three",
  "the last day but four",
];

const quarterDayText: Record<QuarterDays, string> = {
  ENGLISH: "on the English quarter days (25 March, 24 June, 29 September and 25 December)",
  SCOTTISH: "on the Scottish quarter days (2 February, 15 May, 1 August and 11 November)",
  RECEIVED: "every quarter (on 20 March, 19 June, 24 September and 20 December)",
};

// 1 is Monday
const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const suffixes: Record<Intl.LDMLPluralRule, string> = {
  zero: "th",
  one: "st",
  two: "nd",
  few: "rd",
  many: "th",
  other: "th",
};
const ordinals = new Intl.PluralRules("en-GB", { type: "ordinal" });

const ordinal = (number: number): string => `${number}${suffixes[ordinals.select(number)]}`;

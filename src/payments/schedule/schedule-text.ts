import type { Money } from "#src/lib/money.ts";
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
import { type Holidays, workingDayFrom } from "#src/payments/calendar/timing.ts";
import type { QuarterDays, Rhythm } from "#src/standard/shared/rhythm.ts";
import { firstOccurrence, lastOccurrence, nextOccurrence, type Schedule } from "./schedule.ts";

/**
 * The amount that a schedule repeats, and how often: `£12.00 every Tuesday`. If it repeats none:
 * `£11.00`, or `£11.00 and then £13.00`.
 */
export function scheduleAmount(schedule: Schedule, holidays: Holidays): string {
  const { first, recurring, final } = schedule.amounts;
  const start = firstOccurrence(schedule, holidays);
  if (start === null || start.isLast) return amountText(first);
  const isLast = nextOccurrence(schedule, start, holidays)?.isLast ?? false;
  return isLast && hasOwnEnd(schedule)
    ? `${amountText(first)} and then ${amountText(final)}`
    : `${amountText(recurring)} ${frequencyText(schedule)}`;
}

/** Whether the last payment has an amount of its own. */
const hasOwnEnd = ({ amounts: { recurring, final } }: Schedule): boolean =>
  final.amountMinor !== recurring.amountMinor;

/**
 * The rows of a page that show when a schedule pays, and how much. `isDue`: the first payment is
 * made once others have approved the order, because its day has come.
 */
export function scheduleRows(schedule: Schedule, holidays: Holidays, isDue = false): SummaryRow[] {
  const end = endOf(schedule, holidays);
  return [
    ...amountRows(schedule, holidays, end, isDue),
    ...(end.count === 1 ? [] : movedRows(schedule)),
    confirmedRow("Ends", endsText(schedule, end), {
      payments: String(end.count),
      lastOn: String(end.last),
    }),
  ];
}

/** What is known of a schedule's end: the number of payments, and the day of the last one. */
type End = { count: number | null; last: Temporal.PlainDate | null };

function endOf(schedule: Schedule, holidays: Holidays): End {
  const found = lastOccurrence(schedule, holidays);
  return {
    count: found?.sequence ?? schedule.numberOfPayments,
    last: found && workingDayFrom(found.date, holidays),
  };
}

const amountText = ({ amountMinor, currency }: Money): string => moneyText(amountMinor, currency);

const confirmedRow = (
  label: string,
  value: string,
  facts: NonNullable<SummaryRow["facts"]> = {},
): SummaryRow => ({ label, value, about: "when", confirmed: true, facts });

function amountRows(
  schedule: Schedule,
  holidays: Holidays,
  { count, last }: End,
  isDue = false,
): SummaryRow[] {
  const { amounts, firstDate, recurringDate } = schedule;
  const { first, recurring, final } = amounts;
  const dayFor = (date: Temporal.PlainDate) => workingDayFrom(date, holidays);
  const paidOn = (date: Temporal.PlainDate): string => `on ${weekdayText(dayFor(date))}`;
  const when = isDue ? "once all have approved" : paidOn(firstDate);
  const start = confirmedRow("First payment", `${amountText(first)} ${when}`, {
    firstOn: isDue ? "approval" : dayFor(firstDate).toString(),
  });
  if (count === 1) return [start];
  const often = frequencyText(schedule);
  const ends = [
    ...(hasOwnEnd(schedule) ? [amountText(final)] : []),
    ...(last === null ? [] : [paidOn(last)]),
  ];
  if (count === 2 && hasOwnEnd(schedule)) {
    return [start, confirmedRow("Last payment", ends.join(" "))];
  }
  return [
    start,
    first.amountMinor === recurring.amountMinor
      ? confirmedRow("How often", capitalised(often))
      : confirmedRow("After that", `${amountText(recurring)} ${often}`),
    ...(recurringDate
      ? [
          confirmedRow("Second payment", capitalised(paidOn(recurringDate)), {
            secondOn: dayFor(recurringDate).toString(),
          }),
        ]
      : []),
    ...(ends.length > 0 ? [confirmedRow("Last payment", capitalised(ends.join(" ")))] : []),
  ];
}

/** What happens to a date that is not a working day, if the schedule can have one. */
const movedRows = ({ rhythm: { unit } }: Schedule): SummaryRow[] =>
  unit === "workingDay" || unit === "lastWorkingDay"
    ? []
    : [confirmedRow("Weekends and bank holidays", "Paid on the next working day")];

/** The amounts as lines of a list; none if each payment has the same amount. */
export function amountLines(schedule: Schedule, holidays: Holidays): string[] {
  const { first, recurring, final } = schedule.amounts;
  const isOne = [recurring, final].every(({ amountMinor }) => amountMinor === first.amountMinor);
  if (isOne) return [];
  const rows = amountRows(schedule, holidays, endOf(schedule, holidays));
  return rows.map(({ label, value }) => `${label}: ${value}`);
}

/** How often and until when: `on the 26th of every month, until you cancel it`. */
export function repetitionText(schedule: Schedule, holidays: Holidays): string {
  const end = endOf(schedule, holidays);
  const text = endText(schedule, end);
  return end.count === 1 ? text : `${frequencyText(schedule)}, ${text}`;
}

const paymentsText = (count: number): string => (count === 1 ? "one payment" : `${count} payments`);

/** The end of a schedule: `12 payments, the last on 4 May 2027`, or `until you cancel it`. */
function endText({ finalDate }: Schedule, { count, last }: End): string {
  if (count === null) {
    return finalDate === null ? "until you cancel it" : includingDay(dayText(finalDate));
  }
  const day = last === null || count === 1 ? "" : `, the last on ${dayText(last)}`;
  return paymentsText(count) + day;
}

/** The end as the value of a row: `After 12 payments`, `When you cancel it`, or `endOfDay`. */
function endsText({ finalDate }: Schedule, { count }: End): string {
  if (count !== null) return `After ${paymentsText(count)}`;
  return finalDate === null ? "When you cancel it" : endOfDay(weekdayText(finalDate));
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

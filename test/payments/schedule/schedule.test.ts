import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { holidaysOf, isWorkingDay, processingInstant } from "#src/payments/calendar/timing.ts";
import { dateFrom, nextDate } from "#src/payments/schedule/rhythm.ts";
import { lastOccurrence, nextOccurrence, type Schedule } from "#src/payments/schedule/schedule.ts";
import { fromScheduleRecord, toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import {
  frequencyText,
  scheduleAmount,
  scheduleRows,
} from "#src/payments/schedule/schedule-text.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { amounts, datesOf, type End, occurrencesOf, scheduleOf } from "./schedules.ts";

const monthly = { Type: "MNTH" };
const from = "2026-12-15";

test("a number of payments ends a schedule, and the last payment has the final amount", () => {
  const payments = occurrencesOf(scheduleOf(monthly, from, { NumberOfPayments: 3 }), 9);
  assert.deepEqual(
    payments.map(({ sequence, date, amount, isLast }) =>
      [sequence, date.toString(), amount.amountMinor, isLast].join(" "),
    ),
    ["1 2026-12-15 5000 false", "2 2027-01-15 6000 false", "3 2027-02-15 7000 true"],
  );
});

test("a final date ends a schedule on that date or on the last one before it", () => {
  const ends: [FinalPaymentDateTime: string, last: string][] = [
    ["2027-02-15T00:00:00Z", "2027-02-15"],
    ["2027-03-14T23:59:59+01:00", "2027-02-15"],
    ["2026-12-15T00:00:00Z", "2026-12-15"],
  ];
  for (const [FinalPaymentDateTime, last] of ends) {
    const payments = occurrencesOf(scheduleOf(monthly, from, { FinalPaymentDateTime }), 99);
    assert.equal(payments.at(-1)?.date.toString(), last);
    assert.deepEqual(
      payments.map(({ isLast }) => isLast),
      payments.map((_, index) => index === payments.length - 1),
    );
  }
});

test("a single payment has the first amount", () => {
  const [only, ...rest] = occurrencesOf(scheduleOf(monthly, from, { NumberOfPayments: 1 }), 9);
  assert.deepEqual([only?.amount, only?.isLast, rest], [amounts.first, true, []]);
});

test("an order without an end continues", () => {
  const payments = occurrencesOf(scheduleOf(monthly, from), 500);
  assert.equal(payments.length, 500);
  assert(payments.every(({ isLast }) => !isLast));
});

test("without a first date the bank starts on the first scheduled date that it can meet", () => {
  // submitted on a Friday, so Monday is the next processing date
  const friday = "2026-11-20T10:00:00Z";
  const starts: [PointInTime: string | null, Type: string, first: string][] = [
    [null, "MNTH", "2026-11-23"],
    ["23", "MNTH", "2026-11-23"],
    ["22", "MNTH", "2026-12-22"],
    ["-1", "MNTH", "2026-11-30"],
    ["1", "WEEK", "2026-11-23"],
    ["5", "FRTN", "2026-11-27"],
    [null, "LWMH", "2026-11-30"],
    [null, "WODL", "2026-11-23"],
    [null, "DAIL", "2026-11-23"],
    ["7", "LXMH", "2026-11-29"],
    [null, "QtrDay:ENGLISH", "2026-12-25"],
    [null, "WkInMnthDay:01:01", "2026-12-07"],
  ];
  for (const [PointInTime, Type, first] of starts) {
    const frequency = { Type, ...(PointInTime === null ? {} : { PointInTime }) };
    assert.equal(scheduleOf(frequency, "", {}, friday).firstDate.toString(), first, Type);
  }
});

test("a weekday before the next processing date means that day of the next week", () => {
  const start = Temporal.PlainDate.from("2026-11-26");
  const rhythm: Rhythm = { unit: "week", every: 4, dayOfWeek: 2 };
  assert.equal(dateFrom(rhythm, start).toString(), "2026-12-01");
});

test("a RecurringPaymentDateTime equal to the first date has no effect", () => {
  assert.deepEqual(datesOf(scheduleOf(monthly, `${from}/${from}`), 2), [from, "2027-01-15"]);
});

test("a holiday delays a payment and never the later dates", () => {
  // Christmas Day is a Friday, and Boxing Day is observed on Monday
  const schedule = scheduleOf({ Type: "WEEK" }, "2026-12-18");
  const executed = occurrencesOf(schedule, 4).map(({ date }) =>
    processingInstant(date).toString().slice(0, 10),
  );
  assert.deepEqual(datesOf(schedule, 4), ["2026-12-18", "2026-12-25", "2027-01-01", "2027-01-08"]);
  assert.deepEqual(executed, ["2026-12-18", "2026-12-29", "2027-01-04", "2027-01-08"]);
});

const day = fc
  .integer({ min: 0, max: 40 * 366 })
  .map((days) => Temporal.PlainDate.from("2024-01-01").add({ days }));
const dayOfWeek = fc.integer({ min: 1, max: 7 });
const rhythms: fc.Arbitrary<Rhythm> = fc.oneof(
  fc.record({ unit: fc.constant("day" as const), every: fc.integer({ min: 1, max: 31 }) }),
  fc.constant({ unit: "workingDay" as const }),
  fc.record({
    unit: fc.constant("week" as const),
    every: fc.integer({ min: 1, max: 9 }),
    dayOfWeek,
  }),
  fc.record({
    unit: fc.constant("month" as const),
    every: fc.constantFrom(1, 2, 3, 4, 5, 6, 12, 24),
    day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: -5, max: -1 })),
  }),
  fc.record({
    unit: fc.constant("weekdayOfMonth" as const),
    week: fc.constantFrom(1, 2, 3, 4, 5, -1),
    dayOfWeek,
  }),
  fc.constant({ unit: "lastWorkingDay" as const }),
  fc.record({
    unit: fc.constant("quarterDay" as const),
    days: fc.constantFrom("ENGLISH" as const, "SCOTTISH" as const, "RECEIVED" as const),
  }),
);

const monthsBetween = (a: Temporal.PlainDate, b: Temporal.PlainDate): number =>
  (b.year - a.year) * 12 + b.month - a.month;

test("dates never go backwards, repeat or skip a period, whatever the frequency", () => {
  fc.assert(
    fc.property(rhythms, day, (rhythm, start) => {
      let date = dateFrom(rhythm, start);
      assert(Temporal.PlainDate.compare(date, start) >= 0);
      for (let step = 0; step < 60; step++) {
        const next = nextDate(rhythm, date);
        const days = date.until(next).days;
        assert(days > 0, `${next} follows ${date}`);
        assertNoneSkipped(rhythm, date, next, days);
        date = next;
      }
    }),
    { numRuns: 300 },
  );
});

function assertNoneSkipped(
  rhythm: Rhythm,
  date: Temporal.PlainDate,
  next: Temporal.PlainDate,
  days: number,
): void {
  switch (rhythm.unit) {
    case "day":
      assert.equal(days, rhythm.every);
      return;
    case "week":
      assert.equal(next.dayOfWeek, rhythm.dayOfWeek);
      assert.equal(days, 7 * rhythm.every);
      return;
    case "month":
      assert.equal(monthsBetween(date, next), rhythm.every);
      return;
    case "weekdayOfMonth":
      assert.equal(next.dayOfWeek, rhythm.dayOfWeek);
      assert.equal(monthsBetween(date, next), 1);
      return;
    case "lastWorkingDay":
      assert(isWorkingDay(next));
      assert.equal(monthsBetween(date, next), 1);
      return;
    case "workingDay": {
      assert(isWorkingDay(next));
      for (let between = 1; between < days; between++) {
        assert(!isWorkingDay(date.add({ days: between })));
      }
      return;
    }
    case "quarterDay":
      assert(days >= 78 && days <= 107, `${days} days from ${date} to ${next}`);
      return;
  }
}

test("the next date depends only on the date before it", () => {
  fc.assert(
    fc.property(rhythms, day, fc.integer({ min: 1, max: 40 }), (rhythm, firstDate, skip) => {
      const schedule = endless(rhythm, firstDate);
      const all = occurrencesOf(schedule, skip + 3);
      const here = all[skip];
      assert(here);
      assert.deepEqual(nextOccurrence(schedule, here), all[skip + 1]);
      assert.equal(here.sequence, skip + 1);
    }),
    { numRuns: 100 },
  );
});

const endless = (rhythm: Rhythm, firstDate: Temporal.PlainDate): Schedule => ({
  rhythm,
  firstDate,
  recurringDate: null,
  numberOfPayments: null,
  finalDate: null,
  amounts,
});

test("a schedule is unchanged after it has been stored", () => {
  const ends: End[] = [{}, { NumberOfPayments: 7 }, { FinalPaymentDateTime: "2029-01-01" }];
  for (const end of ends) {
    const schedule = scheduleOf(monthly, `${from}/2027-01-31`, end);
    const stored = JSON.parse(JSON.stringify(toScheduleRecord(schedule)));
    assert.deepEqual(occurrencesOf(fromScheduleRecord(stored), 30), occurrencesOf(schedule, 30));
  }
});

const words: [Type: string, PointInTime: string | null, from: string, words: string][] = [
  ["DAIL", null, from, "every day"],
  ["DAIL", "10", from, "every 10 days"],
  ["WODL", null, from, "every working day"],
  ["WEEK", "3", from, "every Wednesday"],
  ["FRTN", null, from, "every 2 weeks on Tuesday"],
  ["FOWK", "7", from, "every 4 weeks on Sunday"],
  ["MNTH", "01", from, "on the 1st of every month"],
  ["MNTH", "22", from, "on the 22nd of every month"],
  ["MNTH", "31", from, "on the 31st of every month, or the last day of a shorter month"],
  ["MNTH", "-1", from, "on the last day of every month"],
  ["MNTH", "-3", from, "on the last day but two of every month"],
  ["QURT", null, from, "every 3 months on the 15th"],
  ["MIAN", "-1", from, "every 6 months on the last day"],
  ["YEAR", null, from, "every year on 15 December"],
  ["TWYR", null, `${from}/2027-02-01`, "every 2 years on 1 February"],
  ["YEAR", "-1", "2027-02-28", "every year on the last day of February"],
  ["LWMH", null, from, "on the last working day of every month"],
  ["LXMH", "5", from, "on the last Friday of every month"],
  ["WkInMnthDay:02:03", null, from, "on the 2nd Wednesday of every month"],
  ["WkInMnthDay:05:01", null, from, "on the last Monday of every month"],
  [
    "QtrDay:ENGLISH",
    null,
    from,
    "on the English quarter days (25 March, 24 June, 29 September and 25 December)",
  ],
];

for (const [Type, PointInTime, start, expected] of words) {
  test(`${Type} ${PointInTime ?? ""} is described as "${expected}"`, () => {
    const frequency = { Type, ...(PointInTime === null ? {} : { PointInTime }) };
    assert.equal(frequencyText(scheduleOf(frequency, start)), expected);
  });
}

const holidays = holidaysOf({});

// every row is about when the payments are made, and is confirmed with the code
const shownRows = (schedule: Parameters<typeof scheduleRows>[0]) =>
  scheduleRows(schedule, holidays).map(({ about, confirmed, facts, ...row }) => {
    assert.ok(facts);
    assert.deepEqual([about, confirmed], ["when", true]);
    return row;
  });

test("the consent page shows the first payment, the following ones and the end", () => {
  assert.deepEqual(shownRows(scheduleOf(monthly, from, { NumberOfPayments: 12 })), [
    { label: "First payment", value: "£50.00 on Tuesday 15 December 2026" },
    { label: "After that", value: "£60.00 on the 15th of every month" },
    { label: "Last payment", value: "£70.00 on Monday 15 November 2027" },
    weekends,
    { label: "Ends", value: "After 12 payments" },
  ]);
  const same = { ...scheduleOf(monthly, `${from}/2027-01-31`), amounts: equal };
  assert.deepEqual(shownRows(same), [
    { label: "First payment", value: "£50.00 on Tuesday 15 December 2026" },
    { label: "How often", value: "On the 31st of every month, or the last day of a shorter month" },
    { label: "Second payment", value: "On Monday 1 February 2027" },
    weekends,
    { label: "Ends", value: "When you cancel it" },
  ]);
  const weekly = scheduleOf({ Type: "WEEK" }, from, { FinalPaymentDateTime: "2027-06-15" });
  assert.deepEqual(shownRows({ ...weekly, amounts: equal }), [
    { label: "First payment", value: "£50.00 on Tuesday 15 December 2026" },
    { label: "How often", value: "Every Tuesday" },
    { label: "Last payment", value: "On Tuesday 15 June 2027" },
    weekends,
    { label: "Ends", value: "After 27 payments" },
  ]);
  const weekend = { FinalPaymentDateTime: "2027-01-16" };
  const saturdays = scheduleOf({ Type: "WEEK" }, "2027-01-09", weekend);
  assert.deepEqual(shownRows({ ...saturdays, amounts: equal }), [
    { label: "First payment", value: "£50.00 on Monday 11 January 2027" },
    { label: "How often", value: "Every Saturday" },
    { label: "Last payment", value: "On Monday 18 January 2027" },
    weekends,
    { label: "Ends", value: "After 2 payments" },
  ]);
  // the bank does not know the holidays of 2040 yet
  const far = scheduleOf(monthly, from, { FinalPaymentDateTime: "2040-06-16" });
  assert.deepEqual(shownRows({ ...far, amounts: equal }).slice(2), [
    weekends,
    { label: "Ends", value: "At the end of Saturday 16 June 2040" },
  ]);
  const many = scheduleOf(monthly, from, { NumberOfPayments: 300 });
  assert.deepEqual(shownRows({ ...many, amounts: equal }).slice(2), [
    weekends,
    { label: "Ends", value: "After 300 payments" },
  ]);
  const once = { ...scheduleOf(monthly, from, { NumberOfPayments: 1 }), amounts: equal };
  assert.deepEqual(shownRows(once), [
    { label: "First payment", value: "£50.00 on Tuesday 15 December 2026" },
    { label: "Ends", value: "After one payment" },
  ]);
  const byDate = scheduleOf(monthly, from, { FinalPaymentDateTime: "2027-01-14" });
  assert.deepEqual(shownRows(byDate), shownRows(once), "one payment, whatever says so");
  assert.equal(scheduleAmount(byDate, holidays), "£50.00");
});

test("two payments with amounts of their own repeat none", () => {
  const two = scheduleOf(monthly, from, { NumberOfPayments: 2 });
  assert.equal(scheduleAmount(two, holidays), "£50.00 and then £70.00");
  assert.deepEqual(shownRows(two), [
    { label: "First payment", value: "£50.00 on Tuesday 15 December 2026" },
    { label: "Last payment", value: "£70.00 on Friday 15 January 2027" },
    weekends,
    { label: "Ends", value: "After 2 payments" },
  ]);
  const three = scheduleOf(monthly, from, { NumberOfPayments: 3 });
  assert.equal(scheduleAmount(three, holidays), "£60.00 on the 15th of every month");
});

const weekends = { label: "Weekends and bank holidays", value: "Paid on the next working day" };

test("the last payment that pages name is the one that the engine plans as the last", () => {
  const end = fc.oneof(
    fc.record({ numberOfPayments: fc.integer({ min: 1, max: 60 }), finalDate: fc.constant(null) }),
    fc.record({ numberOfPayments: fc.constant(null), finalDate: day }),
  );
  let known = 0;
  fc.assert(
    fc.property(rhythms, day, end, (rhythm, start, ends) => {
      const firstDate = dateFrom(rhythm, start, holidays);
      const schedule = { ...endless(rhythm, firstDate), ...ends };
      const found = lastOccurrence(schedule, holidays);
      if (found === null) return;
      known += 1;
      const last = occurrencesOf(schedule, found.sequence + 1).at(-1);
      if (!last) return; // its end is before its first date, which no consent can say
      assert.deepEqual([found.sequence, found.date], [last.sequence, last.date]);
      assert(last.isLast);
    }),
    { numRuns: 100 },
  );
  assert.ok(known > 15, `${known} had a last day`);
});

const equal = { first: amounts.first, recurring: amounts.first, final: amounts.first };

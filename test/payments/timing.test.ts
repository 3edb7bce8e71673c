import assert from "node:assert/strict";
import { test } from "node:test";
import { isWorkingDay, processingInstant, workingDayFrom } from "#src/payments/calendar/timing.ts";

const date = Temporal.PlainDate.from;

test("weekends and bank holidays are not working days", () => {
  const cases: [day: string, next: string][] = [
    ["2026-11-20", "2026-11-20"],
    ["2026-11-21", "2026-11-23"],
    ["2026-12-25", "2026-12-29"],
    ["2027-01-01", "2027-01-04"],
    ["2027-03-26", "2027-03-30"],
    ["2027-12-25", "2027-12-29"],
    ["2028-01-01", "2028-01-04"],
    ["2029-08-27", "2029-08-28"],
  ];
  for (const [day, next] of cases) {
    assert.equal(workingDayFrom(date(day)).toString(), next);
    assert.equal(isWorkingDay(date(day)), day === next);
  }
});

test("every year of the holiday data has its eight bank holidays, on weekdays", () => {
  for (let year = 2025; year <= 2035; year++) {
    let holidays = 0;
    for (let day = date(`${year}-01-01`); day.year === year; day = day.add({ days: 1 })) {
      if (day.dayOfWeek <= 5 && !isWorkingDay(day)) holidays += 1;
    }
    assert.equal(holidays, 8, `${year}`);
  }
});

test("payments are processed at 06:00 London time, in summer and winter", () => {
  assert.equal(processingInstant(date("2027-01-12")).toString(), "2027-01-12T06:00:00Z");
  assert.equal(processingInstant(date("2027-07-12")).toString(), "2027-07-12T05:00:00Z");
});

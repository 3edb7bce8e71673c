import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { present } from "#src/lib/assert.ts";
import { type Day, dayIn, isoDay, toDay } from "#src/payments/calendar/timing.ts";
import {
  anchorOf,
  expiryOf,
  isPeriod,
  type LimitPeriod,
  type LimitWindow,
  type PeriodAlignment,
  type PeriodicLimit,
  type PeriodType,
  periodAlignments,
  periodOf,
  periodTypes,
  standingOn,
  startOf,
  windowsOf,
} from "#src/payments/limits/order-limits.ts";
import { listPeriods, type NaiveDay, shareOf, textOf } from "./naive-periods.ts";

// The calculation of limit periods: worked examples, and a comparison with a model that counts day
// by day.

const day = (text: string): Day => toDay(Temporal.PlainDate.from(text));
const londonDay = (text: string): Day => dayIn("Europe/London", Temporal.Instant.from(text));
const pence = (text: string) => BigInt(text.replace(".", ""));
const limitOf = (text: string): PeriodicLimit => {
  const [type, alignment, amount = "500.00"] = text.split(" ");
  return {
    type: type as PeriodType,
    alignment: alignment as PeriodAlignment,
    amountMinor: pence(amount),
  };
};
const textOfPeriod = ({ first, last, limitMinor }: LimitPeriod) =>
  `${isoDay(first)}..${isoDay(last)} ${limitMinor / 100n}.${String(limitMinor % 100n).padStart(2, "0")}`;

/** Lists the consecutive periods from the anchor on. */
function periodsFrom(limit: PeriodicLimit, anchor: string, count: number): string[] {
  const periods: string[] = [];
  let date = day(anchor);
  while (periods.length < count) {
    const period = periodOf(limit, day(anchor), date);
    periods.push(textOfPeriod(period));
    date = period.last + 1;
  }
  return periods;
}

const examples: [limit: string, anchor: string, periods: string[]][] = [
  ["Month Calendar 100.00", "2027-02-20", ["02-20..02-28 32.14", "03-01..03-31 100.00"]],
  ["Month Calendar 100.00", "2028-02-20", ["02-20..02-29 34.48", "03-01..03-31 100.00"]],
  ["Month Calendar 100.00", "2026-05-12", ["05-12..05-31 64.52", "06-01..06-30 100.00"]],
  ["Month Calendar 300.00", "2026-07-16", ["07-16..07-31 154.84", "08-01..08-31 300.00"]],
  ["Week Calendar 70.00", "2026-07-16", ["07-16..07-19 40.00", "07-20..07-26 70.00"]],
  ["Week Calendar 100.00", "2026-07-16", ["07-16..07-19 57.14", "07-20..07-26 100.00"]],
  ["Half-year Calendar 1000.00", "2026-03-10", ["03-10..06-30 624.31", "07-01..12-31 1000.00"]],
  [
    "Half-year Calendar 1000.00",
    "2026-10-01",
    ["10-01..12-31 500.00", "2027-01-01..2027-06-30 1000.00"],
  ],
  [
    "Year Calendar 1200.00",
    "2028-02-29",
    ["02-29..12-31 1006.56", "2029-01-01..2029-12-31 1200.00"],
  ],
  ["Month Calendar 0.01", "2026-05-30", ["05-30..05-31 0.00", "06-01..06-30 0.01"]],
  [
    "Month Consent 500.00",
    "2027-01-31",
    ["01-31..02-27 500.00", "02-28..03-30 500.00", "03-31..04-29 500.00", "04-30..05-30 500.00"],
  ],
  [
    "Half-year Consent 500.00",
    "2026-08-31",
    ["08-31..2027-02-27 500.00", "2027-02-28..2027-08-30 500.00", "2027-08-31..2028-02-28 500.00"],
  ],
  [
    "Year Consent 500.00",
    "2028-02-29",
    [
      "02-29..2029-02-27 500.00",
      "2029-02-28..2030-02-27 500.00",
      "2030-02-28..2031-02-27 500.00",
      "2031-02-28..2032-02-28 500.00",
      "2032-02-29..2033-02-27 500.00",
    ],
  ],
  [
    "Fortnight Consent 500.00",
    "2026-07-16",
    ["07-16..07-29 500.00", "07-30..08-12 500.00", "08-13..08-26 500.00"],
  ],
  // the examples on the standard's pages, in their latest correction
  ["Month Calendar 300.00", "2021-06-06", ["06-06..06-30 250.00"]],
  ["Year Calendar 500.00", "2021-06-05", ["06-05..12-31 287.67"]],
  ["Month Calendar 31.00", "2025-10-15", ["10-15..10-31 17.00"]],
];

for (const [limit, anchor, periods] of examples) {
  test(`${limit} from ${anchor} has the periods and limits of the worked example`, () => {
    const year = anchor.slice(0, 5);
    const whole = periods.map((text) =>
      text.replace(/(^|\.\.)(?=\d\d-)/g, (before) => before + year),
    );
    assert.deepEqual(periodsFrom(limitOf(limit), anchor, whole.length), whole);
  });
}

test("a calendar limit is not prorated if the consent begins on the first day of the period", () => {
  const starts = ["Day 2026-07-16", "Week 2026-07-20", "Month 2026-07-01", "Half-year 2026-07-01"];
  for (const [type, anchor = ""] of [...starts, "Year 2027-01-01"].map((text) => text.split(" "))) {
    const [first] = periodsFrom(limitOf(`${type} Calendar 99.99`), anchor, 1);
    assert.match(present(first, "a period"), new RegExp(`^${anchor}.* 99\\.99$`));
  }
});

const twenty = fc.integer({ min: 1, max: 28 });
const dayArbitrary = fc
  .record({
    year: fc.integer({ min: 1999, max: 2104 }),
    month: fc.integer({ min: 1, max: 12 }),
    // chooses the ends of months more often than by chance
    day: fc.oneof(twenty, fc.constantFrom(28, 29, 30, 31)),
  })
  .filter((given): given is NaiveDay => isDay(given));

function isDay(given: NaiveDay): boolean {
  try {
    return Temporal.PlainDate.from(given, { overflow: "reject" }).year === given.year;
  } catch {
    return false;
  }
}

const limitArbitrary = fc
  .record({
    type: fc.constantFrom(...periodTypes),
    alignment: fc.constantFrom(...periodAlignments),
    amountMinor: fc.bigInt({ min: 1n, max: 10n ** 15n }),
  })
  .filter(isPeriod);

const zones = [
  "Europe/London",
  "America/New_York",
  "Pacific/Apia",
  "Asia/Beirut",
  "Asia/Kathmandu",
];

test("periods and their limits match a model that counts day by day", () => {
  fc.assert(
    fc.property(
      limitArbitrary,
      dayArbitrary,
      fc.integer({ min: 0, max: 800 }),
      (limit, start, days) => {
        const anchor = day(textOf(start));
        const date = anchor + days;
        const text = isoDay(date);
        const periods = listPeriods(limit, start, text);
        const model = present(periods.at(-1), "the period of the date");
        assert(model.days.includes(text));
        const period = periodOf(limit, anchor, date);
        assert.equal(isoDay(period.first), model.days[0]);
        assert.equal(isoDay(period.last), model.days.at(-1));
        assert.equal(period.limitMinor, shareOf(limit.amountMinor, model.days.length, model.outOf));
      },
    ),
    { numRuns: 2000 },
  );
});

/** The date of an instant in a zone, calculated without the project's days. */
const dateIn = (zone: string, instant: Temporal.Instant): string =>
  instant.toZonedDateTimeISO(zone).toPlainDate().toString();

test("the day of an instant is its date in the zone, also when the clocks change", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones, "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe"),
      fc.integer({ min: -2_000_000_000, max: 4_700_000_000 }),
      fc.constantFrom(-1, 0, 1),
      (zone, seconds, nudge) => {
        const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000);
        const change = instant.toZonedDateTimeISO(zone).getTimeZoneTransition("next")?.toInstant();
        for (const at of [instant, ...(change ? [change.add({ nanoseconds: nudge })] : [])]) {
          assert.equal(isoDay(dayIn(zone, at)), dateIn(zone, at), `${at} in ${zone}`);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

/** When a window starts and ends. */
const instantsOf = ({ first, last }: LimitWindow, zone: string) => ({
  startsAt: startOf(zone, first),
  endsAt: startOf(zone, last + 1),
});

test("a window contains every instant of its period's days in its zone, and no other instant", () => {
  fc.assert(
    fc.property(
      limitArbitrary,
      dayArbitrary,
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 500 * 86_400 }),
      fc.constantFrom(-3601, -1, 0, 1, 3601),
      (limit, start, zone, seconds, nudge) => {
        const anchor = day(textOf(start));
        const acceptedAt = startOf(zone, anchor).add({ seconds });
        const [window] = windowsOf([limit], { anchor, date: dayIn(zone, acceptedAt) });
        const { startsAt, endsAt } = instantsOf(present(window, "a window"), zone);
        const periods = listPeriods(limit, start, dateIn(zone, acceptedAt));
        const days = new Set(present(periods.at(-1), "the period").days);
        const isIn = (instant: Temporal.Instant) => days.has(dateIn(zone, instant));
        assert(isIn(acceptedAt) && isIn(startsAt));
        assert(!isIn(startsAt.subtract({ nanoseconds: 1 })) && !isIn(endsAt));
        assert(isIn(endsAt.subtract({ nanoseconds: 1 })));
        const near = acceptedAt.add({ seconds: nudge });
        const isWithin =
          Temporal.Instant.compare(near, startsAt) >= 0 &&
          Temporal.Instant.compare(near, endsAt) < 0;
        assert.equal(isWithin, isIn(near));
      },
    ),
    { numRuns: 1000 },
  );
});

test("in London, the days of the clock changes have 23 and 25 hours, and belong to their period", () => {
  const at = (text: string) =>
    windowsOf([limitOf("Day Calendar")], {
      anchor: day("2027-01-01"),
      date: londonDay(text),
    })
      .map((window) => instantsOf(window, "Europe/London"))
      .map(({ startsAt, endsAt }) => `${startsAt} ${endsAt}`);
  assert.deepEqual(at("2027-03-28T12:00:00Z"), ["2027-03-28T00:00:00Z 2027-03-28T23:00:00Z"]);
  assert.deepEqual(at("2027-10-31T12:00:00Z"), ["2027-10-30T23:00:00Z 2027-11-01T00:00:00Z"]);
  // late on a summer evening in UTC is the next day in London
  assert.deepEqual(at("2027-07-01T23:30:00Z"), ["2027-07-01T23:00:00Z 2027-07-02T23:00:00Z"]);
});

type Paid = { at: string; amountMinor: bigint; status: "ACCC" | "RJCT" };

/** The positions of the limits that a payment would exceed. */
function exceeded(limits: PeriodicLimit[], anchor: string, paid: Paid[], at: string, sum: string) {
  const date = londonDay(at);
  const windows = windowsOf(limits, { anchor: day(anchor), date });
  return windows
    .filter(({ first, last, limitMinor }) => {
      const used = paid
        .filter(({ status }) => status !== "RJCT")
        .filter(({ at: when }) => {
          const date = londonDay(when);
          return first <= date && date <= last;
        })
        .reduce((total, { amountMinor }) => total + amountMinor, 0n);
      return used + pence(sum) > limitMinor;
    })
    .map(({ position }) => position);
}

test("a payment must fit every limit, and a refused payment frees its amount in its period", () => {
  const limits = [limitOf("Week Consent 100.00"), limitOf("Month Calendar 300.00")];
  const paid: Paid[] = [];
  const pay = (at: string, sum: string): number[] => {
    const positions = exceeded(limits, "2026-07-16", paid, at, sum);
    if (positions.length === 0) paid.push({ at, amountMinor: pence(sum), status: "ACCC" });
    return positions;
  };
  assert.deepEqual(pay("2026-07-16T10:00:00Z", "80.00"), []);
  assert.deepEqual(pay("2026-07-18T10:00:00Z", "20.01"), [0]);
  assert.deepEqual(pay("2026-07-18T10:00:00Z", "20.00"), []);
  assert.deepEqual(pay("2026-07-23T10:00:00Z", "54.84"), []);
  assert.deepEqual(pay("2026-07-24T10:00:00Z", "0.01"), [1]);
  assert.deepEqual(pay("2026-07-24T10:00:00Z", "99.99"), [0, 1]);
  present(paid.at(-1), "the last payment").status = "RJCT";
  assert.deepEqual(pay("2026-07-25T10:00:00Z", "54.85"), [1]);
  assert.deepEqual(pay("2026-07-25T10:00:00Z", "54.84"), []);
  // in August the full monthly limit applies again, and the week began on 30 July
  assert.deepEqual(pay("2026-08-01T10:00:00Z", "100.01"), [0]);
  assert.deepEqual(pay("2026-08-01T10:00:00Z", "100.00"), []);
});

test("periods begin on the day a consent is valid from, or on the day it was created", () => {
  const created = day("2026-07-16");
  assert.equal(isoDay(anchorOf({ from: null }, created)), "2026-07-16");
  assert.equal(isoDay(anchorOf({ from: day("2026-08-01") }, created)), "2026-08-01");
  // even if a bank accepts dates in the past, nothing was paid before the consent was created
  assert.equal(isoDay(anchorOf({ from: day("2026-01-01") }, created)), "2026-07-16");
});

test("a consent is valid from the start of its first day to the end of its last day in London", () => {
  const oneDay = { from: day("2027-07-02"), to: day("2027-07-02") };
  const standing = (text: string) => standingOn(oneDay, londonDay(text));
  assert.equal(standing("2027-07-01T22:59:59Z"), "too early");
  assert.equal(standing("2027-07-01T23:00:00Z"), "valid");
  assert.equal(standing("2027-07-02T22:59:59Z"), "valid");
  assert.equal(standing("2027-07-02T23:00:00Z"), "over");
  assert.equal(String(expiryOf("Europe/London", oneDay)), "2027-07-02T23:00:00Z");
  assert.equal(standingOn({ from: null, to: null }, day("2099-01-01")), "valid");
  assert.equal(expiryOf("Europe/London", { to: null }), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { FrequencyFault, RequestedFrequency } from "#src/payments/request/payment-request.ts";
import { memberPaths } from "#src/payments/versions/pisp-v4.0/formats.ts";
import { offeredCodes, readFrequency } from "#src/payments/versions/pisp-v4.0/frequency.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { frequencyPattern } from "#src/standard/shared/v3/frequency-pattern.ts";
import { frequencyCodes } from "#src/standard/shared/v4/frequency.ts";
import { datesOf, scheduleOf } from "./schedules.ts";

type Case = {
  frequency: { Type: string; CountPerPeriod?: number; PointInTime?: string };
  /** The first date, and after `/` the date of the first recurring payment. */
  from: string;
  dates: string;
  /** The frequency in the format of account information v3.1. */
  pattern: string;
};

const of = (Type: string, rest: Omit<Case["frequency"], "Type"> = {}) => ({ Type, ...rest });

const cases: Case[] = [
  // daily
  {
    frequency: of("DAIL"),
    from: "2028-02-27",
    dates: "2028-02-27 2028-02-28 2028-02-29 2028-03-01",
    pattern: "EvryDay",
  },
  {
    frequency: of("DAIL", { PointInTime: "15" }),
    from: "2026-12-20",
    dates: "2026-12-20 2027-01-04 2027-01-19 2027-02-03",
    pattern: "IntrvlDay:15",
  },
  {
    frequency: of("IntrvlDay:31"),
    from: "2027-01-31",
    dates: "2027-01-31 2027-03-03 2027-04-03",
    pattern: "IntrvlDay:31",
  },
  {
    frequency: of("EvryDay"),
    from: "2026-12-31",
    dates: "2026-12-31 2027-01-01",
    pattern: "EvryDay",
  },
  // working days exclude weekends, Christmas, and Boxing Day, which is observed on Monday the 28th
  {
    frequency: of("WODL"),
    from: "2026-12-23",
    dates: "2026-12-23 2026-12-24 2026-12-29 2026-12-30 2026-12-31 2027-01-04",
    pattern: "EvryWorkgDay",
  },
  {
    frequency: of("EvryWorkgDay"),
    from: "2027-03-25",
    dates: "2027-03-25 2027-03-30 2027-03-31",
    pattern: "EvryWorkgDay",
  },
  // weekly
  {
    frequency: of("WEEK"),
    from: "2026-12-18",
    dates: "2026-12-18 2026-12-25 2027-01-01 2027-01-08",
    pattern: "IntrvlWkDay:01:05",
  },
  {
    frequency: of("WEEK", { PointInTime: "3" }),
    from: "2026-12-18",
    dates: "2026-12-18 2026-12-23 2026-12-30",
    pattern: "IntrvlWkDay:01:03",
  },
  {
    frequency: of("FRTN", { PointInTime: "07" }),
    from: "2027-02-01",
    dates: "2027-02-01 2027-02-21 2027-03-07",
    pattern: "IntrvlWkDay:02:07",
  },
  {
    frequency: of("FOWK"),
    from: "2027-12-06",
    dates: "2027-12-06 2028-01-03 2028-01-31 2028-02-28 2028-03-27",
    pattern: "IntrvlWkDay:04:01",
  },
  {
    frequency: of("IntrvlWkDay:09:02"),
    from: "2027-01-05",
    dates: "2027-01-05 2027-03-09 2027-05-11",
    pattern: "IntrvlWkDay:09:02",
  },
  // monthly: a date that a month lacks is its last day, and later months return to the date
  {
    frequency: of("MNTH"),
    from: "2027-01-31",
    dates: "2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31",
    pattern: "IntrvlMnthDay:01:31",
  },
  {
    frequency: of("MNTH"),
    from: "2028-01-30",
    dates: "2028-01-30 2028-02-29 2028-03-30",
    pattern: "IntrvlMnthDay:01:30",
  },
  {
    frequency: of("MNTH"),
    from: "2027-02-28",
    dates: "2027-02-28 2027-03-28 2027-04-28",
    pattern: "IntrvlMnthDay:01:28",
  },
  {
    frequency: of("MNTH", { PointInTime: "-1" }),
    from: "2028-01-31",
    dates: "2028-01-31 2028-02-29 2028-03-31 2028-04-30",
    pattern: "IntrvlMnthDay:01:-01",
  },
  {
    frequency: of("MNTH", { PointInTime: "-5" }),
    from: "2027-01-27",
    dates: "2027-01-27 2027-02-24 2027-03-27 2027-04-26",
    pattern: "IntrvlMnthDay:01:-05",
  },
  {
    frequency: of("MNTH", { PointInTime: "15" }),
    from: "2026-12-20",
    dates: "2026-12-20 2027-01-15 2027-02-15",
    pattern: "IntrvlMnthDay:01:15",
  },
  {
    frequency: of("MNTH", { PointInTime: "1" }),
    from: "2026-12-31/2027-02-01",
    dates: "2026-12-31 2027-02-01 2027-03-01",
    pattern: "IntrvlMnthDay:01:01",
  },
  {
    frequency: of("MNTH"),
    from: "2026-12-10/2027-01-31",
    dates: "2026-12-10 2027-01-31 2027-02-28 2027-03-31",
    pattern: "IntrvlMnthDay:01:31",
  },
  {
    frequency: of("TWMH"),
    from: "2026-12-31",
    dates: "2026-12-31 2027-02-28 2027-04-30 2027-06-30 2027-08-31",
    pattern: "IntrvlMnthDay:02:31",
  },
  {
    frequency: of("ALMH", { PointInTime: "05" }),
    from: "2027-01-05",
    dates: "2027-01-05 2027-03-05 2027-05-05",
    pattern: "IntrvlMnthDay:02:05",
  },
  {
    frequency: of("QURT"),
    from: "2026-11-30",
    dates: "2026-11-30 2027-02-28 2027-05-30 2027-08-30 2027-11-30 2028-02-29",
    pattern: "IntrvlMnthDay:03:30",
  },
  {
    frequency: of("QURT", { PointInTime: "-1" }),
    from: "2026-12-31",
    dates: "2026-12-31 2027-03-31 2027-06-30 2027-09-30",
    pattern: "IntrvlMnthDay:03:-01",
  },
  {
    frequency: of("FOMH"),
    from: "2026-10-31",
    dates: "2026-10-31 2027-02-28 2027-06-30 2027-10-31 2028-02-29",
    pattern: "IntrvlMnthDay:04:31",
  },
  {
    frequency: of("FIMH"),
    from: "2026-12-15",
    dates: "2026-12-15 2027-05-15 2027-10-15 2028-03-15",
    pattern: "IntrvlMnthDay:05:15",
  },
  {
    frequency: of("MIAN"),
    from: "2026-08-31",
    dates: "2026-08-31 2027-02-28 2027-08-31 2028-02-29",
    pattern: "IntrvlMnthDay:06:31",
  },
  {
    frequency: of("YEAR"),
    from: "2028-02-29",
    dates: "2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-02-29",
    pattern: "IntrvlMnthDay:12:29",
  },
  {
    frequency: of("TWYR"),
    from: "2028-02-29",
    dates: "2028-02-29 2030-02-28 2032-02-29 2034-02-28",
    pattern: "IntrvlMnthDay:24:29",
  },
  {
    frequency: of("IntrvlMnthDay:24:-01"),
    from: "2026-02-28",
    dates: "2026-02-28 2028-02-29 2030-02-28",
    pattern: "IntrvlMnthDay:24:-01",
  },
  // several payments per period, at even distances
  {
    frequency: of("YEAR", { CountPerPeriod: 4 }),
    from: "2026-12-01",
    dates: "2026-12-01 2027-03-01 2027-06-01",
    pattern: "IntrvlMnthDay:03:01",
  },
  {
    frequency: of("MNTH", { CountPerPeriod: 1 }),
    from: "2026-12-01",
    dates: "2026-12-01 2027-01-01",
    pattern: "IntrvlMnthDay:01:01",
  },
  {
    frequency: of("FRTN", { CountPerPeriod: 2 }),
    from: "2026-12-01",
    dates: "2026-12-01 2026-12-08 2026-12-15",
    pattern: "IntrvlWkDay:01:02",
  },
  {
    frequency: of("WEEK", { CountPerPeriod: 7 }),
    from: "2026-12-01",
    dates: "2026-12-01 2026-12-02 2026-12-03",
    pattern: "EvryDay",
  },
  // days of a month that depend on the calendar, such as its last working day
  {
    frequency: of("LWMH"),
    from: "2026-12-31",
    dates: "2026-12-31 2027-01-29 2027-02-26 2027-03-31 2027-04-30 2027-05-28",
    pattern: "NotKnown",
  },
  {
    frequency: of("LWMH", { PointInTime: "-1" }),
    from: "2026-12-31",
    dates: "2026-12-31 2027-01-29 2027-02-26",
    pattern: "NotKnown",
  },
  {
    frequency: of("LXMH", { PointInTime: "5" }),
    from: "2026-12-25",
    dates: "2026-12-25 2027-01-29 2027-02-26 2027-03-26 2027-04-30",
    pattern: "WkInMnthDay:05:05",
  },
  {
    frequency: of("LXMH"),
    from: "2027-01-25",
    dates: "2027-01-25 2027-02-22 2027-03-29",
    pattern: "WkInMnthDay:05:01",
  },
  {
    frequency: of("WkInMnthDay:02:03"),
    from: "2026-12-09",
    dates: "2026-12-09 2027-01-13 2027-02-10 2027-03-10",
    pattern: "WkInMnthDay:02:03",
  },
  {
    frequency: of("WkInMnthDay:05:07"),
    from: "2027-01-31",
    dates: "2027-01-31 2027-02-28 2027-03-28 2027-04-25 2027-05-30",
    pattern: "WkInMnthDay:05:07",
  },
  // quarter days
  {
    frequency: of("QtrDay:ENGLISH"),
    from: "2026-12-25",
    dates: "2026-12-25 2027-03-25 2027-06-24 2027-09-29 2027-12-25",
    pattern: "QtrDay:ENGLISH",
  },
  {
    frequency: of("QtrDay:SCOTTISH"),
    from: "2026-12-01",
    dates: "2026-12-01 2027-02-02 2027-05-15 2027-08-01 2027-11-11 2028-02-02",
    pattern: "QtrDay:SCOTTISH",
  },
  {
    frequency: of("QtrDay:RECEIVED"),
    from: "2026-12-20",
    dates: "2026-12-20 2027-03-20 2027-06-19 2027-09-24 2027-12-20",
    pattern: "QtrDay:RECEIVED",
  },
];

for (const { frequency, from, dates, pattern } of cases) {
  const rest = Object.values(frequency).slice(1).join(" ");
  test(`${frequency.Type} ${rest} from ${from} pays on its dates`, () => {
    const schedule = scheduleOf(frequency, from);
    assert.equal(datesOf(schedule, dates.split(" ").length).join(" "), dates);
    assert.equal(frequencyPattern(schedule.rhythm), pattern);
  });
}

test("P-136: exactly the frequency codes that define dates are offered", () => {
  const shown = cases.map(({ frequency }) => frequency.Type);
  for (const code of frequencyCodes) {
    const offered = !["ADHO", "INDA", "NONE"].includes(code);
    assert.equal(offeredCodes.includes(code), offered, code);
    assert.equal(shown.includes(code), offered, `${code} has a case`);
    assert.equal(faultOf(read({ Type: code })) === null, offered, code);
  }
});

const read = (frequency: Case["frequency"]): RequestedFrequency =>
  present(readFrequency(frequency), "a frequency of the schema");

/** The fault for a bank that accepts, or does not accept, the patterns of v3. */
function faultOf(
  { read: found, superseded }: RequestedFrequency,
  { v3Patterns } = { v3Patterns: false },
): FrequencyFault | null {
  if (superseded && !v3Patterns) return superseded;
  return "fault" in found ? found.fault : null;
}

type Refused = [frequency: Case["frequency"], code: string, member: string];

const refused: Refused[] = [
  ...["ADHO", "INDA", "NONE", "NotKnown", "EvryDay"].map(
    (Type): Refused => [of(Type), "U025", "Type"],
  ),
  [of("MNTH", { CountPerPeriod: 2, PointInTime: "15" }), "U005", "PointInTime"],
  [of("MNTH", { CountPerPeriod: 0 }), "U002", "CountPerPeriod"],
  [of("MNTH", { CountPerPeriod: -1 }), "U002", "CountPerPeriod"],
  [of("MNTH", { CountPerPeriod: 2 }), "U025", "CountPerPeriod"],
  [of("TWYR", { CountPerPeriod: 3 }), "U025", "CountPerPeriod"],
  [of("WEEK", { CountPerPeriod: 5 }), "U025", "CountPerPeriod"],
  [of("DAIL", { CountPerPeriod: 2 }), "U025", "CountPerPeriod"],
  [of("LWMH", { CountPerPeriod: 2 }), "U025", "CountPerPeriod"],
  ...["xx", "32", "0", "00", "-0", "", "+1", "1.", "--", " 1"].map(
    (PointInTime): Refused => [of("MNTH", { PointInTime }), "U002", "PointInTime"],
  ),
  ...["-6", "-9"].map(
    (PointInTime): Refused => [of("MNTH", { PointInTime }), "U025", "PointInTime"],
  ),
  [of("WEEK", { PointInTime: "8" }), "U025", "PointInTime"],
  [of("WEEK", { PointInTime: "-1" }), "U025", "PointInTime"],
  [of("LXMH", { PointInTime: "31" }), "U025", "PointInTime"],
  [of("DAIL", { PointInTime: "-1" }), "U025", "PointInTime"],
  [of("WODL", { PointInTime: "1" }), "U025", "PointInTime"],
  [of("LWMH", { PointInTime: "-2" }), "U025", "PointInTime"],
  [of("LWMH", { PointInTime: "31" }), "U025", "PointInTime"],
];

for (const [frequency, code, member] of refused) {
  test(`P-136, D-401-48: an invalid frequency, or one that is not offered, is refused at its member (${JSON.stringify(frequency)}, ${code}, ${member})`, () => {
    const fault = present(faultOf(read(frequency)), "the fault");
    assert.equal(fault.code, code);
    const path = memberPaths.domesticStandingOrder[fault.member];
    assert.equal(path, `Data.Initiation.MandateRelatedInformation.Frequency.${member}`);
  });
}

test("D-401-48: PointInTime of a month accepts the standard's values", () => {
  const texts = [
    ...Array.from({ length: 31 }, (_, index) => `${index + 1}`.padStart(2, "0")),
    ...Array.from({ length: 9 }, (_, index) => `${index + 1}`),
    ...["-1", "-2", "-3", "-4", "-5"],
  ];
  for (const PointInTime of texts) {
    const { read: found } = read(of("MNTH", { PointInTime }));
    assert.deepEqual(found, { rhythm: { unit: "month", every: 1, day: Number(PointInTime) } });
  }
});

test("D-401-46: a v3 frequency is accepted if the setting allows it, and excludes other members", () => {
  const allowed = { v3Patterns: true };
  const last = read(of("IntrvlMnthDay:01:-01"));
  assert.deepEqual(last.read, { rhythm: { unit: "month", every: 1, day: -1 } });
  assert.equal(faultOf(last, allowed), null);
  for (const rest of [{ CountPerPeriod: 1 }, { PointInTime: "01" }]) {
    assert.equal(faultOf(read(of("EvryDay", rest)), allowed)?.code, "U005");
  }
  assert.equal(faultOf(read(of("NotKnown")), allowed)?.code, "U025");
});

test("every schedule except the last working day of a month has a pattern in account information v3.1", () => {
  const rhythms: Rhythm[] = cases.map(({ frequency, from }) => scheduleOf(frequency, from).rhythm);
  const form =
    /^(EvryDay|EvryWorkgDay|IntrvlDay:(0[2-9]|[12]\d|3[01])|IntrvlWkDay:0[1-9]:0[1-7]|WkInMnthDay:0[1-5]:0[1-7]|IntrvlMnthDay:(0[1-6]|12|24):(-0[1-5]|0[1-9]|[12]\d|3[01])|QtrDay:(ENGLISH|SCOTTISH|RECEIVED))$/;
  for (const rhythm of rhythms) {
    const pattern = frequencyPattern(rhythm);
    if (rhythm.unit === "lastWorkingDay") assert.equal(pattern, "NotKnown");
    else assert.match(pattern, form);
  }
});

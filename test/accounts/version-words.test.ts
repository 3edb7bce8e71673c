import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { renderAddressV3, renderAgentV3 } from "#src/accounts/versions/aisp-v3.1/parts.ts";
import { renderAddressV4, renderAgentV4 } from "#src/accounts/versions/aisp-v4.0/parts.ts";
import { present } from "#src/lib/assert.ts";
import * as v3 from "#src/standard/aisp-v3.1/words.ts";
import { frequencyOf } from "#src/standard/aisp-v4.0/frequency.ts";
import * as v4 from "#src/standard/aisp-v4.0/words.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { frequencyPattern } from "#src/standard/shared/v3/frequency-pattern.ts";
import { addressTypeCodes } from "#src/standard/shared/v4/parties.ts";

// Facts in the codes of both versions, as the standard's own tables map them.

describe("frequency of a standing order", () => {
  const month = (every: number, day: number): Rhythm => ({ unit: "month", every, day });
  const week = (every: number, dayOfWeek: number): Rhythm => ({ unit: "week", every, dayOfWeek });
  const quarter = (days: "ENGLISH" | "RECEIVED" | "SCOTTISH"): Rhythm => ({
    unit: "quarterDay",
    days,
  });
  const rows: [Rhythm, pattern: string, code: string, point?: string][] = [
    [{ unit: "day", every: 1 }, "EvryDay", "DAIL"],
    [{ unit: "day", every: 10 }, "IntrvlDay:10", "DAIL", "10"],
    [{ unit: "workingDay" }, "EvryWorkgDay", "WODL"],
    [week(1, 3), "IntrvlWkDay:01:03", "WEEK", "03"],
    [week(2, 5), "IntrvlWkDay:02:05", "FRTN", "05"],
    [week(4, 1), "IntrvlWkDay:04:01", "FOWK", "01"],
    [week(3, 1), "IntrvlWkDay:03:01", "IntrvlWkDay:03:01"],
    [month(1, 15), "IntrvlMnthDay:01:15", "MNTH", "15"],
    [month(1, -1), "IntrvlMnthDay:01:-01", "MNTH", "-1"],
    [month(2, 1), "IntrvlMnthDay:02:01", "TWMH", "01"],
    [month(3, 1), "IntrvlMnthDay:03:01", "QURT", "01"],
    [month(4, 1), "IntrvlMnthDay:04:01", "FOMH", "01"],
    [month(5, 1), "IntrvlMnthDay:05:01", "FIMH", "01"],
    [month(6, 30), "IntrvlMnthDay:06:30", "MIAN", "30"],
    [month(12, 31), "IntrvlMnthDay:12:31", "YEAR", "31"],
    [month(24, 1), "IntrvlMnthDay:24:01", "TWYR", "01"],
    [{ unit: "weekdayOfMonth", week: 2, dayOfWeek: 4 }, "WkInMnthDay:02:04", "WkInMnthDay:02:04"],
    [{ unit: "weekdayOfMonth", week: -1, dayOfWeek: 5 }, "WkInMnthDay:05:05", "LXMH", "05"],
    [{ unit: "lastWorkingDay" }, "NotKnown", "LWMH", "-1"],
    [quarter("ENGLISH"), "QtrDay:ENGLISH", "QtrDay:ENGLISH"],
    [quarter("SCOTTISH"), "QtrDay:SCOTTISH", "QtrDay:SCOTTISH"],
    [quarter("RECEIVED"), "QtrDay:RECEIVED", "QtrDay:RECEIVED"],
  ];
  for (const [rhythm, pattern, code, point] of rows) {
    test(`E-047, E-049, E-050: each frequency has its pattern on v3.1 and its form on v4.0 (${pattern}, ${code}, ${point ?? ""})`, () => {
      assert.equal(frequencyPattern(rhythm), pattern);
      const expected = point === undefined ? { Type: code } : { Type: code, PointInTime: point };
      assert.deepEqual(frequencyOf(rhythm), expected);
    });
  }
});

test("E-026: a card is CARD on v4.0, and v3.1 keeps the kind of card", () => {
  for (const kind of ["ChargeCard", "CreditCard", "PrePaidCard"] as const) {
    assert.equal(v4.accountTypeCodes[kind], "CARD");
    assert.equal(v3.accountSubTypes[kind], kind);
  }
});

test("E-027: every kind of account has a code in both versions", () => {
  assert.deepEqual(Object.keys(v3.accountSubTypes).sort(), Object.keys(v4.accountTypeCodes).sort());
  // every code of v4.0 is used for some kind
  assert.equal(new Set(Object.values(v4.accountTypeCodes)).size, 25);
  assert.equal(v3.accountSubTypes.Salary, "CurrentAccount");
});

test("E-031, E-032: a cleared balance keeps its name on v3.1 and is INFO on v4.0", () => {
  for (const kind of ["ClosingCleared", "InterimCleared", "OpeningCleared"] as const) {
    assert.equal(v3.balanceTypes[kind], kind);
    assert.equal(v4.balanceTypeCodes[kind], "INFO");
  }
  assert.equal(new Set(Object.values(v4.balanceTypeCodes)).size, 10);
});

test("E-073: docs/account-data.md maps the codes of each version to those of the other", () => {
  type Words = Readonly<Record<string, string>>;
  const { Information: _, ...shownEntries } = v3.entryStatuses;
  const sets: [fact: string, older: Words, newer: Words][] = [
    ["kind of account", v3.accountSubTypes, v4.accountTypeCodes],
    ["type of balance", v3.balanceTypes, v4.balanceTypeCodes],
    ["kind of currency", v3.currencySubTypes, v4.currencySubTypeCodes],
    ["status of a transaction", shownEntries, v4.entryStatusCodes],
    ["state of a mandate", v3.mandateStatuses, v4.mandateStatusCodes],
    ["frequency of a direct debit", v3.collectionFrequencies, v4.collectionFrequencyCodes],
    ["kind of address", v3.addressTypes, addressTypeCodes],
  ];
  const pairs = sets.flatMap(([fact, older, newer]) =>
    Object.entries(older).map(([word, code]) => `${fact}: ${code}, ${newer[word]}`),
  );
  const page = readFileSync(new URL("../../docs/account-data.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| ([a-z ]+) \| `([\w.]+)` \| (.*) \|$/gm)].flatMap(
    ([, fact, code, codes = ""]) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, other]) => `${fact}: ${code}, ${other}`),
  );
  assert.deepEqual(listed.sort(), [...new Set(pairs)].sort());
});

test("E-073: docs/account-data.md maps the frequency of every standing order", () => {
  const page = readFileSync(new URL("../../docs/account-data.md", import.meta.url), "utf8");
  const cell = "((?:`[^`|]+`)?)";
  const line = new RegExp(`^\\| ${cell} \\| [^|]+ \\| ${cell} \\| ?${cell} \\|$`, "gm");
  const rows = [...page.matchAll(line)].map((match) =>
    match.slice(1).map((text) => text.replaceAll("`", "")),
  );
  const used = new Set<string>();
  for (const rhythm of everyRhythm()) {
    const pattern = frequencyPattern(rhythm);
    const row = present(
      rows.find(([template = ""]) => fits(template, pattern)),
      pattern,
    );
    used.add(row.join());
    const [template = "", type = "", point = ""] = row;
    const fill = (text: string) => filled(text, template, pattern);
    const newer = { Type: fill(type), ...(point ? { PointInTime: fill(point) } : {}) };
    assert.deepEqual(frequencyOf(rhythm), newer, pattern);
  }
  assert.deepEqual(
    rows.filter((row) => !used.has(row.join())),
    [],
  );
});

const placeholders: Readonly<Record<string, string>> = {
  NN: String.raw`\d\d`,
  DD: String.raw`-?\d\d`,
  "0D": "0[1-7]",
  "0W": "0[1-5]",
};
const placeholder = /\b(NN|DD|0D|0W)\b/g;

/** Matches a pattern with a template of the table. Its groups are the placeholders' values. */
const matched = (template: string, pattern: string) =>
  new RegExp(`^${template.replace(placeholder, (name) => `(${placeholders[name]})`)}$`).exec(
    pattern,
  );

const fits = (template: string, pattern: string): boolean => matched(template, pattern) !== null;

/** Replaces the placeholders of a text by the parts of a pattern. */
function filled(text: string, template: string, pattern: string): string {
  const names: string[] = template.match(placeholder) ?? [];
  const values = matched(template, pattern)?.slice(1) ?? [];
  const isPattern = text.includes(":");
  return text.replace(placeholder, (name) => {
    const value = values[names.indexOf(name)] ?? "";
    return isPattern ? value : value.replace(/^-0/, "-");
  });
}

/** Lists every schedule that a standing order can have. */
function everyRhythm(): Rhythm[] {
  const to = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
  const daysOfMonth = [...to(31), -1, -2, -3, -4, -5];
  const weeks = (week: number[], unit: "every" | "week") =>
    week.flatMap((n) =>
      to(7).map(
        (dayOfWeek): Rhythm =>
          unit === "every"
            ? { unit: "week", every: n, dayOfWeek }
            : { unit: "weekdayOfMonth", week: n, dayOfWeek },
      ),
    );
  return [
    ...to(31).map((every): Rhythm => ({ unit: "day", every })),
    { unit: "workingDay" },
    ...weeks(to(9), "every"),
    ...[1, 2, 3, 4, 5, 6, 12, 24].flatMap((every) =>
      daysOfMonth.map((day): Rhythm => ({ unit: "month", every, day })),
    ),
    ...weeks([...to(5), -1], "week"),
    { unit: "lastWorkingDay" },
    ...(["ENGLISH", "SCOTTISH", "RECEIVED"] as const).map(
      (days): Rhythm => ({ unit: "quarterDay", days }),
    ),
  ];
}

test("E-045: a mandate that no longer pays is Inactive on v3.1 and has its exact status on v4.0", () => {
  const shown = (["Active", "Cancelled", "Expired", "Suspended"] as const).map((state) => [
    v3.mandateStatuses[state],
    v4.mandateStatusCodes[state],
  ]);
  assert.deepEqual(shown, [
    ["Active", "ACTV"],
    ["Inactive", "CANC"],
    ["Inactive", "EXPI"],
    ["Inactive", "SUSP"],
  ]);
});

test("E-044: a direct debit of unknown frequency is NONE on v4.0", () => {
  assert.equal(v4.collectionFrequencyCodes.NotKnown, "NONE");
  assert.equal(v3.collectionFrequencies.NotKnown, "UK.OBIE.NotKnown");
});

describe("postal addresses", () => {
  const long =
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch Business Park North Gate";

  test("E-056: the parts of a building's address are lines on v3.1 and members on v4.0", () => {
    const address = {
      kind: "Business",
      department: "Accounts",
      room: "Room 3",
      floor: "2nd floor",
      buildingName: "Foundry House",
      buildingNumber: "7",
      streetName: "Foundry Yard",
      townName: "Leeds",
      postCode: "LS0 9DW",
      country: "GB",
    } as const;
    assert.deepEqual(renderAddressV3(address, 5), {
      AddressType: "Business",
      AddressLine: ["Accounts", "Room 3, 2nd floor", "Foundry House"],
      StreetName: "Foundry Yard",
      BuildingNumber: "7",
      PostCode: "LS0 9DW",
      TownName: "Leeds",
      Country: "GB",
    });
    assert.deepEqual(JSON.parse(JSON.stringify(renderAddressV4(address))), {
      AddressType: "BIZZ",
      Department: "Accounts",
      Room: "Room 3",
      Floor: "2nd floor",
      BuildingName: "Foundry House",
      BuildingNumber: "7",
      StreetName: "Foundry Yard",
      TownName: "Leeds",
      PostCode: "LS0 9DW",
      Country: "GB",
    });
  });

  test("E-057: a street or town too long for its v3.1 member becomes an address line of at most 70 characters", () => {
    const shown = renderAddressV3({ streetName: long, townName: long.slice(0, 58) }, 5);
    assert.deepEqual(shown, {
      AddressLine: [long.slice(0, 70), long.slice(0, 58)],
      Country: "GB",
    });
    assert.equal(renderAddressV4({ streetName: long }).StreetName, long);
  });

  test("E-058: an address without a country is in GB on v3.1 and has none on v4.0", () => {
    assert.equal(renderAddressV3({ townName: "York" }, 5).Country, "GB");
    assert.equal(renderAddressV4({ townName: "York" }).Country, undefined);
  });

  test("E-059: v3.1 shows at most five lines of a party's address, v4.0 all of them", () => {
    const lines = ["1", "2", "3", "4", "5", "6", "7"];
    assert.deepEqual(renderAddressV3({ lines }, 5).AddressLine, lines.slice(0, 5));
    assert.deepEqual(renderAddressV4({ lines }).AddressLine, lines);
  });
});

test("E-055: v3.1 names a creditor's bank by its BIC only, and v4.0 also by its name", () => {
  const agent = { bic: "ALDGGB2L", name: "Aldgate Bank" };
  const named = { SchemeName: "UK.OBIE.BICFI", Identification: "ALDGGB2L" };
  assert.deepEqual(renderAgentV3(agent), named);
  assert.deepEqual(renderAgentV4(agent), { ...named, Name: "Aldgate Bank" });
  assert.equal(renderAgentV4({ bic: null, name: "Aldgate Bank" }), undefined);
});

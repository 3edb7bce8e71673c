import assert from "node:assert/strict";
import { test } from "node:test";
import { endsText, endTexts } from "#src/pages/wording.ts";

// A customer must not have to guess whether the last day is included.

for (const [expiresAt, until, ends] of [
  ["2027-07-01T00:00:00+01:00", "up to and including 30 June 2027", "At the end of 30 June 2027"],
  ["2027-06-30T23:59:00+01:00", "up to and including 30 June 2027", "At the end of 30 June 2027"],
  [
    "2027-06-30T23:59:59.999+01:00",
    "up to and including 30 June 2027",
    "At the end of 30 June 2027",
  ],
  [
    "2027-01-01T00:00:00Z",
    "up to and including 31 December 2026",
    "At the end of 31 December 2026",
  ],
  ["2027-06-30T23:58:59+01:00", "until 30 June 2027 at 23:58", "On 30 June 2027 at 23:58"],
  ["2027-07-01T00:00:00.001+01:00", "until 1 July 2027 at 00:00", "On 1 July 2027 at 00:00"],
  ["2027-07-01T00:00:00Z", "until 1 July 2027 at 01:00", "On 1 July 2027 at 01:00"],
  [null, "until you cancel", "When you cancel it"],
] as const) {
  test(`what ends at ${expiresAt ?? "no time"} is possible ${until}`, () => {
    const instant = expiresAt === null ? null : Temporal.Instant.from(expiresAt);
    assert.deepEqual(endTexts(instant), { until, ends });
    assert.equal(endsText(until), ends);
  });
}

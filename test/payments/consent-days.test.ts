import assert from "node:assert/strict";
import { test } from "node:test";
import type { PaymentSummary } from "#src/pages/consent-summary.ts";
import { domesticConsent } from "./fixture.ts";
import { consentOf, current, fileTerms, kindOf, now } from "./paper-consents.ts";

// On which day a consent is paid, before and after a cut-off.

test("the consent page shows a cut-off, before and after it", () => {
  const config = { CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "accept" } as const;
  const kind = kindOf("domestic-payment", config);
  const consent = consentOf(domesticConsent(), {
    cutOff: Temporal.Instant.from("2027-03-02T16:00:00Z"),
  });
  const early = kind.summarise(consent, now) as PaymentSummary;
  assert.match(early.notes.join(), /before 16:00 today/);
  const late = kind.summarise(consent, Temporal.Instant.from("2027-03-02T17:00:00Z"));
  assert.match((late as PaymentSummary).notes.join(), /too late for today/);
  assert.deepEqual((late as PaymentSummary).rows, [
    {
      label: "Payment date",
      value: "Wednesday 3 March 2027",
      about: "when",
    },
  ]);
});

test("for an account that several sign for, the consent page promises no day, before and after a cut-off", () => {
  const kind = kindOf("domestic-payment", { CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "accept" });
  const cutOff = Temporal.Instant.from("2027-03-02T16:00:00Z");
  const consent = consentOf(domesticConsent(), { cutOff });
  const shared = { ...current, signatoriesRequired: 2 };
  const later = "Once all have approved, but not before Wednesday 3 March 2027";
  for (const [at, value] of [
    [now, "Once all have approved"],
    [cutOff.add({ hours: 1 }), later],
  ] as const) {
    const { notes, rows } = kind.summarise(consent, at, shared) as PaymentSummary;
    assert.deepEqual(notes, []);
    assert.deepEqual(rows, [{ label: "Payment date", value, about: "when" }]);
  }
});

test("the consent page of a file shows the requested date as it is written, in its own offset", () => {
  const FileType = "UK.OBIE.PaymentInitiation.4.0";
  const initiation = { FileType, RequestedExecutionDateTime: "2027-03-08T00:00:00+05:00" };
  const consent = consentOf({ Data: { Initiation: initiation } }, { file: fileTerms });
  const { rows, notes } = kindOf("file-payment").summarise(consent, now) as PaymentSummary;
  const date = rows.find(({ label }) => label === "Payment date");
  assert.equal(date?.value, "Monday 8 March 2027");
  assert.match(notes[0] ?? "", /leaves your account on that day/);
});

test("a file for a day that is not a working day shows the day on which it is paid, too", () => {
  const FileType = "UK.OBIE.PaymentInitiation.4.0";
  const initiation = { FileType, RequestedExecutionDateTime: "2027-03-13T00:00:00+00:00" };
  const consent = consentOf({ Data: { Initiation: initiation } }, { file: fileTerms });
  const { rows } = kindOf("file-payment").summarise(consent, now) as PaymentSummary;
  const dates = rows.filter(({ about }) => about === "when").map(({ value }) => value);
  assert.deepEqual(dates, [
    "Saturday 13 March 2027, which is not a working day",
    "Monday 15 March 2027",
  ]);
});

test("a file that is approved after the cut-off is not paid now", () => {
  const kind = kindOf("file-payment", { CUT_OFF_TIME: "16:00", CUT_OFF_STRATEGY: "accept" });
  const body = { Data: { Initiation: { FileType: "UK.OBIE.PaymentInitiation.4.0" } } };
  const cutOff = Temporal.Instant.from("2027-03-02T16:00:00Z");
  const lastDay = Temporal.PlainDate.from("2027-03-08");
  const late = cutOff.add({ hours: 1 });
  const shared = { ...current, signatoriesRequired: 2 };
  const day = "Wednesday 3 March 2027";
  for (const [account, last, value] of [
    [current, null, day],
    [current, lastDay, `From ${day} to Monday 8 March 2027`],
    [shared, null, `Once all have approved, but not before ${day}`],
  ] as const) {
    const consent = consentOf(body, { cutOff, file: { ...fileTerms, lastDay: last } });
    const { rows, notes } = kind.summarise(consent, late, account) as PaymentSummary;
    assert.equal(rows.find(({ label }) => label === "Payment date")?.value, value);
    const note = `It is too late for today. We will pay on ${day}.`;
    assert.deepEqual(notes, account === shared ? [] : [note]);
  }
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type FundsConfirmation, storeConfirmation } from "#src/funds/confirmation-record.ts";
import { newId } from "#src/lib/ids.ts";
import type { Visitor } from "#test/auth/visitor.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { logIn } from "#test/journeys/log-in.ts";
import { CardIssuer, named } from "./card-issuer.ts";

let bank: TestBank;
let issuer: CardIssuer;
let consent: { consentId: string; token: string };
before(async () => {
  bank = await openBank();
  issuer = new CardIssuer(bank, await bank.createTpp(), "/v4.0/cbpii");
  const [everyday] = await bank.currentAccounts("amara");
  consent = await issuer.authorised("amara", named(everyday?.identification ?? null));
});
after(() => bank?.close());

const pathOf = (consentId: string): string => `/bank/connections/${consentId}/checks.csv`;

async function download(visitor: Visitor, consentId: string): Promise<string[]> {
  const { status, headers, body } = await visitor.open(bank.publicUrl + pathOf(consentId));
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(headers.get("content-disposition"), 'attachment; filename="checks.csv"');
  assert.equal(headers.get("cache-control"), "no-store");
  const lines = body.split("\r\n");
  assert.equal(lines.pop(), "", "the last line ends like the others");
  return lines;
}

test("C-113: a customer downloads each check of a card issuer with its answer", async () => {
  const visitor = await logIn(bank, "amara");
  assert.deepEqual(await download(visitor, consent.consentId), [
    "Date,Time,Reference,Amount,Currency,Answer",
  ]);
  const page = `${bank.publicUrl}/bank/connections/${consent.consentId}`;
  assert.doesNotMatch((await visitor.open(page)).body, /checks\.csv/);
  expectStatus(await issuer.ask(consent, "12.34", { reference: '=1+1,"shop"' }), 201);
  expectStatus(await issuer.ask(consent, "99999999.00", { reference: "A yacht" }), 201);
  expectStatus(await issuer.ask(consent, "5", { currency: "JPY", reference: "Abroad" }), 400);
  const [head, ...checks] = await download(visitor, consent.consentId);
  assert.equal(head, "Date,Time,Reference,Amount,Currency,Answer");
  const time = /^\d{4}-\d\d-\d\d,\d\d:\d\d:\d\d,/;
  for (const line of checks) assert.match(line, time);
  assert.deepEqual(
    checks.map((line) => line.replace(time, "")).sort(),
    [
      // a text that begins like a formula is made harmless
      `"'=1+1,""shop""",12.34,GBP,"Yes, enough money"`,
      'A yacht,99999999.00,GBP,"No, not enough money"',
      "Abroad,5,JPY,No answer: the account has another currency",
    ].sort(),
  );
  assert.match((await visitor.open(page)).body, /checks\.csv/);
});

test("C-113: the download has all checks of a long history once each, the newest first", async () => {
  const [everyday] = await bank.currentAccounts("amara");
  const { consentId } = await issuer.authorised("amara", named(everyday?.identification ?? null));
  const start = Temporal.Instant.from("2026-10-24T23:30:00Z");
  const count = 1101;
  for (let number = 0; number < count; number += 1) {
    const confirmation: FundsConfirmation = {
      fundsConfirmationId: newId("fc"),
      // three at the same time, so that a read ends between equal times
      askedAt: start.add({ seconds: Math.floor(number / 3) }),
      reference: `Purchase ${number}`,
      amount: { amountMinor: 100n, currency: "GBP" },
      isAvailable: true,
      reason: null,
    };
    const stored = await storeConfirmation(bank.database, consentId, confirmation, 0);
    assert.equal(stored, "stored");
  }
  const [, ...checks] = await download(await logIn(bank, "amara"), consentId);
  const cells = checks.map((line) => line.split(","));
  assert.equal(new Set(cells.map(([, , reference]) => reference)).size, count);
  const times = cells.map(([date, time]) => `${date} ${time}`);
  assert.deepEqual(times, times.toSorted().reverse());
  assert.equal(times.at(-1), "2026-10-25 00:30:00", "the time is the time in London");
});

test("only the customer of a connection can download its checks", async () => {
  const stranger = await logIn(bank, "ben");
  const { status } = await stranger.open(bank.publicUrl + pathOf(consent.consentId));
  assert.equal(status, 404);
  const nobody = await fetch(bank.publicUrl + pathOf(consent.consentId), { redirect: "manual" });
  assert.equal(nobody.status, 303);
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { holidaysOf, unknownHolidays } from "#src/payments/calendar/timing.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { sql } from "#src/storage/sql.ts";
import { makePlace, skipReason, startCommand } from "#test/cli/running-bank.ts";
import {
  type Front,
  openPayments,
  type PaymentsFixture,
  scheduledConsent,
  standingOrderConsent,
} from "./fixture.ts";

let bank: PaymentsFixture;
let own: Front;
const added = { BANK_HOLIDAYS: "+2027-03-09, +2027-04-15" };

before(async () => {
  bank = await openPayments();
  own = await bank.configured(added);
});
after(() => bank.close());

const expectedOf = async (front: Front): Promise<string> => {
  const body = scheduledConsent();
  const answer = await front.post("/domestic-scheduled-payment-consents", { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.Data.ExpectedExecutionDateTime;
};

test("a payment dated on a holiday of BANK_HOLIDAYS is made on the next working day", async () => {
  assert.match(await expectedOf(bank), /^2027-03-09T06:00:00/);
  assert.match(await expectedOf(own), /^2027-03-10T06:00:00/);
});

test("a standing order's next payment avoids the holidays of BANK_HOLIDAYS", async () => {
  const path = "/domestic-standing-order-consents";
  const { order, token } = await own.authorised({ body: standingOrderConsent(), path });
  const answer = await own.post("/domestic-standing-orders", { token, body: order });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  bank.clock.set("2027-03-15T06:00:00Z");
  const engine = createEngine({
    ...bank,
    owner: "engine",
    batchSize: 16,
    holidays: holidaysOf(added),
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
  await engine.drain();
  const [next] = await bank.database.query<{ at: Temporal.Instant }>(sql`
    select execute_at as at from payment
    where order_id = ${answer.body.Data.DomesticStandingOrderId} and sequence = 2`);
  // London is at UTC+1 in April
  assert.equal(next?.at.toString(), "2027-04-16T05:00:00Z");
});

test("a list without plus signs replaces the holidays of England and Wales", async () => {
  const goodFriday = "2027-03-26";
  assert.ok(holidaysOf({}).has(goodFriday));
  assert.ok(holidaysOf(added).has(goodFriday));
  const replaced = holidaysOf({ BANK_HOLIDAYS: "2027-03-17,+2027-06-11" });
  assert.deepEqual([...replaced], ["2027-03-17", "2027-06-11"]);
});

// dated payments reach 366 days ahead
const starts: [holidays: string | undefined, now: string, year: string | null][] = [
  [undefined, "2034-12-30T23:59:00Z", null],
  [undefined, "2034-12-31T00:00:00Z", "2036"],
  ["2027-12-27,2027-12-28", "2026-12-30T23:59:00Z", null],
  ["2027-12-27,2027-12-28", "2026-12-31T00:00:00Z", "2028"],
  ["2027-12-27,2027-12-28,+2028-01-03", "2026-12-31T00:00:00Z", null],
  ["+2036-01-01", "2034-12-31T00:00:00Z", null],
];

for (const [holidays, now, year] of starts) {
  const title = `with the holidays ${holidays ?? "of England and Wales"} at ${now}`;
  test(`${title}, ${year ? `those of ${year} are missing` : "none are missing"}`, () => {
    const config = holidays === undefined ? {} : { BANK_HOLIDAYS: holidays };
    const message = unknownHolidays(paymentKinds, config, Temporal.Instant.from(now));
    assert.equal(message && /can be dated in (\d+):/.exec(message)?.[1], year);
  });
}

test("a bank whose holidays end says so when it starts", { skip: skipReason }, async () => {
  const place = await makePlace();
  const bank = startCommand(["start"], {
    ...place.environment,
    LOG_LEVEL: "warn",
    BANK_HOLIDAYS: "2025-12-25,2025-12-26",
  });
  try {
    await bank.untilSaid(/no bank holidays are known after 2025, but payments can be dated in /);
  } finally {
    bank.child.kill("SIGKILL");
    await bank.ended;
    place.remove();
  }
});

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "#src/lib/clock.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { beginSandboxClock, createSandboxClock } from "#src/sandbox/time/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, submit, untilStatus } from "#test/journeys/payments.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { until } from "#test/until.ts";

/** Opens a bank whose clock begins then, with a short history of its customers. */
async function openAt(start: string, settings: { CLOCK_RATE?: number } = {}): Promise<TestBank> {
  const database = await openEmpty();
  await seedPersonas(database, { now: Temporal.Instant.from(start), newest: 50 });
  return openBank({ CLOCK_START: start, ...settings }, database);
}

const timeOf = async (bank: TestBank): Promise<Temporal.Instant> =>
  Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);

const minutesBetween = (one: Temporal.Instant, other: Temporal.Instant): number =>
  other.since(one).total("minutes");

// on the last day of a month in UTC but not in London, and at the end of 29 February
for (const start of ["2019-06-30T23:30:00Z", "2048-02-29T23:59:30Z"]) {
  describe(`a bank whose clock begins at ${start}`, () => {
    let bank: TestBank;
    let client: TppClient;
    before(async () => {
      bank = await openAt(start);
      client = await bank.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
    });
    after(() => bank?.close());

    test("shows that time, and the history of its customers ends on that day", async () => {
      const passed = minutesBetween(Temporal.Instant.from(start), await timeOf(bank));
      assert.ok(passed >= 0 && passed < 10, `${passed} minutes`);
      const consentId = await lodgeAccess(client);
      const customer = "amara";
      const tokens = await bank.approve(client, { scope: "accounts", consentId, customer });
      const list = await client.call<{ Data: { Account: { OpeningDate: string }[] } }>({
        path: "/v3.1/aisp/accounts",
        token: tokens.access_token,
      });
      for (const { OpeningDate: opened } of list.body.Data.Account) {
        const years = minutesBetween(Temporal.Instant.from(opened), Temporal.Instant.from(start));
        assert.ok(years >= 2 * 365 * 24 * 60, `${opened} is two years before ${start}`);
      }
      const [account] = await bank.currentAccounts(customer);
      const answer = await client.call<{ Data: { Transaction: { BookingDateTime: string }[] } }>({
        path: `/v3.1/aisp/accounts/${account?.accountId}/transactions`,
        token: tokens.access_token,
      });
      expectStatus(answer, 200);
      const booked = answer.body.Data.Transaction.map((one) => one.BookingDateTime)
        .sort()
        .at(-1);
      const age = minutesBetween(Temporal.Instant.from(booked ?? ""), Temporal.Instant.from(start));
      assert.ok(Math.abs(age) < 7 * 24 * 60, `${booked} is within a week of ${start}`);
    });

    test("makes a payment, with certificates and tokens of a TPP of today", async () => {
      const lodged = await lodge(client);
      const given = { scope: "payments" as const, ...lodged, customer: "amara" };
      const { access_token } = await bank.approve(client, given);
      await untilStatus(client, lodged.kind, await order(client, lodged, access_token), "ACCC");
      assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
    });

    test("tokens expire by that clock", async () => {
      const consentId = await lodgeAccess(client);
      const given = { scope: "accounts" as const, consentId, customer: "amara" };
      const tokens = await bank.approve(client, given);
      const path = "/v3.1/aisp/accounts";
      expectStatus(await client.call({ path, token: tokens.access_token }), 200);
      await bank.advance("PT2H");
      expectStatus(await client.call({ path, token: tokens.access_token }), 401);
      const renewed = await client.refresh(tokens.refresh_token ?? "");
      expectStatus(await client.call({ path, token: renewed.access_token }), 200);
    });

    test("is set to the time that a refusal offers", async () => {
      const set = (now: string) => bank.control<{ now: string }>("PUT", "/clock", { now });
      const { message } = await set("tomorrow").then(
        () => assert.fail("no time was given"),
        (error: Error) => error,
      );
      const offered = /such as ([^ ]+)\./.exec(message)?.[1] ?? "";
      assert.ok(minutesBetween(Temporal.Instant.from(offered), await timeOf(bank)) < 0, message);
      const reached = Temporal.Instant.from((await set(offered)).now);
      assert.ok(minutesBetween(Temporal.Instant.from(offered), reached) >= 0);
    });
  });
}

describe("a bank whose clock stands still", () => {
  const start = "2027-03-01T09:00:00Z";
  let bank: TestBank;
  before(async () => {
    bank = await openAt(start, { CLOCK_RATE: 0 });
  });
  after(() => bank?.close());

  test("settles a payment without the passing of time", async () => {
    const client = await bank.createTpp();
    const lodged = await lodge(client);
    const given = { scope: "payments" as const, ...lodged, customer: "amara" };
    const { access_token } = await bank.approve(client, given);
    const answer = await submit(client, lodged, access_token);
    expectStatus(answer, 201);
    const created = String(answer.body.Data.CreationDateTime);
    assert.equal(Temporal.Instant.from(created).toString(), start);
    await untilStatus(client, lodged.kind, String(answer.body.Data.DomesticPaymentId), "ACCC");
    assert.equal((await timeOf(bank)).toString(), start);
  });

  test("moves only as it is set, until it is started again", async () => {
    await bank.advance("P1M");
    assert.equal((await timeOf(bank)).toString(), "2027-04-01T09:00:00Z");
    await bank.control("PUT", "/clock", { rate: 1 });
    await until(
      () => timeOf(bank),
      (now) => minutesBetween(Temporal.Instant.from("2027-04-01T09:00:00Z"), now) > 0,
    );
    await bank.control("PUT", "/clock", { rate: 0 });
    assert.equal((await timeOf(bank)).toString(), (await timeOf(bank)).toString());
  });

  test("makes a payment of a later day while it runs a day per second", async () => {
    const client = await bank.createTpp();
    const day = (await timeOf(bank)).toZonedDateTimeISO("UTC").toPlainDate().add({ days: 5 });
    const lodged = await lodge(client, {
      kind: "domestic-scheduled-payment",
      initiation: { RequestedExecutionDateTime: `${day}T09:00:00Z` },
    });
    const given = { scope: "payments" as const, ...lodged, customer: "amara" };
    const { access_token } = await bank.approve(client, given);
    const orderId = await order(client, lodged, access_token);
    await bank.control("PUT", "/clock", { rate: 86_400 });
    const wanted = day.add({ days: 1 }).toZonedDateTime("UTC").toInstant();
    await until(
      () => timeOf(bank),
      (now) => minutesBetween(wanted, now) > 0,
    );
    await bank.control("PUT", "/clock", { rate: 0 });
    await untilStatus(client, lodged.kind, orderId, "ACCC");
    assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
  });
});

describe("the stored clock", () => {
  let database: Database;
  before(async () => {
    database = await openEmpty();
  });
  after(() => database?.close());
  const start = Temporal.Instant.from("2019-03-04T09:00:00Z");

  test("begins once: a later start setting does not move it", async () => {
    await beginSandboxClock(database, systemClock, { start });
    const later = Temporal.Instant.from("2030-01-01T00:00:00Z");
    const clock = await beginSandboxClock(database, systemClock, { start: later });
    assert.ok(minutesBetween(start, clock.now()) < 10);
  });

  test("has one time in two processes, whoever stops it", async () => {
    const [one, other] = [
      await createSandboxClock(database, systemClock),
      await createSandboxClock(database, systemClock),
    ];
    const idle = { drain: async () => {}, nextDueAt: async () => null, sweep: async () => {} };
    other.run(idle);
    await one.setRate(0);
    await until(
      () => other.rate(),
      (rate) => rate === 0,
    );
    other.stop();
    assert.equal(other.now().toString(), one.now().toString());
  });
});

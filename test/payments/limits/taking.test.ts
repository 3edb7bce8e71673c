import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { moveConsent } from "#src/consents/consent.ts";
import { accountAccess, usedWithinLimits } from "#src/consents/states.ts";
import { byBank, listChanges } from "#src/history/change.ts";
import { toDay } from "#src/payments/calendar/timing.ts";
import type { LimitWindow } from "#src/payments/limits/order-limits.ts";
import { orderCreation } from "#src/payments/order/create-order.ts";
import { inLimits } from "#src/payments/shapes/within-limits/within-limits.ts";
import { sql } from "#src/storage/sql.ts";
import { readConsent } from "#test/consents/stored-rows.ts";
import { openPayments, type PaymentsFixture } from "#test/payments/fixture.ts";
import { onPostgres } from "#test/postgres.ts";
import { draftWithinLimits, settleOrder, settleOrders } from "./drafts.ts";

// The statement that creates orders within the limits of their consents.

const createWithinLimits = inLimits(usedWithinLimits);

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank.close());

/** A window of days, both included. */
const window = (
  position: number,
  first: string,
  last: string,
  limitMinor: bigint,
): LimitWindow => ({
  position,
  first: toDay(Temporal.PlainDate.from(first)),
  last: toDay(Temporal.PlainDate.from(last)),
  limitMinor,
});
const march = (limitMinor: bigint, position = 0) =>
  window(position, "2027-03-01", "2027-03-31", limitMinor);
const april = (limitMinor: bigint) => window(0, "2027-04-01", "2027-04-30", limitMinor);

let drafted = 0;
const draft = (
  consentId: string,
  amountMinor: bigint,
  limits: readonly LimitWindow[],
  at = "2027-03-10T12:00:00Z",
) => {
  drafted += 1;
  return draftWithinLimits(bank, consentId, { key: `taking-${drafted}`, amountMinor, limits, at });
};

const consented = async () => (await bank.authorised()).consentId;

const sumOf = async (consentId: string): Promise<bigint> => {
  const [row] = await bank.database.query<{ sum: bigint }>(sql`
    select coalesce(sum(amount_minor), 0)::bigint as sum from payment_order
    where consent_id = ${consentId} and status not in ('RJCT', 'BLCK')`);
  return row?.sum ?? 0n;
};

test("an order counts against the later orders of the same statement, and a refused order does not", async () => {
  const [one, other] = [await consented(), await consented()];
  const orders = [
    await draft(one, 600n, [march(1000n)]),
    await draft(one, 500n, [march(1000n)]),
    await draft(other, 500n, [march(1000n)]),
    await draft(one, 400n, [march(1000n)]),
    await draft(one, 1n, [march(1000n)]),
  ];
  const takings = await createWithinLimits(bank.database, orders);
  assert.deepEqual(
    takings.map(({ isCreated, exceeded }) => (isCreated ? "created" : exceeded)),
    ["created", [0], "created", "created", [0]],
  );
  assert.deepEqual([await sumOf(one), await sumOf(other)], [1000n, 500n]);
  const keys = await bank.database.query(sql`
    select key from idempotency_key where key = any(${orders.map(({ use }) => use.key)}::text[])`);
  assert.equal(keys.length, 3, "a refused order leaves its key free");
});

test("a refused order names every limit that it would exceed, by its position", async () => {
  const consentId = await consented();
  const limits = [march(1000n, 0), march(5000n, 1), march(800n, 2)];
  const [fits] = await createWithinLimits(bank.database, [await draft(consentId, 800n, limits)]);
  assert.deepEqual(fits, { isCreated: true, exceeded: [] });
  const [refused] = await createWithinLimits(bank.database, [await draft(consentId, 201n, limits)]);
  assert.deepEqual(refused, { isCreated: false, exceeded: [0, 2] });
});

test("an order counts in the period in which it is accepted, and a rejected order frees its amount there", async () => {
  const consentId = await consented();
  const take = async (amount: bigint, limits: LimitWindow[], at: string) => {
    const order = await draft(consentId, amount, limits, at);
    const [taking] = await createWithinLimits(bank.database, [order]);
    return taking?.isCreated ? order.order.orderId : "refused";
  };
  // the last second of March in London, and the first of April
  const late = await take(1000n, [march(1000n)], "2027-03-31T22:59:59Z");
  assert.notEqual(late, "refused");
  assert.notEqual(await take(1000n, [april(1000n)], "2027-03-31T23:00:00Z"), "refused");
  assert.equal(await take(1n, [march(1000n)], "2027-03-31T22:59:59Z"), "refused");
  await settleOrder(bank.database, late, "RJCT");
  assert.equal(await take(1n, [april(1000n)], "2027-04-02T12:00:00Z"), "refused");
  assert.notEqual(await take(1000n, [march(1000n)], "2027-03-31T22:59:59Z"), "refused");
});

test("an order whose consent was withdrawn in the meantime is not created, and exceeds no limit", async () => {
  const [one, other] = [await consented(), await consented()];
  const orders = [await draft(one, 100n, [march(1000n)]), await draft(other, 100n, [march(1000n)])];
  const why = byBank(bank.clock.now());
  assert(await moveConsent(bank.database, { consentId: one }, accountAccess, "revoke", [], why));
  assert.deepEqual(await createWithinLimits(bank.database, orders), [
    { isCreated: false, exceeded: [] },
    { isCreated: true, exceeded: [] },
  ]);
});

test("an order changes neither its consent nor the history of its consent", async () => {
  const consentId = await consented();
  const state = async () => [
    await readConsent(bank.database, consentId),
    await listChanges(bank.database, consentId),
  ];
  const before = await state();
  const [taking] = await createWithinLimits(bank.database, [await draft(consentId, 1n, [])]);
  assert.equal(taking?.isCreated, true);
  assert.deepEqual(await state(), before);
});

test("concurrent rejections and new orders of the same consents keep the use of each day exact", async () => {
  const [one, other] = [await consented(), await consented()];
  const create = async (consentId: string) => {
    const order = await draft(consentId, 7n, [march(100_000n)]);
    const [taking] = await createWithinLimits(bank.database, [order]);
    assert.equal(taking?.isCreated, true);
    return order.order.orderId;
  };
  const pairs: [string, string][] = [];
  for (let count = 0; count < 12; count++) pairs.push([await create(one), await create(other)]);
  // half of the batches have the consents in the other order
  const batches = pairs.map(([first, second], index) =>
    index % 2 ? [first, second] : [second, first],
  );
  await Promise.all(
    batches.flatMap((batch, index) => [
      settleOrders(bank.database, batch, index % 3 ? "RJCT" : "BLCK"),
      create(index % 2 ? one : other),
    ]),
  );
  for (const consentId of [one, other]) {
    const [row] = await bank.database.query<{ used: bigint }>(sql`
      select sum(amount_minor)::bigint as used from limit_use where consent_id = ${consentId}`);
    assert.equal(row?.used, 42n);
    assert.equal(await sumOf(consentId), 42n);
  }
});

test("V-120: an order waits for another order under the same consent, but not for one under another consent", {
  skip: onPostgres ? false : "one connection never contends",
}, async () => {
  const [held, free] = [await consented(), await consented()];
  const limits = [march(1000n)];
  const [first, second, other] = [
    await draft(held, 600n, limits),
    await draft(held, 600n, limits),
    await draft(free, 600n, limits),
  ];
  const [waiting, isWaiting] = await bank.database.transaction(async (on) => {
    await createWithinLimits(on, [first]);
    let isOver = false;
    const creation = createWithinLimits(bank.database, [second]).finally(() => {
      isOver = true;
    });
    // it has to end while the first order is not committed
    const [created] = await createWithinLimits(bank.database, [other]);
    assert.deepEqual(created, { isCreated: true, exceeded: [] });
    return [creation, !isOver];
  });
  assert.ok(isWaiting);
  // it counts the order that it waited for
  assert.deepEqual(await waiting, [{ isCreated: false, exceeded: [0] }]);
});

test("a hundred concurrent orders under three consents use up each limit and never exceed it", async () => {
  const consents = await Promise.all([consented(), consented(), consented()]);
  const creations = [orderCreation(bank.database), orderCreation(bank.database)];
  const orders = await Promise.all(
    Array.from({ length: 100 }, (_, index) => draft(consents[index % 3] ?? "", 30n, [march(310n)])),
  );
  const takings = await Promise.all(
    orders.map((order, index) => creations[index % 2]?.(inLimits, order)),
  );
  for (const consentId of consents) {
    const own = orders.flatMap((order, index) =>
      order.consent.consentId === consentId ? [takings[index]] : [],
    );
    const created = own.filter((taking) => taking?.isCreated).length;
    assert.equal(created, Math.min(own.length, 10));
    assert.equal(await sumOf(consentId), BigInt(30 * created));
    for (const taking of own) {
      if (!taking?.isCreated) assert.deepEqual(taking?.exceeded, [0]);
    }
  }
});

// What a core says of the future: its clock is wrong, and the bank's counts.
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { listOldestDeliveries } from "#src/account-store/freshness.ts";
import { listRefusedFacts } from "#src/account-store/refusals.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";

let database: Database;
const bank = { now: Temporal.Instant.from("2026-11-30T16:00:00Z") };
const said: string[] = [];
const open = (coreNow?: () => Temporal.Instant) =>
  createAccountFeed(
    database,
    { warn: (details) => void said.push(JSON.stringify(details)) },
    { now: () => bank.now, ...(coreNow ? { coreNow } : {}) },
  );
const [account] = shownFacts.accounts ?? [];
const [transaction] = shownFacts.transactions ?? [];
const [balance] = shownFacts.balances ?? [];
assert.ok(account && transaction && balance);
const { accountId } = account;
const later = (seconds: number) => bank.now.add({ seconds });

before(async () => {
  database = await openEmpty();
  await open().apply(shownFacts);
});
after(() => database?.close());

const listed = async (source: string) =>
  (await listRefusedFacts(database)).filter((one) => one.source === source);
const heldUntil = async (source: string) => {
  const [row] = await database.query<{ until: Temporal.Instant | null }>(
    sql`select delivered_until as until from feed_source where source = ${source}`,
  );
  return row?.until?.toString() ?? null;
};
const ageOf = async (cluster: string) => {
  const found = (await listOldestDeliveries(database)).find((one) => one.cluster === cluster);
  return found && bank.now.since(found.asOf).total("seconds");
};

test("a mark of 2036 is not taken, is listed and logged once, and the facts beside it are stored", async () => {
  const source = "future";
  const feed = open();
  const deliveredUpTo = Temporal.Instant.from("2036-11-30T16:06:25Z");
  said.length = 0;
  for (const version of [1n, 2n]) {
    const parties = [{ version, partyId: "beside", name: `Ann ${version}` }] as never;
    const { refused } = await feed.apply({ parties }, { source, cursor: "log 1", deliveredUpTo });
    assert.deepEqual(refused, [
      {
        kind: "position",
        key: "deliveredUpTo",
        path: "/deliveredUpTo",
        rule: "must not be more than 60 seconds after the bank's time",
      },
    ]);
  }
  assert.equal(said.length, 1);
  assert.equal(await heldUntil(source), null);
  assert.equal(await feed.cursor(source), "log 1");
  const parties = await database.query(sql`select name from party where party_id = 'beside'`);
  assert.deepEqual(parties, [{ name: "Ann 2" }]);
  assert.equal((await listed(source)).length, 1);
  await feed.apply({}, { source, deliveredUpTo: bank.now });
  assert.deepEqual(await listed(source), []);
  await feed.apply({}, { source, deliveredUpTo });
  assert.equal(said.length, 2, "a second error of the clock is logged again");
});

test("a mark of a clock that is a minute ahead is the bank's time", async () => {
  await open().apply({}, { source: "ahead", deliveredUpTo: later(60) });
  assert.equal(await heldUntil("ahead"), bank.now.toString());
  const { refused } = await open().apply({}, { source: "ahead", deliveredUpTo: later(61) });
  assert.equal(refused.length, 1);
  assert.equal(await heldUntil("ahead"), bank.now.toString());
});

test("in a sandbox whose clock stands still, a core's true mark is the bank's time", async () => {
  const feed = open(() => later(86_400));
  const { refused } = await feed.apply({}, { source: "still", deliveredUpTo: later(86_400) });
  assert.deepEqual(refused, []);
  assert.equal(await heldUntil("still"), bank.now.toString());
});

test("a delivery of the future is refused until a true one comes", async () => {
  const source = "deliveries";
  const deliver = (asOf: Temporal.Instant) =>
    open().apply({ delivered: [{ accountId, cluster: "statements", asOf }] }, { source });
  await deliver(later(-30));
  const { refused } = await deliver(later(61));
  assert.deepEqual(
    refused.map(({ kind, key, path }) => [kind, key, path]),
    [["delivered", `${accountId} statements`, "/asOf"]],
  );
  assert.equal(await ageOf("statements"), 30);
  await deliver(later(60));
  assert.equal(await ageOf("statements"), 0);
  assert.deepEqual(await listed(source), []);
});

test("times of the future that an earlier release has stored count only until the source was last heard", async () => {
  const source = "earlier-release";
  const deliver = (asOf: Temporal.Instant) =>
    open().apply({ delivered: [{ accountId, cluster: "account", asOf }] }, { source });
  const future = Temporal.Instant.from("2036-11-30T16:06:25Z");
  await deliver(bank.now);
  for (const statement of [
    sql`update account_freshness set as_of = ${future} where source = ${source}`,
    sql`update feed_source set delivered_until = ${future} where source = ${source}`,
  ]) {
    await deliver(bank.now);
    await database.query(statement);
    const { now } = bank;
    bank.now = later(300);
    assert.equal(await ageOf("account"), 300);
    await open().apply({}, { source, cursor: "log 2" });
    await open().apply({}, { source, deliveredUpTo: later(-200) });
    await deliver(later(-100));
    assert.equal(await ageOf("account"), 100);
    bank.now = now;
    await database.query(sql`delete from account_freshness where source = ${source}`);
    await database.query(sql`delete from feed_source where source = ${source}`);
  }
});

test("a wrong cursor and a wrong mark are each logged once until one is stored", async () => {
  const source = "muted";
  const feed = open();
  const send = (position: object) =>
    feed.load(Readable.from([JSON.stringify({ position })]), { source });
  said.length = 0;
  const steps: [position: object, logged: number, keys: string[]][] = [
    [{ cursor: "" }, 1, ["cursor"]],
    [{ cursor: "" }, 1, ["cursor"]],
    [{ deliveredUpTo: later(61) }, 2, ["cursor", "deliveredUpTo"]],
    [{ deliveredUpTo: bank.now }, 2, ["cursor"]],
    [{ cursor: "" }, 2, ["cursor"]],
    [{ cursor: "log 1" }, 2, []],
    [{ cursor: "" }, 3, ["cursor"]],
  ];
  for (const [position, logged, keys] of steps) {
    await send(position);
    assert.equal(said.length, logged, JSON.stringify(position));
    assert.deepEqual((await listed(source)).map(({ key }) => key).sort(), keys);
  }
});

for (const seconds of [61, 86_400]) {
  test(`a balance ${seconds} seconds ahead is stored with the bank's time`, async () => {
    const version = balance.version + BigInt(seconds);
    const balances = [{ ...balance, statedAt: later(seconds), version }];
    const { refused } = await open().apply({ balances });
    assert.deepEqual(refused, []);
    const rows = await database.query(sql`
      select stated_at = ${bank.now} as "isNow", version = ${version} as "isStored"
      from account_balance where account_id = ${accountId} and currency = ${balance.currency}`);
    assert.deepEqual(rows, [{ isNow: true, isStored: true }]);
  });
}

test("balances and booked transactions far in the future are refused, and expected ones are stored", async () => {
  const line = (id: string, days: number, status: "Booked" | "Pending" | "Future") => ({
    ...transaction,
    transactionId: id,
    status,
    bookedAt: later(days * 86_400),
  });
  const { refused } = await open().apply({
    balances: [{ ...balance, statedAt: later(86_401), version: balance.version + 100_000n }],
    transactions: [
      line("next-working-day", 7, "Booked"),
      line("of-next-month", 8, "Booked"),
      line("card", 30, "Pending"),
      line("standing-order", 3650, "Future"),
    ],
  });
  assert.deepEqual(
    refused.map(({ kind, key, path, rule }) => [kind, key, path, rule]),
    [
      [
        "balances",
        `${balance.accountId} ${balance.currency}`,
        "/statedAt",
        "must not be more than a day after the bank's time",
      ],
      [
        "transactions",
        "of-next-month",
        "/bookedAt",
        "must not be more than 7 days after the bank's time",
      ],
    ],
  );
});

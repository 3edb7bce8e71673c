import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { Balance, BalancesFact, Versioned } from "#src/account-store/facts.ts";
import { type AccountChanges, applyChanges } from "#src/account-store/feed.ts";
import { newId } from "#src/lib/ids.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { accountFact } from "#test/accounts/facts.ts";
import { AccountsBank, oneConnection } from "#test/accounts/fixture.ts";

// An account that a bank opens through the feed, so that only the feed sends its balances.
let bank: AccountsBank;
let customerId: string;
let accountId: string;
let token: string;

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
});
after(() => bank.close());
beforeEach(async () => {
  accountId = newId("acc");
  await feed({
    accounts: [accountFact({ accountId })],
    holders: [{ version: 1n, accountId, customerId, role: "owner" }],
    balances: [booked(1n, 0n, { currency: other })],
  });
  ({ token } = await bank.addConsent({ customerId, accountIds: [accountId] }));
});

const feed = (changes: AccountChanges) => createAccountFeed(bank.database).apply(changes);

const stated = (
  version: bigint,
  balances: readonly Balance[],
  given: Partial<BalancesFact> = {},
): Versioned<BalancesFact> => ({
  version,
  accountId,
  currency: "GBP",
  currencyKind: null,
  statedAt: Temporal.Instant.from("2026-11-21T08:00:00Z"),
  balances,
  ...given,
});

const booked = (version: bigint, amountMinor: bigint, given: Partial<BalancesFact> = {}) =>
  stated(version, [{ type: "InterimBooked", amountMinor }], given);

type Shown = {
  Type: string;
  Amount: { Amount: string; Currency: string };
  CreditDebitIndicator: string;
};

// every account has a second currency, because the standard's list must not be empty
const other = "CHF";

async function shown(through: AccountsBank = bank): Promise<string[]> {
  const { body } = await through.get(`/accounts/${accountId}/balances`, token);
  const all: Shown[] = body.Data.Balance;
  return all
    .filter(({ Amount }) => Amount.Currency !== other)
    .map(
      ({ Type, Amount, CreditDebitIndicator }: Shown) =>
        `${Type} ${CreditDebitIndicator} ${Amount.Amount}`,
    );
}

test("both versions show a fed balance with its credit lines and time, each in its own format", async () => {
  await feed({
    balances: [
      stated(1n, [
        { type: "InterimBooked", amountMinor: -12_34n },
        {
          type: "InterimAvailable",
          amountMinor: 87_66n,
          creditLines: [{ type: "PreAgreed", isIncluded: false, amountMinor: 100_00n }],
        },
        {
          type: "InterimCleared",
          amountMinor: 50_00n,
          creditLines: [{ type: "Temporary", isIncluded: true, amountMinor: 5_00n }],
        },
      ]),
      stated(1n, [{ type: "ClosingBooked", amountMinor: 7_00n }], { currency: "USD" }),
    ],
  });
  const read = async (version: "aisp-v3.1" | "aisp-v4.0") => {
    const { body } = await bank.through(version).get(`/accounts/${accountId}/balances`, token);
    return body.Data.Balance;
  };
  const item = (Type: string, amount: string, more: object = {}) => ({
    AccountId: accountId,
    CreditDebitIndicator: "Credit",
    Amount: { Amount: amount, Currency: "GBP" },
    Type,
    DateTime: "2026-11-21T08:00:00Z",
    ...more,
  });
  const line = (Included: boolean, Type: string, amount: string) => ({
    CreditLine: [{ Included, Type, Amount: { Amount: amount, Currency: "GBP" } }],
  });
  const v3 = [
    item("InterimBooked", "0.00", { Amount: { Amount: "0.00", Currency: other } }),
    item("InterimBooked", "12.34", { CreditDebitIndicator: "Debit" }),
    item("InterimAvailable", "87.66", line(false, "Pre-Agreed", "100.00")),
    item("InterimCleared", "50.00", line(true, "Temporary", "5.00")),
    item("ClosingBooked", "7.00", { Amount: { Amount: "7.00", Currency: "USD" } }),
  ];
  assert.deepEqual(await read("aisp-v3.1"), v3);
  const types = ["ITBD", "ITBD", "ITAV", "INFO", "CLBD"];
  assert.deepEqual(
    await read("aisp-v4.0"),
    v3.map((each, index) => ({ ...each, Type: types[index] })),
  );
});

test("E-032, E-033: two balances that have the same code on v4.0 are both shown", async () => {
  const balances: Balance[] = [
    { type: "Information", amountMinor: 11_00n },
    { type: "OpeningCleared", amountMinor: -22_00n },
  ];
  await feed({ balances: [stated(1n, balances)] });
  assert.deepEqual(await shown(), ["Information Credit 11.00", "OpeningCleared Debit 22.00"]);
  assert.deepEqual(await shown(bank.through("aisp-v4.0")), [
    "INFO Credit 11.00",
    "INFO Debit 22.00",
  ]);
});

test("a balance is shown in its newest version, in whatever order versions arrive", async () => {
  await feed({ balances: [booked(2n, 2_00n)] });
  await feed({ balances: [booked(1n, 1_00n)] });
  await feed({ balances: [booked(2n, 9_00n)] });
  assert.deepEqual(await shown(), ["InterimBooked Credit 2.00"]);
  await feed({ balances: [booked(4n, 4_00n), booked(3n, 3_00n)] });
  assert.deepEqual(await shown(), ["InterimBooked Credit 4.00"]);
});

test("one call may change the balances in one currency and add those in another", async () => {
  await feed({ balances: [booked(1n, 1_00n)] });
  await feed({ balances: [booked(2n, 2_00n), booked(1n, 3_00n, { currency: "EUR" })] });
  assert.deepEqual(await shown(), ["InterimBooked Credit 3.00", "InterimBooked Credit 2.00"]);
});

test("a newer version without a balance ends that balance", async () => {
  await feed({
    balances: [
      stated(1n, [
        { type: "InterimBooked", amountMinor: 1_00n },
        { type: "Expected", amountMinor: 2_00n },
      ]),
    ],
  });
  await feed({ balances: [stated(2n, [{ type: "InterimAvailable", amountMinor: 3_00n }])] });
  assert.deepEqual(await shown(), ["InterimAvailable Credit 3.00"]);
});

test("a removed balance is gone until the bank sends a version newer than the removal", async () => {
  const removal = { accountId, currency: "GBP" };
  await feed({ balances: [booked(1n, 1_00n)] });
  await feed({ removed: { balances: [{ ...removal, version: 3n }] } });
  await feed({ balances: [booked(2n, 2_00n)] });
  assert.deepEqual(await shown(), []);
  await feed({ balances: [booked(4n, 4_00n)] });
  await feed({ removed: { balances: [{ ...removal, version: 3n }] } });
  assert.deepEqual(await shown(), ["InterimBooked Credit 4.00"]);
});

test("a balance is as of the time up to which the bank has delivered balances", async () => {
  const at = async () => {
    const { body } = await bank.get(`/accounts/${accountId}/balances`, token);
    return body.Data.Balance[1].DateTime;
  };
  const deliver = (asOf: Temporal.Instant | "live") =>
    feed({ delivered: [{ accountId, cluster: "balances", asOf }] });
  await feed({ balances: [booked(1n, 1_00n)] });
  await deliver(Temporal.Instant.from("2026-11-21T07:00:00Z"));
  assert.equal(await at(), "2026-11-21T08:00:00Z");
  await deliver(Temporal.Instant.from("2026-11-21T09:00:00Z"));
  assert.equal(await at(), "2026-11-21T09:00:00Z");
  await deliver("live");
  assert.equal(await at(), bank.now.toString());
});

test("balances of a bank's transaction that fails are not stored", async () => {
  const failing = bank.database.transaction(async (on) => {
    await applyChanges(on, { balances: [booked(1n, 1_00n)] });
    throw new Error("the ledger refuses");
  });
  await assert.rejects(failing, /the ledger refuses/);
  assert.deepEqual(await shown(), []);
});

test("a balance of an unknown account is refused alone", async () => {
  const stranger = booked(1n, 1_00n, { accountId: newId("acc") });
  const { refused } = await feed({ balances: [booked(1n, 1_00n), stranger] });
  assert.deepEqual(
    refused.map(({ kind, key }) => [kind, key]),
    [["balances", `${stranger.accountId} GBP`]],
  );
  assert.equal((await shown()).length, 1);
});

test("sending a balance again leaves its row in place", async () => {
  const place = () =>
    first(
      bank.database,
      sql`select xmin::text as made from account_balance
        where account_id = ${accountId} and currency = 'GBP'`,
    );
  await feed({ balances: [booked(1n, 1_00n)] });
  const placeBefore = await place();
  await feed({ balances: [booked(1n, 1_00n)] });
  assert.deepEqual(await place(), placeBefore);
});

test("when several feeders send versions of a balance, the newest is stored", {
  skip: oneConnection,
}, async () => {
  const versions = Array.from({ length: 12 }, (_, index) => BigInt(index + 1));
  const send = (order: readonly bigint[]) =>
    order.map((version) =>
      feed({
        balances: [booked(version, version * 1_00n)],
        ...(version === 6n ? { removed: { balances: [{ ...booked(9n, 0n), version: 9n }] } } : {}),
      }),
    );
  await Promise.all([...send(versions), ...send(versions.toReversed())]);
  assert.deepEqual(await shown(), ["InterimBooked Credit 12.00"]);
});

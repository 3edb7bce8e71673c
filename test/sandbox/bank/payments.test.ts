import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { ibanOf } from "#src/sandbox/bank/account-numbers.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import {
  refusalOf,
  scenarios,
  schemeAnswer,
  triggersOf,
} from "#src/sandbox/scenarios/scenarios.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { isIban } from "#src/standard/shared/account-schemes.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { setAccount } from "#test/account-store/stored-facts.ts";
import { insertAccounts, numberOf } from "#test/payments/execution/orders.ts";
import { onPostgres } from "#test/postgres.ts";
import { fundsOf, instruction, openEmpty } from "./empty-bank.ts";

const accounts = 12;
const start = Temporal.Instant.from("2026-03-02T10:00:00Z");
let now = start;
let database: Database;
let bank: Bank;

before(async () => {
  database = await openEmpty();
  await insertAccounts(database, { accounts, balanceMinor: 100_000n });
  bank = createSandboxBank({ database, clock: { now: () => now }, scheme: schemeAnswer });
});
after(() => database.close());
beforeEach(() => {
  now = start;
});

// The payments of these tests belong to no order, so only the ledger's breaches are checked.
const ledgerBreaches = async () =>
  (await verifyInvariants(database)).filter(({ invariant }) => !invariant.includes("order"));

const refusedWith = (code: string, text: string) => ({ state: "refused", reason: { code, text } });

test("a payment inside the bank is reserved, executed and shown on both accounts", async () => {
  const payment = instruction("inside", 250n, { debtor: 3 });
  assert.deepEqual(await bank.reserve([payment]), [{ state: "reserved" }]);
  assert.deepEqual(await fundsOf(database, 3), [100_000, 250]);
  assert.deepEqual(await bank.execute([payment]), [{ state: "settled", posted: true }]);
  assert.deepEqual(await fundsOf(database, 3), [99_750, 0]);
  assert.deepEqual(await fundsOf(database, 2), [100_250, 0]);
  const shown = await database.query(sql`
    select account_id as "accountId", indicator, amount_minor as amount, status
    from account_transaction where posting_id in (
      select posting_id from posting where payment_id = 'inside') order by 1`);
  assert.deepEqual(shown, [
    { accountId: "account-2", indicator: "Credit", amount: 250n, status: "Booked" },
    { accountId: "account-3", indicator: "Debit", amount: 250n, status: "Booked" },
  ]);
});

test("repeating a call has the same outcome and moves no more money", async () => {
  const payment = instruction("twice", 10n, { debtor: 4 });
  const other = { ...payment, amount: { amountMinor: 99_999n, currency: "GBP" } };
  await bank.reserve([payment]);
  assert.deepEqual(await bank.reserve([payment, other]), [
    { state: "reserved" },
    { state: "reserved" },
  ]);
  assert.deepEqual(await fundsOf(database, 4), [100_000, 10]);
  const settled = { state: "settled", posted: true };
  assert.deepEqual(await bank.execute([payment, other]), [settled, settled]);
  assert.deepEqual(await bank.execute([payment]), [settled]);
  assert.deepEqual(await bank.reserve([payment]), [settled]);
  assert.deepEqual(await bank.ask(["twice", "twice", "never heard of"]), [
    settled,
    settled,
    { state: "unknown" },
  ]);
  await bank.release(["twice"]);
  assert.deepEqual(await bank.ask(["twice"]), [settled]);
  assert.deepEqual(await fundsOf(database, 4), [99_990, 0]);
});

test("a payment without funds is refused, and leaves the funds to the next one in the batch", async () => {
  const batch = [
    instruction("a", 60_000n, { debtor: 5 }),
    instruction("b", 60_000n, { debtor: 5 }),
    instruction("c", 40_000n, { debtor: 5 }),
    instruction("d", 1n, { debtor: 5 }),
  ];
  const short = refusedWith("AM04", "InsufficientFunds");
  const reserved = { state: "reserved" };
  assert.deepEqual(await bank.reserve(batch), [reserved, short, reserved, short]);
  assert.deepEqual(await fundsOf(database, 5), [100_000, 100_000]);
});

test("released funds are available again, and the released payment is refused from then on", async () => {
  const payment = instruction("released", 500n, { debtor: 6 });
  await bank.reserve([payment]);
  await bank.release(["released", "never heard of"]);
  assert.deepEqual(await fundsOf(database, 6), [100_000, 0]);
  const refused = [refusedWith("MS03", "NotSpecifiedReasonAgentGenerated")];
  assert.deepEqual(await bank.ask(["released"]), refused);
  assert.deepEqual(await bank.execute([payment]), refused);
  assert.deepEqual(await bank.execute([instruction("unheard", 1n)]), [{ state: "unknown" }]);
});

test("a charge is reserved with the amount, and released with it", async () => {
  const charge = { amountMinor: 2000n, currency: "GBP" };
  const payment = { ...instruction("charged", 500n, { debtor: 6 }), charge };
  assert.deepEqual(await bank.reserve([payment]), [{ state: "reserved" }]);
  assert.deepEqual(await fundsOf(database, 6), [100_000, 2500]);
  await bank.release(["charged"]);
  assert.deepEqual(await fundsOf(database, 6), [100_000, 0]);
  const dear = { ...instruction("too-dear", 98_001n, { debtor: 6 }), charge };
  assert.deepEqual(await bank.reserve([dear]), [refusedWith("AM04", "InsufficientFunds")]);
});

test("a charge is booked once, together with its payment", async () => {
  const charge = { amountMinor: 20n, currency: "GBP" };
  const payment = {
    ...instruction("charged-once", 5n, { debtor: 12, creditor: numberOf(1) }),
    charge,
  };
  await bank.reserve([payment]);
  await bank.execute([payment]);
  await bank.execute([payment]);
  assert.deepEqual(await fundsOf(database, 12), [99_975, 0]);
  const shown = await database.query(sql`
    select p.purpose, t.account_id as "accountId", t.indicator, t.amount_minor as amount
    from posting p join account_transaction t using (posting_id)
    where p.payment_id = 'charged-once' order by 1, 2`);
  assert.deepEqual(shown, [
    { purpose: "payment", accountId: "account-1", indicator: "Credit", amount: 5n },
    { purpose: "payment", accountId: "account-12", indicator: "Debit", amount: 5n },
    { purpose: "payment-charge", accountId: "account-12", indicator: "Debit", amount: 20n },
  ]);
});

test("a closed or blocked account can neither pay nor be paid", async () => {
  const setStatus = (account: number, status: string) =>
    setAccount(database, `account-${account}`, { status });
  await setStatus(7, "Deleted");
  await setStatus(8, "Disabled");
  const closed = refusedWith("AC04", "ClosedAccountNumber");
  const blocked = refusedWith("AC06", "BlockedAccount");
  assert.deepEqual(
    await bank.reserve([
      instruction("from-closed", 1n, { debtor: 7 }),
      instruction("from-blocked", 1n, { debtor: 8 }),
    ]),
    [closed, blocked],
  );
  const toThem = [
    instruction("to-closed", 1n, { debtor: 6, creditor: numberOf(7) }),
    instruction("to-blocked", 1n, { debtor: 6, creditor: numberOf(8) }),
  ];
  await bank.reserve(toThem);
  assert.deepEqual(await bank.execute(toThem), [closed, blocked]);
  assert.deepEqual(await fundsOf(database, 6), [100_000, 0]);
});

test("a payment to the same account, to an unknown account of this bank or in another currency is refused", async () => {
  const nobody = refusedWith("AC03", "InvalidCreditorAccountNumber");
  const batch = [
    instruction("to-itself", 1n, { debtor: 6, creditor: numberOf(6) }),
    instruction("to-nobody", 1n, { debtor: 6, creditor: "00100199999999" }),
    instruction("in-euros", 1n, { debtor: 6, currency: "EUR" }),
  ];
  const reserved = { state: "reserved" };
  const euros = refusedWith("AM03", "NotAllowedCurrency");
  assert.deepEqual(await bank.reserve(batch), [reserved, reserved, euros]);
  assert.deepEqual(await bank.execute(batch), [nobody, nobody, euros]);
});

test("each scenario of the simulated scheme has the outcome that it describes", async () => {
  const expected: Record<string, [string, string]> = {
    accept: ["settled", "settled"],
    acceptThenReturn: ["settled", "settled"],
    acceptWithoutPosting: ["settled", "settled"],
    delay: ["pending", "settled"],
    delayThenRefuse: ["pending", "returned"],
    never: ["pending", "pending"],
    refuse: ["refused", "refused"],
    refuseByBank: ["refused", "refused"],
    hold: ["held", "reserved"],
  };
  for (const [index, { name, number, answer }] of scenarios.entries()) {
    const { payee: creditor } = triggersOf({ number });
    now = start;
    const payment = instruction(`scenario-${index}`, 20n, { debtor: 9, creditor });
    const [balance] = await fundsOf(database, 9);
    await bank.reserve([payment]);
    const [first] = await bank.execute([payment]);
    now = start.add({ hours: 25 });
    const [asked] = await bank.ask([payment.paymentId]);
    assert.deepEqual([first?.state, asked?.state], expected[answer.kind], name);
    const [last] = answer.kind === "hold" ? await bank.execute([payment]) : [asked];
    const gone = last?.state === "settled" || last?.state === "pending" ? 20 : 0;
    assert.deepEqual(await fundsOf(database, 9), [balance - gone, 0], name);
    if (last?.state === "settled") {
      assert.equal(last.posted, answer.kind !== "acceptWithoutPosting");
    }
    const code = last && "reason" in last ? last.reason.code : null;
    assert.equal(code, refusalOf(answer), name);
  }
  assert.deepEqual(await ledgerBreaches(), []);
});

test("a delayed response of the scheme is not returned before its time", async () => {
  const payment = instruction("early", 5n, { debtor: 9, creditor: "00990000000002" });
  await bank.reserve([payment]);
  const askAt = start.add({ minutes: 10 });
  const [executed] = await bank.execute([payment]);
  assert.equal(executed?.state === "pending" && executed.askAt.toString(), askAt.toString());
  now = askAt.subtract({ milliseconds: 1 });
  assert.equal((await bank.ask(["early"]))[0]?.state, "pending");
  now = askAt;
  assert.equal((await bank.ask(["early"]))[0]?.state, "settled");
});

test("an account can be found by its IBAN, which has valid check digits", async () => {
  const number = "00100112345678";
  const iban = ibanOf(number);
  assert.ok(isIban(iban));
  await setAccount(database, "account-10", { iban });
  const found = await bank.findAccount("UK.OBIE.IBAN", iban, null);
  assert.equal(typeof found === "object" && found?.accountId, "account-10");
  const payment = instruction("by-iban", 15n, { debtor: 9 });
  const byIban = {
    ...payment,
    creditor: { ...payment.creditor, schemeName: "UK.OBIE.IBAN", identification: iban },
  };
  await bank.reserve([byIban]);
  assert.deepEqual(await bank.execute([byIban]), [{ state: "settled", posted: true }]);
  assert.deepEqual(await fundsOf(database, 10), [100_015, 0]);
});

test("confirming funds takes holds and the overdraft into account", async () => {
  const covers = (amountMinor: bigint, currency = "GBP") =>
    bank.confirmFunds("account-11", { amountMinor, currency });
  await database.query(sql`
    update ledger_account set overdraft_limit_minor = 500 where account_id = 'account-11'`);
  await bank.reserve([instruction("held", 100n, { debtor: 11 })]);
  assert.equal(await covers(100_400n), true);
  assert.equal(await covers(100_401n), false);
  assert.equal(await covers(1n, "EUR"), false);
  assert.equal((await bank.loadFunds(["account-11"])).get("account-11")?.availableMinor, 100_400n);
});

test("batches that pay each other's accounts neither deadlock nor lose a penny", async () => {
  const waves = onPostgres ? 24 : 4;
  const size = 64;
  const total = async () => {
    const [row] = await database.query<{ sum: string }>(
      sql`select sum(balance_minor)::text as sum from ledger_account`,
    );
    return row?.sum;
  };
  const outcomes = await Promise.all(
    Array.from({ length: waves }, async (_, wave) => {
      const batch = Array.from({ length: size }, (_, index) =>
        // half of the batches contain the same payments as another batch
        instruction(`crossing-${wave >> 1}-${index}`, 3n, {
          debtor: 1 + ((index + wave) % 4),
          // every eighth goes to the account that it comes from: the bank refuses it when it
          // executes it, and releases its hold
          creditor: numberOf(1 + ((index + wave + (index % 8 === 7 ? 0 : 1 + (index % 3))) % 4)),
        }),
      );
      if (wave % 2 === 1) batch.reverse();
      await bank.reserve(batch);
      return bank.execute(batch);
    }),
  );
  const states = outcomes.flat().map(({ state }) => state);
  const refused = waves * (size / 8);
  assert.equal(states.filter((state) => state === "refused").length, refused);
  assert.equal(states.filter((state) => state === "settled").length, waves * size - refused);
  const rows = await database.query(sql`select 1 from posting where payment_id like 'crossing-%'`);
  assert.equal(rows.length, (waves / 2) * (size - size / 8));
  assert.equal(await total(), "0");
  assert.deepEqual(await ledgerBreaches(), []);
});

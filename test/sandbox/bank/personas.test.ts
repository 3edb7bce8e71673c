import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { systemClock } from "#src/lib/clock.ts";
import { formatAmount } from "#src/lib/money.ts";
import { bookDuePurchases } from "#src/sandbox/bank/card-purchases.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { type History, makeHistory } from "#src/sandbox/personas/history.ts";
import { households } from "#src/sandbox/personas/households.ts";
import { listPersonas } from "#src/sandbox/personas/list-personas.ts";
import type { Household } from "#src/sandbox/personas/persona.ts";
import { readyContracts } from "#src/sandbox/personas/ready-contracts.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { isIban } from "#src/standard/shared/account-schemes.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { shownTransactions } from "#test/accounts/stored-transactions.ts";
import { loadPublished, publishedFiles } from "#test/standard/published.ts";
import { openEmpty } from "./empty-bank.ts";

const now = Temporal.Instant.from("2026-03-17T13:45:00Z");
const today = Temporal.PlainDate.from("2026-03-17");
let database: Database;

before(async () => {
  database = await openEmpty();
  // complete histories, except for the largest household
  await seedPersonas(database, { now, newest: 4_000 });
});
after(() => database.close());

const householdOf = (login: string): Household => {
  const found = households.find(({ personas }) => personas.some((each) => each.login === login));
  assert.ok(found, login);
  return found;
};

type Course = { lowest: Map<string, number>; last: Map<string, number> };

/** Returns the lowest balance of each account and its last, after its pending purchases. */
function courseOf({ opening, movements, pending }: History): Course {
  const last = new Map(opening);
  const lowest = new Map(opening);
  const change = (account: string, by: number) => {
    if (!last.has(account)) return;
    const balance = (last.get(account) ?? 0) + by;
    last.set(account, balance);
    lowest.set(account, Math.min(balance, lowest.get(account) ?? 0));
  };
  for (const { from, to, sum } of movements) {
    change(from, -sum);
    change(to, sum);
  }
  for (const { account, sum } of pending) change(account, -sum);
  return { lowest, last };
}

test("the seeded bank breaks no invariant", async () => {
  assert.deepEqual(await verifyInvariants(database), []);
});

test("seeding again changes nothing", async () => {
  const counts = () =>
    database.query(sql`
      select (select count(*) from posting) as postings, (select count(*) from hold) as holds,
        (select count(*) from account_transaction) as lines,
        (select count(*) from customer) as customers`);
  const before = await counts();
  await seedPersonas(database, { now: now.add({ hours: 48 }), newest: 4_000 });
  assert.deepEqual(await counts(), before);
});

test("there are personal, joint, business, overdrawn, many-account and heavy personas", async () => {
  const rows = await database.query<{ login: string; accounts: number; joint: boolean }>(sql`
    select c.login, count(*)::integer as accounts, bool_or(h.role = 'joint') as joint
    from customer c join account_holder h on h.customer_id = c.customer_id group by c.login`);
  assert.deepEqual(rows.map(({ login }) => login).sort(), [...logins()].sort());
  const of = (login: string) => rows.find((row) => row.login === login);
  assert.deepEqual([of("ben")?.joint, of("chloe")?.joint], [true, true]);
  assert.ok((of("grace")?.accounts ?? 0) >= 25);
  const [signing] = await database.query<{ count: number; required: number }>(sql`
    select count(*)::integer as count, a.signatories_required as required
    from account a join account_holder h on h.account_id = a.account_id
    where a.signatories_required > 1 group by a.account_id`);
  assert.deepEqual(signing, { count: 2, required: 2 });
});

const logins = () => listPersonas().map(({ login }) => login);

test("each persona can log in with the password that is listed", async () => {
  const bank = createSandboxBank({ database, clock: systemClock });
  for (const { login, password, customerId } of listPersonas()) {
    assert.equal((await bank.authenticate(login, password))?.customerId, customerId);
  }
});

test("accounts have a sort code, number and valid IBAN, and cards only a masked number", async () => {
  const rows = await database.query<{
    subType: string;
    number: string | null;
    iban: string | null;
    pan: string | null;
  }>(sql`select account_sub_type as "subType", sort_code_account_number as number, iban,
    masked_pan as pan from account`);
  assert.deepEqual(new Set(rows.map(({ subType }) => subType)).size, 3);
  for (const { subType, number, iban, pan } of rows) {
    if (subType === "CreditCard") {
      assert.deepEqual([number, iban], [null, null]);
      assert.match(pan ?? "", /^\*{4} \*{4} \*{4} \d{4}$/);
    } else {
      assert.match(number ?? "", /^0010\d{10}$/);
      assert.ok(isIban(iban ?? ""), iban ?? "no IBAN");
      assert.equal(iban?.slice(-14), number);
    }
  }
});

test("the history of a current account starts 18 months ago and ends with yesterday", async () => {
  const [row] = await database.query<{ first: Temporal.Instant; last: Temporal.Instant }>(sql`
    select min(t.booked_at) as first, max(t.booked_at) as last
    from account_transaction t join account_holder h on h.account_id = t.account_id
    join customer c on c.customer_id = h.customer_id
    where c.login = 'amara' and t.status = 'Booked'`);
  const day = (instant?: Temporal.Instant) => instant?.toZonedDateTimeISO("UTC").toPlainDate();
  const first = day(row?.first) ?? today;
  assert.ok(Temporal.PlainDate.compare(first, today.subtract({ months: 18 })) <= 0, `${first}`);
  assert.ok(Temporal.PlainDate.compare(day(row?.last) ?? today, today) < 0);
});

test("18 months of history contain every kind of transaction", async () => {
  const rows = await database.query<{ type: string }>(sql`
    select distinct bank_code as type from account_transaction`);
  const types = new Set(rows.map(({ type }) => type));
  const wanted = "PAY FPI FPO SO DD TFR TFI DEB CC RFD CPT INT IND CHG BGC TKG".split(" ");
  assert.deepEqual(
    wanted.filter((type) => !types.has(type)),
    [],
  );
  const pending = await database.query(
    sql`select 1 from account_transaction where status = 'Pending'`,
  );
  assert.ok(pending.length > 0);
});

test("one account has 100,000 transactions over at least 18 months; 10,000 are kept", () => {
  for (const day of ["2026-03-01", "2026-03-31", "2024-02-29"]) {
    const date = Temporal.PlainDate.from(day);
    const { movements } = makeHistory({ ...householdOf("harriet"), newest: 100_000 }, date);
    assert.equal(movements.length, 100_000);
    const kept = makeHistory(householdOf("harriet"), date).movements;
    assert.deepEqual(kept, movements.slice(-10_000));
    const first = Temporal.Instant.fromEpochMilliseconds(movements[0]?.at ?? 0);
    const start = first.toZonedDateTimeISO("UTC").toPlainDate();
    assert.ok(Temporal.PlainDate.compare(start, date.subtract({ months: 18 })) <= 0, `${start}`);
    const shop = movements.filter(({ from, to }) => from === "shop" || to === "shop");
    assert.ok(shop.length > 99_900);
  }
});

test("the history for a given day is always the same, and respects limits on every day", () => {
  const days = ["2024-02-29", "2025-12-31", "2026-01-01", "2026-03-17", "2026-08-24"];
  for (const household of households.filter(({ newest }) => newest === undefined)) {
    for (const day of days) {
      const history = makeHistory(household, Temporal.PlainDate.from(day));
      const { lowest } = courseOf(history);
      for (const { key, limit } of household.accounts) {
        assert.ok((lowest.get(key) ?? 0) >= -limit, `${household.name} ${key} on ${day}`);
      }
    }
    assert.deepEqual(makeHistory(household, today), makeHistory(household, today));
  }
});

test("the overdrawn persona is overdrawn on every day", () => {
  for (let week = 0; week < 20; week += 1) {
    const day = today.add({ days: week * 9 });
    const { last } = courseOf(makeHistory(householdOf("finn"), day));
    const balance = last.get("current") ?? 0;
    assert.ok(balance < 0 && balance > -200_000, `${balance} on ${day}`);
  }
});

test("every transaction matches the published OBTransaction6", async () => {
  const published = loadPublished(publishedFiles["aisp-v3.1"][0]);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(published, "published");
  const validate = ajv.getSchema("published#/components/schemas/OBTransaction6");
  assert.ok(validate);
  for (const detail of [true, false]) {
    const items = await shownTransactions(database, sql``, detail);
    assert.ok(items.length > 9_000);
    for (const item of items) {
      assert.ok(validate(item), `${JSON.stringify(validate.errors)} ${JSON.stringify(item)}`);
      // a bank code without a name in v3.1 would be left out
      assert.ok(item.BankTransactionCode, JSON.stringify(item));
    }
  }
});

test("A-184, A-185: a pending purchase is booked when its day comes, as the same transaction", async () => {
  const pendingIds = async (): Promise<string[]> => {
    const rows = await database.query<{ id: string }>(
      sql`select transaction_id as id from account_transaction where status = 'Pending' order by 1`,
    );
    return rows.map(({ id }) => id);
  };
  const pending = await pendingIds();
  assert.ok(pending.length > 0);
  assert.equal(await bookDuePurchases(database, now), 0);
  assert.deepEqual(await pendingIds(), pending);
  assert.equal(await bookDuePurchases(database, now.add({ hours: 24 })), pending.length);
  assert.deepEqual(await pendingIds(), []);
  const [row] = await database.query<{ booked: bigint; held: bigint }>(sql`
    select count(transaction_id) filter (where status = 'Booked') as booked,
      (select count(hold_id) from hold) as held
    from account_transaction where transaction_id = any(${pending}::text[])`);
  assert.deepEqual(row, { booked: BigInt(pending.length), held: 0n });
  assert.deepEqual(await verifyInvariants(database), []);
});

test("there are accounts in euros and dollars, with lines in their own currency", async () => {
  const rows = await database.query<{ nickname: string; currency: string; others: number }>(sql`
    select a.nickname, a.currency,
      (count(*) filter (where t.currency <> a.currency))::integer as others
    from account a join account_transaction t on t.account_id = a.account_id
    where a.currency <> 'GBP' group by a.account_id order by a.currency`);
  assert.deepEqual(rows, [
    { nickname: "Euros", currency: "EUR", others: 0 },
    { nickname: "Dollars", currency: "USD", others: 0 },
  ]);
});

test("the seeded exchange contracts exist, for accounts in their unit currency", async () => {
  const bank = createSandboxBank({ database, clock: systemClock });
  for (const { contractId, unitCurrency, otherCurrency, rate, amount } of readyContracts) {
    const contract = await bank.loadContract(contractId);
    assert.ok(contract, contractId);
    const account = await bank.loadAccount(contract.accountId);
    assert.deepEqual(
      [account?.currency, contract.otherCurrency, Number(contract.rate)],
      [unitCurrency, otherCurrency, Number(rate)],
    );
    const { amountMinor, currency } = contract.remaining;
    assert.equal(Number(formatAmount(amountMinor, currency)), Number(amount));
  }
});

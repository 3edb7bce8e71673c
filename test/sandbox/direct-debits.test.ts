import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import {
  collectionTry,
  type MandateFrequency,
  nextCollectionDay,
} from "#src/sandbox/direct-debits/collection-days.ts";
import { listPersonas } from "#src/sandbox/personas/list-personas.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { setAccount, setMandates } from "#test/account-store/stored-facts.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

let database: Database;
let now = Temporal.Instant.from("2026-03-17T01:00:00Z");

before(async () => {
  database = await openEmpty();
  await seedPersonas(database, { now, newest: 1_000 });
});
after(() => database.close());

/** Runs the world up to that time, from one due item to the next. */
async function goOnTo(
  text: string,
  worlds = [createSurroundings(database, () => now)],
): Promise<void> {
  const target = Temporal.Instant.from(text);
  for (;;) {
    await Promise.all(worlds.map((world) => world.drain()));
    const next = await worlds[0]?.nextDueAt();
    if (!next || Temporal.Instant.compare(next, target) > 0) break;
    assert.ok(Temporal.Instant.compare(next, now) > 0, "everything due has been processed");
    now = next;
  }
  now = target;
}

type Collected = {
  id: string;
  name: string;
  dueOn: string;
  outcome: string;
  amount: bigint;
  at: Temporal.Instant;
};

const collected = (accountId: string, since: string) =>
  database.query<Collected>(sql`
    select d.direct_debit_id as id, d.originator_name as name, c.due_on::text as "dueOn",
      c.outcome, c.amount_minor as amount, c.decided_at as at
    from direct_debit d join direct_debit_collection c on c.direct_debit_id = d.direct_debit_id
    where d.account_id = ${accountId} and c.due_on >= ${since}::date
    order by c.due_on, d.originator_name`);

async function accountOf(login: string, nickname: string): Promise<string> {
  const [row] = await database.query<{ id: string }>(sql`
    select a.account_id as id from account a join account_holder h on h.account_id = a.account_id
    join customer c on c.customer_id = h.customer_id
    where c.login = ${login} and a.nickname = ${nickname}`);
  assert.ok(row, `${login} has ${nickname}`);
  return row.id;
}

const balanceOf = async (accountId: string): Promise<bigint> => {
  const [row] = await database.query<{ balance: bigint }>(
    sql`select balance_minor as balance from ledger_account where account_id = ${accountId}`,
  );
  return row?.balance ?? 0n;
};

/** Leaves one pound of the account's available funds. */
async function spendAllOf(accountId: string): Promise<void> {
  await database.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    select ${`post-spree-${now}`}, account_id, 'internal-cash',
      balance_minor - held_minor + overdraft_limit_minor - 100, 'GBP', ${now}, 'opening'
    from ledger_account where account_id = ${accountId}`);
}

const customerId = (login: string): string =>
  listPersonas().find((one) => one.login === login)?.customerId ?? "";

describe("the date of a collection", () => {
  const cases: [MandateFrequency, string, number, string][] = [
    ["Daily", "2026-02-28", 1, "2026-03-01"],
    ["Weekly", "2026-12-28", 1, "2027-01-04"],
    ["Fortnightly", "2026-02-20", 1, "2026-03-06"],
    ["Monthly", "2026-01-31", 31, "2026-02-28"],
    ["Monthly", "2026-02-28", 31, "2026-03-31"],
    ["Monthly", "2028-01-30", 30, "2028-02-29"],
    ["Quarterly", "2026-11-30", 30, "2027-02-28"],
    ["HalfYearly", "2026-08-31", 31, "2027-02-28"],
    ["Annual", "2028-02-29", 29, "2029-02-28"],
  ];
  for (const [frequency, day, dayOfMonth, next] of cases) {
    test(`the ${frequency} collection after ${day} is on ${next}`, () => {
      const after = nextCollectionDay(Temporal.PlainDate.from(day), frequency, dayOfMonth);
      assert.equal(after.toString(), next);
    });
  }

  test("a collection is attempted at 02:30 and 14:30 London time on its date, or on the next working day", () => {
    const tries = (day: string) =>
      [0, 1, 2].map((index) => collectionTry(Temporal.PlainDate.from(day), index)?.toString());
    const winter = ["2026-11-23T02:30:00Z", "2026-11-23T14:30:00Z", undefined];
    assert.deepEqual(tries("2026-11-23"), winter);
    assert.deepEqual(tries("2026-11-21"), winter);
    // from Good Friday to Easter Monday, in summer time
    assert.equal(tries("2026-04-03")[0], "2026-04-07T01:30:00Z");
  });
});

test("the collections of the seeded mandates match the account history line by line", async () => {
  const [row] = await database.query<{ lines: number; missing: number; mandates: number }>(sql`
    select count(*)::integer as lines,
      count(*) filter (where c.posting_id is null)::integer as missing,
      count(distinct c.direct_debit_id)::integer as mandates
    from account_transaction t
    left join direct_debit_collection c on c.posting_id = t.posting_id
    where t.indicator = 'Debit' and t.bank_code = 'DD'`);
  assert.ok(row && row.mandates > 20 && row.lines > 300, JSON.stringify(row));
  assert.equal(row.missing, 0);
});

test("a month of the clock makes each collection once, on its date, and breaks no invariant", async () => {
  const accountId = await accountOf("amara", "Everyday");
  const before = await balanceOf(accountId);
  await goOnTo("2026-04-17T01:00:00Z");
  const made = await collected(accountId, "2026-03-17");
  assert.deepEqual(
    made.map(({ name, dueOn, at }) => `${dueOn} ${name} ${at.toString().slice(0, 16)}`),
    [
      "2026-03-17 Lark Mobile 2026-03-17T02:30",
      "2026-04-03 Brightspark Energy 2026-04-07T01:30",
      "2026-04-05 Thames Valley Water 2026-04-07T01:30",
      "2026-04-08 Tower Hamlets Council 2026-04-08T01:30",
      "2026-04-11 Swift Broadband 2026-04-13T01:30",
      "2026-04-12 Aldgate Credit Card 2026-04-13T01:30",
    ],
  );
  const pending = await database.query<{ sum: bigint }>(sql`
    select coalesce(sum(amount_minor), 0)::bigint as sum from posting
    where purpose = 'card' and debit_account_id = ${accountId}`);
  const out = made.reduce((sum, { amount }) => sum + amount, 0n) + (pending[0]?.sum ?? 0n);
  const wages = 284_250n;
  assert.equal(await balanceOf(accountId), before + wages - out);
  const energy = made.find(({ name }) => name.startsWith("Brightspark"))?.amount ?? 0n;
  assert.ok(energy >= 5_800n && energy <= 9_400n, `${energy} is what the history would have`);
  assert.deepEqual(await verifyInvariants(database), []);
});

test("the direct debit of a card collects and shows the amount owed at the start of the month", async () => {
  const card = await accountOf("amara", "Credit card");
  const [line] = await database.query<{ amount: bigint; at: Temporal.Instant }>(sql`
    select amount_minor as amount, booked_at as at from account_transaction
    where account_id = ${card} and indicator = 'Credit' order by booked_at desc limit 1`);
  assert.equal(line?.at.toString(), "2026-04-13T01:30:00Z");
  const [owed] = await database.query<{ owed: bigint }>(sql`
    select -sum(case debit_account_id when ${card} then -amount_minor else amount_minor end)::bigint
      as owed from posting
    where ${card} in (debit_account_id, credit_account_id) and booked_at < '2026-04-01T00:00:00Z'`);
  assert.equal(line?.amount, owed?.owed);
});

test("an unfunded collection is retried in the afternoon and then returned unpaid", async () => {
  const accountId = await accountOf("finn", "Main");
  await spendAllOf(accountId);
  const before = await balanceOf(accountId);
  await goOnTo("2026-04-20T12:00:00Z");
  const none = (await collected(accountId, "2026-04-18")).length;
  assert.equal(none, 0, "nothing is decided before the afternoon");
  await goOnTo("2026-04-20T14:00:00Z");
  const [unpaid] = await collected(accountId, "2026-04-18");
  assert.deepEqual([unpaid?.outcome, unpaid?.at.toString()], ["unpaid", "2026-04-20T13:30:00Z"]);
  assert.equal(await balanceOf(accountId), before);
  const [line] = await database.query<{ status: string; text: string }>(sql`
    select status, information as text from account_transaction
    where account_id = ${accountId} order by booked_at desc limit 1`);
  assert.equal(line?.status, "Rejected");
  assert.match(line?.text ?? "", /UNPAID DIRECT DEBIT ALDGATE CREDIT CARD DD/);
});

test("money paid in before the afternoon is collected at the second attempt", async () => {
  const accountId = await accountOf("finn", "Main");
  await goOnTo("2026-05-06T08:00:00Z");
  await spendAllOf(accountId);
  await goOnTo("2026-05-07T08:00:00Z");
  assert.equal((await collected(accountId, "2026-05-07")).length, 0);
  await database.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    values ('post-paid-in', 'internal-cash', ${accountId}, 2800, 'GBP', ${now}, 'opening')`);
  await goOnTo("2026-05-07T15:00:00Z");
  const [made] = await collected(accountId, "2026-05-07");
  assert.deepEqual(
    [made?.name, made?.outcome, made?.at.toString()],
    ["Lark Mobile", "collected", "2026-05-07T13:30:00Z"],
  );
});

test("a cancelled mandate collects nothing, and only its customer can cancel it", async () => {
  const bank = createSandboxBank({ database, clock: { now: () => now } });
  const mandates = await bank.listDirectDebits(customerId("amara"));
  const phone = mandates.find(({ originatorName }) => originatorName === "Lark Mobile");
  assert.ok(phone?.nextAt && phone.previous);
  const id = phone.directDebitId;
  assert.equal(await bank.cancelDirectDebit(customerId("ben"), id), false);
  assert.equal(await bank.cancelDirectDebit(customerId("amara"), id), true);
  assert.equal(await bank.cancelDirectDebit(customerId("amara"), id), false);
  const accountId = await accountOf("amara", "Everyday");
  await goOnTo("2026-05-25T12:00:00Z");
  const names = (await collected(accountId, "2026-05-08")).map(({ name }) => name);
  assert.ok(names.includes("Swift Broadband") && !names.includes("Lark Mobile"), String(names));
  const after = await bank.listDirectDebits(customerId("amara"));
  const gone = after.find(({ directDebitId }) => directDebitId === id);
  assert.deepEqual([gone?.isActive, gone?.nextAt], [false, null]);
});

test("wages arrive on the working day before, once each, and takings every evening", async () => {
  const credits = (accountId: string) =>
    database.query<{ at: string; amount: bigint }>(sql`
      select booked_at::date::text as at, amount_minor as amount from posting
      where credit_account_id = ${accountId} and purpose = 'income' order by booked_at`);
  const wages = await credits(await accountOf("amara", "Everyday"));
  // 25 April is a Saturday, 25 May a bank holiday
  assert.deepEqual(
    wages.map(({ at }) => at),
    ["2026-03-25", "2026-04-24", "2026-05-22"],
  );
  assert.ok(wages.every(({ amount }) => amount === 284_250n));
  const takings = await credits(await accountOf("harriet", "Shop"));
  assert.equal(takings.length, new Set(takings.map(({ at }) => at)).size);
  assert.equal(takings[0]?.at, "2026-03-17");
  assert.ok(takings.length >= 60);
});

test("collections that fell due while no process was running are each made once, in order of date", async () => {
  now = Temporal.Instant.from("2026-08-20T12:00:00Z");
  await createSurroundings(database, () => now).drain();
  const accountId = await accountOf("amara", "Everyday");
  const water = (await collected(accountId, "2026-05-26")).filter(
    ({ name }) => name === "Thames Valley Water",
  );
  assert.deepEqual(
    water.map(({ dueOn }) => dueOn),
    ["2026-06-05", "2026-07-05", "2026-08-05"],
  );
});

test("of several processes one makes a collection, and a process that dies leaves nothing half done", {
  skip: onPostgres ? false : "PGlite has one connection: the PostgreSQL lane shows this",
}, async () => {
  const dying: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (on) => {
        await work(on);
        throw new Error("the process dies before it commits");
      }),
  };
  const before = now;
  now = Temporal.Instant.from("2026-09-07T03:00:00Z");
  await assert.rejects(createSurroundings(dying, () => now).drain());
  const accountId = await accountOf("amara", "Everyday");
  assert.deepEqual(await collected(accountId, "2026-09-01"), []);
  now = before;
  const worlds = Array.from({ length: 4 }, () => createSurroundings(database, () => now));
  await goOnTo("2026-10-01T00:00:00Z", worlds);
  const made = await collected(accountId, "2026-09-01");
  assert.deepEqual(
    made.map(({ dueOn }) => dueOn),
    ["2026-09-03", "2026-09-05", "2026-09-08", "2026-09-11"],
  );
  assert.deepEqual(await verifyInvariants(database), []);
});

test("a closed account neither pays direct debits nor receives income", async () => {
  const accountId = await accountOf("amara", "Everyday");
  await setAccount(database, accountId, { status: "Deleted" });
  const booked = async () =>
    (
      await database.query(sql`
        select 1 from posting where ${accountId} in (debit_account_id, credit_account_id)
          and purpose in ('income', 'direct-debit') and booked_at > '2026-10-01'`)
    ).length;
  await goOnTo("2026-11-10T00:00:00Z");
  assert.equal(await booked(), 0);
  const outcomes = (await collected(accountId, "2026-10-01")).map(({ outcome }) => outcome);
  assert.ok(
    outcomes.length > 0 && outcomes.every((outcome) => outcome === "unpaid"),
    `${outcomes}`,
  );
  await setAccount(database, accountId, { status: "Enabled" });
  await goOnTo("2026-12-20T00:00:00Z");
  assert.ok((await booked()) > 0, "both continue once the account is open again");
  assert.deepEqual(await verifyInvariants(database), []);
});

const breaches: [name: string, breach: ReturnType<typeof sql>][] = [
  [
    "a collection has one posting, which debits its mandate's account",
    sql`update direct_debit_collection set amount_minor = amount_minor + 1`,
  ],
  [
    "every direct debit from an account is a collection",
    sql`delete from direct_debit_collection where due_on > '2026-03-17'`,
  ],
  [
    "the last collection is the newest posting of its mandate",
    sql`update direct_debit_collection set due_on = '2029-01-01' where due_on < '2026-01-31'
      and due_on >= '2026-01-01'`,
  ],
  [
    "the next collection is after those already decided",
    sql`update sandbox_mandate set next_on = '2026-01-01'`,
  ],
  [
    "a mandate that has ended has no later collections",
    setMandates(sql`status = 'Cancelled', status_updated_at = '2026-01-01T00:00:00Z'`),
  ],
  [
    "a mandate has a next collection only while it is active",
    setMandates(sql`status = 'Cancelled', status_updated_at = '2100-01-01T00:00:00Z'`),
  ],
  [
    "a mandate shows the last collection that was paid",
    setMandates(sql`previous_minor = previous_minor + 1`),
  ],
];
for (const [name, breach] of breaches) {
  test(`verify finds a breach of: ${name}`, async () => {
    const seen = new Error("seen");
    const undone = database.transaction(async (on) => {
      await on.query(breach);
      const found = await verifyInvariants(on);
      assert.ok(
        found.some(({ invariant }) => invariant === name),
        JSON.stringify(found.slice(0, 3)),
      );
      throw seen;
    });
    await assert.rejects(undone, (error) => error === seen);
  });
}

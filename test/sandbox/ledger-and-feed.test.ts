import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { firstVersion, transactionCodes } from "#src/sandbox/bank/transaction-codes.ts";
import { setAccountState } from "#src/sandbox/controls/account-states.ts";
import { createRandom } from "#src/sandbox/random.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { transactionFact } from "#test/accounts/stored-transactions.ts";
import { elsewhere, insertAccounts, numberOf } from "#test/payments/execution/orders.ts";
import { onPostgres } from "#test/postgres.ts";
import { instruction, openEmpty } from "#test/sandbox/bank/empty-bank.ts";

const accounts = 6;
const days = 12;
const purchasesPerDay = 3;
const income = 500n;
const start = Temporal.Instant.from("2026-03-02T00:00:00Z");
const ids = Array.from({ length: accounts }, (_, index) => `account-${index + 1}`);

let database: Database;
let now = start;
const clock = { now: () => now };

before(async () => {
  database = await openEmpty();
  await insertAccounts(database, { accounts, balanceMinor: 10_000_000n });
  await addWork();
});
after(() => database.close());

/** Gives each account daily incomes, collections and pending card purchases. */
async function addWork(): Promise<void> {
  await database.query(sql`
    insert into sandbox_income (income_id, account_id, source_account_id, frequency, day_of_month,
      comes_before, time_of_day, least_minor, most_minor, transaction_type, information, next_on,
      due_at)
    select 'inc-' || id, id, 'internal-payroll', 'Daily', 1, false, '09:00', ${income}::bigint,
      ${income}::bigint, 'BGC', 'WAGES', '2026-03-02', '2026-03-02 09:00Z'
    from unnest(${ids}::text[]) as id`);
  await feed({
    directDebits: ids.flatMap((accountId) =>
      ["water", "yacht"].map((originatorName) => ({
        version: 1n,
        directDebitId: `${originatorName}-${accountId}`,
        accountId,
        mandateReference: originatorName,
        originatorName,
        frequency: "Daily" as const,
        state: "Active" as const,
        stateUpdatedAt: start,
        mandate: null,
        previous: null,
      })),
    ),
  });
  // no account can pay for a yacht, so these collections are returned unpaid
  await database.query(sql`
    insert into sandbox_mandate (direct_debit_id, creditor_account_id, day_of_month, least_minor,
      most_minor, next_on, due_at)
    select name || '-' || id, 'internal-direct-debits', 1, amount, amount, '2026-03-02',
      '2026-03-02 02:30Z'
    from unnest(${ids}::text[]) as id
    cross join (values ('water', 300::bigint), ('yacht', 10000000000)) as m(name, amount)`);
  const purchases = ids.flatMap((accountId) =>
    Array.from({ length: days * purchasesPerDay }, (_, index) =>
      transactionFact({
        ...transactionCodes("DEB"),
        accountId,
        transactionId: `purchase-${accountId}-${index}`,
        status: "Pending",
        bookedAt: start.add({ hours: 8 + Math.floor((index * 24) / purchasesPerDay) }),
      }),
    ),
  );
  await database.query(sql`
    insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select id, account_id, 100, 'card', ${start}
    from unnest(${purchases.map(({ transactionId }) => transactionId)}::text[],
      ${purchases.map(({ accountId }) => accountId)}::text[]) as h(id, account_id)`);
  await feed({ transactions: purchases });
}

const feed = (changes: AccountChanges) => createAccountFeed(database).apply(changes);

// returns the accounts in an order that depends on the seed
function shuffled(seed: string): string[] {
  const random = createRandom(seed);
  return ids
    .map((id) => ({ id, at: random.between(0, 1_000_000) }))
    .sort((one, other) => one.at - other.at)
    .map(({ id }) => id);
}

const rounds = 30;

/**
 * Sends facts of some accounts per call. All feeders send the same versions of the same facts, each
 * in a different order. The balances in sterling are older than the ledger's: they lock the row but
 * do not change it.
 */
async function sendFacts(feeder: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const all = shuffled(`feeder ${feeder} ${round}`).slice(0, 4);
    const version = BigInt(round);
    await feed({
      transactions: all.map((accountId) =>
        transactionFact({
          accountId,
          transactionId: `fed-${accountId}-${round % 5}`,
          version,
          status: "Information",
          information: `${round}`,
        }),
      ),
      balances: all.flatMap((accountId) =>
        ["GBP", "CHF"].map((currency) => ({
          accountId,
          currency,
          currencyKind: null,
          version: currency === "GBP" ? 0n : version,
          statedAt: now,
          balances: [{ type: "InterimBooked" as const, amountMinor: version }],
        })),
      ),
      delivered: all.map((accountId) => ({ accountId, cluster: "transactions", asOf: "live" })),
    });
  }
  // whatever the order of the calls was, each fact now has its newest version
  await feed({
    transactions: ids.map((accountId) =>
      transactionFact({
        accountId,
        transactionId: `fed-${accountId}-0`,
        version: 1000n,
        status: "Information",
        information: "newest",
      }),
    ),
  });
}

const incomeId = (accountId: string, day: number) =>
  `tx-inc-${accountId}-${start.toZonedDateTimeISO("UTC").toPlainDate().add({ days: day })}`;

/** Removes every income of the first two accounts, before, while or after the ledger sends it. */
async function removeIncomes(): Promise<void> {
  for (let day = 0; day < days; day++) {
    const removal = (accountId: string) => ({
      accountId,
      transactionId: incomeId(accountId, day),
      version: firstVersion + 1n,
    });
    await feed({ removed: { transactions: [removal("account-2"), removal("account-1")] } });
  }
}

const bank = () => createSandboxBank({ database, clock, scheme: () => ({ kind: "accept" }) });

/** Pays from and to all accounts. Some payments are refused when they are executed. */
async function pay(payer: number): Promise<void> {
  for (let batch = 0; batch < 20; batch++) {
    const random = createRandom(`payer ${payer} ${batch}`);
    const payments = Array.from({ length: 24 }, (_, index) => {
      const debtor = random.between(1, accounts);
      const creditor = random.between(0, accounts);
      const given = { debtor, creditor: creditor === 0 ? elsewhere : numberOf(creditor) };
      return instruction(`pay-${payer}-${batch}-${index}`, 3n, given);
    });
    await bank().reserve(payments);
    await bank().execute(payments);
  }
}

async function liveThroughDays(
  worlds: readonly ReturnType<typeof createSurroundings>[],
): Promise<void> {
  for (let half = 1; half <= days * 2; half++) {
    now = start.add({ hours: half * 12 });
    await Promise.all(worlds.map((world) => world.drain()));
  }
}

async function openAgain(): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const id of shuffled(`opener ${round}`)) {
      await setAccountState({ database, clock }, id, "open");
    }
  }
}

test("the ledger, incomes, collections and feeders change the same accounts without a deadlock or a lost fact", {
  skip: onPostgres ? false : "PGlite has one connection: the PostgreSQL lane shows this",
}, async () => {
  const worlds = [createSurroundings(database, clock.now), createSurroundings(database, clock.now)];
  const outcomes = await Promise.allSettled([
    ...[1, 2, 3].map(pay),
    ...[1, 2, 3].map(sendFacts),
    removeIncomes(),
    openAgain(),
    liveThroughDays(worlds),
  ]);
  assert.deepEqual(
    outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : [])),
    [],
  );

  const shown = async (pattern: string) =>
    (
      await database.query<{ information: string }>(sql`
        select distinct information from account_transaction
        where transaction_id like ${pattern} order by 1`)
    ).map(({ information }) => information);
  assert.deepEqual(await shown("fed-%-0"), ["newest"]);
  const chf = await database.query<{ accountId: string; isNewest: boolean }>(sql`
    select account_id as "accountId", booked_minor = version as "isNewest" from account_balance
    where currency = 'CHF' order by 1`);
  assert.deepEqual(
    chf,
    ids.map((accountId) => ({ accountId, isNewest: true })),
  );

  // the removed incomes are gone; a newer version brings them back, and then the books balance
  const removed = ["account-1", "account-2"];
  for (const accountId of removed) assert.deepEqual(await shown(`tx-inc-${accountId}-%`), []);
  await feed({
    transactions: removed.flatMap((accountId) =>
      Array.from({ length: days }, (_, day) =>
        transactionFact({
          accountId,
          transactionId: incomeId(accountId, day),
          version: firstVersion + 2n,
          indicator: "Credit",
          amount: { amountMinor: income, currency: "GBP" },
          bookingId: `post-${incomeId(accountId, day).slice(3)}`,
        }),
      ),
    ),
  });
  const breaches = await verifyInvariants(database);
  assert.deepEqual(
    breaches.filter(({ invariant }) => !invariant.includes("order")),
    [],
  );
  const [done] = await database.query(sql`
    select (select count(*)::integer from posting where purpose = 'income') as incomes,
      (select count(*)::integer from posting where purpose = 'card') as purchases,
      (select count(*)::integer from direct_debit_collection
        where outcome = 'unpaid') as unpaid`);
  assert.deepEqual(done, {
    incomes: accounts * days,
    purchases: accounts * days * purchasesPerDay,
    unpaid: accounts * days,
  });
});

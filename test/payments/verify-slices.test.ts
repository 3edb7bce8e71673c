import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeDueStatements } from "#src/bank/sandbox/statements.ts";
import { type Breach, describeBreach, verifyInvariants } from "#src/payments/verify.ts";
import { createWorld } from "#src/sandbox/world.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { copySeeded } from "#test/harness.ts";

let database: Database;
before(async () => {
  database = await copySeeded();
});
after(() => database?.close());

const texts = (breaches: Breach[]): string[] => [...new Set(breaches.map(describeBreach))].sort();

/** Statements that break what is verified, behind the triggers' back, each with a row to break. */
const breaking: Record<string, Sql> = {
  "a balance": sql`update ledger_account set balance_minor = balance_minor + 7
    where account_id = (select max(account_id) from ledger_account where kind = 'customer')`,
  "the balance of an internal account": sql`
    update ledger_account set balance_minor = balance_minor + 7 where account_id = 'internal-fps'`,
  "what is held": sql`update ledger_account set held_minor = held_minor + 3
    where account_id = (select min(account_id) from ledger_account where kind = 'customer')`,
  "a line's amount": sql`update account_transaction set amount_minor = amount_minor + 1
    where transaction_id = (select max(transaction_id) from account_transaction
      where status = 'Booked')`,
  "a line without posting": sql`update account_transaction set posting_id = 'nowhere'
    where transaction_id = (select min(transaction_id) from account_transaction
      where status = 'Booked')`,
  "a card's hold": sql`delete from hold where hold_id =
    (select min(hold_id) from hold where purpose = 'card')`,
  "a statement": sql`update account_statement set debits_minor = debits_minor + 1,
      closing_minor = closing_minor - 1
    where statement_id = (select min(statement_id) from account_statement)`,
  "a mandate's next day": sql`update direct_debit set next_on = '2020-01-01'
    where direct_debit_id = (select max(direct_debit_id) from direct_debit_collection)`,
  "a collection": sql`insert into posting (posting_id, debit_account_id, credit_account_id,
      amount_minor, currency, booked_at, purpose)
    values ('a-nobody', 'internal-fps', 'internal-direct-debits', 1, 'GBP', '2026-01-01',
      'direct-debit')`,
  "a payment's hold": sql`insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select 'zz-nobody', min(account_id), 1, 'payment', '2026-01-01' from ledger_account
    where kind = 'customer'`,
  "a payment that nobody gave": sql`insert into bank_payment (payment_id, state, created_at,
      debtor_account_id, amount_minor, charge_minor, currency, creditor)
    select 'a-nobody', 'refused', '2026-01-01', min(account_id), 1, 0, 'GBP', '{}' from account`,
  "a consumed consent": sql`insert into consent (consent_id, kind, client_id, status, created_at,
      status_updated_at, body)
    select 'zz-consent', 'domestic-payment', min(client_id), 'COND', '2026-01-01', '2026-01-01',
      '{}'
    from client`,
};

class Undo extends Error {}

async function within(work: (on: Queryable) => Promise<void>): Promise<void> {
  await database
    .transaction(async (on) => {
      await on.query(sql`
        insert into client (client_id, organisation_id, software_id, name, roles, certificate_bound,
          jwks, metadata, created_at)
        values ('verified', 'org', 'soft', 'A TPP', '{PISP}', true, '{}', '{}', '2026-01-01')`);
      await work(on);
      throw new Undo();
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error;
    });
}

test("a bank that holds has no breach in slices of any size", async () => {
  for (const perSlice of [1_000_000, 7]) {
    assert.deepEqual(texts(await verifyInvariants(database, { perSlice })), []);
  }
});

for (const [name, statement] of Object.entries(breaking)) {
  test(`${name} that is broken is found in slices as in one statement`, async () => {
    await within(async (on) => {
      await on.query(statement);
      const whole = texts(await verifyInvariants(on, { perSlice: 1_000_000 }));
      assert.ok(whole.length > 0);
      assert.deepEqual(texts(await verifyInvariants(on, { perSlice: 7 })), whole);
    });
  });
}

test("slices find no breach while wages, purchases, debits and statements are booked", async () => {
  let today = Temporal.Now.instant();
  let isWorking = true;
  let days = 0;
  const work = (async () => {
    const world = createWorld(database, () => today);
    while (isWorking) {
      today = today.add({ hours: 24 });
      await world.drain();
      await makeDueStatements(database, today);
      days += 1;
    }
  })();
  try {
    for (let turn = 0; turn < 2; turn += 1) {
      assert.deepEqual(texts(await verifyInvariants(database, { perSlice: 25 })), []);
    }
  } finally {
    isWorking = false;
    await work;
  }
  assert.ok(days > 1, "the bank worked meanwhile");
  assert.deepEqual(texts(await verifyInvariants(database)), []);
});

test("no slice reads more than its own ids, and the progress is reported", async () => {
  const accounts = await database.query(sql`select account_id from ledger_account`);
  let statements = 0;
  const counting: Queryable = {
    query: (statement) => {
      statements += 1;
      return database.query(statement);
    },
  };
  const shown: [string, number, number][] = [];
  await verifyInvariants(counting, {
    perSlice: 10,
    onProgress: (text, done = 0, total = 0) => void shown.push([text, done, total]),
  });
  const slices = shown.filter(([text]) => text === "Checking accounts").length;
  assert.equal(slices, Math.floor(accounts.length / 10) + 1);
  // each slice: its end, and its check
  assert.ok(statements > shown.length * 2 - 8);
  for (const [text, done, total] of shown) assert.ok(done <= total || total === 0, text);
});

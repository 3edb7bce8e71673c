import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { makeDueStatements } from "#src/sandbox/bank/statements.ts";
import { verifyBalances } from "#src/sandbox/bank/verify/balances.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { type Breach, describeBreach } from "#src/storage/invariants.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { addClient } from "#test/clients/add-client.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

let database: Database;
before(async () => {
  // a small bank, because checking a large one in many small slices takes long
  database = await openEmpty();
  await seedPersonas(database, { now: Temporal.Now.instant(), newest: 60 });
});
after(() => database?.close());

const texts = (breaches: Breach[]): string[] => [...new Set(breaches.map(describeBreach))].sort();

/** Stores a consent that expired on 31 December 2025, and a question a month after its approval. */
function fundsQuestion(authorisedAt: Sql): Sql {
  return sql`
    with lodged as (
      insert into consent (api_version, consent_id, kind, client_id, status, created_at,
        status_updated_at, expires_at, authorised_at, body)
      select 'cbpii-v4.0', 'zz-consent', 'funds-confirmation', min(client_id), 'EXPD',
        '2025-12-01', '2025-12-31', '2025-12-31', ${authorisedAt}::timestamptz, '{}'
      from client
      returning consent_id, authorised_at
    )
    insert into funds_confirmation (funds_confirmation_id, consent_id, asked_at, reference,
      amount_minor, currency, is_available)
    select 'a-question', consent_id, coalesce(authorised_at + interval '1 month', '2025-12-02'),
      'R', 1, 'GBP', true
    from lodged`;
}

/**
 * Statements that bypass the triggers. Each breaks one row in one of the ways that verify must
 * find.
 */
const breaking: Record<string, Sql> = {
  "a balance": sql`update ledger_account set balance_minor = balance_minor + 7
    where account_id = (select max(account_id) from ledger_account where kind = 'customer')`,
  "the balance of an internal account": sql`
    update ledger_account set balance_minor = balance_minor + 7 where account_id = 'internal-fps'`,
  "a posting that moved no balance": sql`
    with quiet as materialized (select set_config('session_replication_role', 'replica', true))
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    select 'zz-quiet', 'internal-fps', min(account_id), 5, 'GBP', '2026-01-01', 'quiet'
    from ledger_account, quiet where kind = 'customer' and currency = 'GBP'`,
  "the held amount": sql`update ledger_account set held_minor = held_minor + 3
    where account_id = (select min(account_id) from ledger_account where kind = 'customer')`,
  "a shown balance": sql`update account_balance set available_minor = available_minor + 1
    where account_id = (select min(account_id) from account_balance)`,
  "a missing balance": sql`delete from account_balance
    where account_id = (select max(account_id) from account_balance)`,
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
  "a mandate's next day": sql`update sandbox_mandate set next_on = '2020-01-01'
    where direct_debit_id = (select max(direct_debit_id) from direct_debit_collection)`,
  "a collection": sql`insert into posting (posting_id, debit_account_id, credit_account_id,
      amount_minor, currency, booked_at, purpose)
    values ('a-nobody', 'internal-fps', 'internal-direct-debits', 1, 'GBP', '2026-01-01',
      'direct-debit')`,
  "a payment's hold": sql`insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select 'zz-nobody', min(account_id), 1, 'payment', '2026-01-01' from ledger_account
    where kind = 'customer'`,
  "a payment that no order has": sql`insert into bank_payment (payment_id, state, created_at,
      debtor_account_id, amount_minor, charge_minor, currency, creditor)
    select 'a-nobody', 'refused', '2026-01-01', min(account_id), 1, 0, 'GBP', '{}' from account`,
  "a consumed consent": sql`insert into consent (api_version,
    consent_id, kind, client_id, status, created_at,
      status_updated_at, body)
    select 'pisp-v4.0',
      'zz-consent', 'domestic-payment', min(client_id), 'COND', '2026-01-01', '2026-01-01',
      '{}'
    from client`,
  "a consent's kind": sql`insert into consent (api_version, consent_id, kind, client_id, status,
      created_at, status_updated_at, body)
    select 'pisp-v4.0', 'zz-consent', 'domestic-pigeon', min(client_id), 'AWAU', '2026-01-01',
      '2026-01-01', '{}'
    from client`,
  "a question about funds that nobody allowed": fundsQuestion(sql`null`),
  "a question about funds after the consent's expiry": fundsQuestion(sql`'2025-12-01'`),
};

class Undo extends Error {}

async function within(work: (on: Queryable) => Promise<void>): Promise<void> {
  await database
    .transaction(async (on) => {
      await addClient(on, "verified", { name: "A TPP", roles: ["PISP"] });
      await work(on);
      throw new Undo();
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error;
    });
}

test("a consistent bank has no breach in slices of any size", async () => {
  for (const perSlice of [1_000_000, 7]) {
    assert.deepEqual(texts(await verifyInvariants(database, { perSlice })), []);
  }
});

for (const [name, statement] of Object.entries(breaking)) {
  test(`a breach of ${name} is found both in slices and in one statement`, async () => {
    await within(async (on) => {
      await on.query(statement);
      const whole = texts(await verifyInvariants(on, { perSlice: 1_000_000 }));
      assert.ok(whole.length > 0);
      assert.deepEqual(texts(await verifyInvariants(on, { perSlice: 7 })), whole);
    });
  });
}

test("the check names a question about funds that its consent did not allow", async () => {
  for (const [authorisedAt, invariant] of [
    [sql`null`, "a question about funds belongs to an authorised consent of its kind"],
    [sql`'2025-12-01'`, "a question about funds was asked before its consent expired"],
  ] as const) {
    await within(async (on) => {
      await on.query(fundsQuestion(authorisedAt));
      const found = await verifyInvariants(on, { hasOwnCore: true });
      assert.deepEqual(
        found.map((breach) => [breach.invariant, breach.subject]),
        [[invariant, "a-question"]],
      );
    });
  }
});

test("a bank with its own core is checked for orders and consents, not for a ledger", async () => {
  await within(async (on) => {
    const ledgerBreach = present(breaking["a balance"], "a broken ledger");
    const consentBreach = present(breaking["a consumed consent"], "a broken consent");
    await on.query(ledgerBreach);
    assert.deepEqual(await verifyInvariants(on, { hasOwnCore: true }), []);
    await on.query(consentBreach);
    const found = await verifyInvariants(on, { hasOwnCore: true });
    assert.deepEqual(
      found.map(({ invariant, subject }) => [invariant, subject]),
      [
        ["a consumed consent has one order", "zz-consent"],
        [
          "an authorised consent covers one account, or several if it is an account access consent",
          "zz-consent",
        ],
      ],
    );
  });
});

const post = (purpose: string, postedIn = sql`default`): Sql => sql`
  insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
    booked_at, purpose, posted_in)
  values (${randomUUID()}, 'internal-fps', 'internal-direct-debits', 1, 'GBP', '2026-01-01',
    ${purpose}, ${postedIn})`;

/** Wraps the database so that `work` runs after each statement. */
const interrupted = (work: (statement: Sql) => Promise<void>): Queryable => ({
  async query<Row>(statement: Sql): Promise<Row[]> {
    const rows = await database.query<Row>(statement);
    await work(statement);
    return rows;
  },
});

const isMoment = ({ text }: Sql): boolean => text.includes("array_agg(a.balance_minor");

test("a posting between the statements of the check is not a breach", async () => {
  let posted = 0;
  const busy = interrupted(async () => {
    posted += 1;
    await database.query(post("in between"));
  });
  assert.deepEqual(texts(await verifyInvariants(busy, { perSlice: 400, perPass: 50 })), []);
  assert.ok(posted > 20);
});

test("a wrong balance is found in each pass, even while the bank posts", async () => {
  const [low, high] = await database.query<{ id: string }>(sql`
    select unnest(array[min(account_id), max(account_id)]) as id from ledger_account`);
  const add = (amount: number): Promise<unknown> =>
    database.query(sql`update ledger_account set balance_minor = balance_minor + ${amount}::integer
      where account_id in (${low?.id}, ${high?.id})`);
  await add(9);
  try {
    const busy = interrupted(async () => void (await database.query(post("in between"))));
    const found = await verifyBalances(busy, 20, { perSlice: 400, perPass: 50 });
    assert.deepEqual(
      found.map(({ subject, expected, found: is }) => [subject, BigInt(is) - BigInt(expected)]),
      [
        [low?.id, 9n],
        [high?.id, 9n],
      ],
    );
  } finally {
    await add(-9);
  }
});

test("a posting with another server's transaction number is counted, as after a restore", async () => {
  await database.query(post("restored", sql`'99999999999'::xid8`));
  assert.deepEqual(texts(await verifyBalances(database, 20, {})), []);
});

test("a table of postings that is rewritten during the check is summed again", async () => {
  let moments = 0;
  const rewriting = interrupted(async (statement) => {
    if (isMoment(statement) && ++moments === 1) await database.execute("vacuum full posting");
  });
  assert.deepEqual(texts(await verifyBalances(rewriting, 20, {})), []);
  assert.equal(moments, 2);
});

const oneConnection = onPostgres ? false : "the embedded database has one connection";

test("a restored posting is counted while an older transaction runs in any database of the server", {
  skip: oneConnection,
}, async () => {
  const started = Promise.withResolvers<void>();
  const checked = Promise.withResolvers<void>();
  const older = database.transaction(async (on) => {
    await on.query(sql`select pg_current_xact_id()`);
    started.resolve();
    await checked.promise;
  });
  await started.promise;
  try {
    await database.query(post("restored meanwhile", sql`'99999999999'::xid8`));
    assert.deepEqual(texts(await verifyBalances(database, 20, {})), []);
  } finally {
    checked.resolve();
    await older;
  }
});

test("a posting that is restored between the statements of the check is not a breach", async () => {
  const restoring = interrupted(
    async () => void (await database.query(post("restored later", sql`'99999999999'::xid8`))),
  );
  assert.deepEqual(texts(await verifyBalances(restoring, 20, { perSlice: 400 })), []);
});

test("a transaction that posts before the balances are read and commits afterwards is not a breach", {
  skip: oneConnection,
}, async () => {
  const posted = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const open = database.transaction(async (on) => {
    await on.query(post("outer"));
    await on.query(sql`savepoint nested`);
    await on.query(post("inner"));
    await on.query(sql`release savepoint nested`);
    // a later transaction ends first, so the snapshot is newer than the nested transaction's number
    await database.query(sql`select pg_current_xact_id()`);
    posted.resolve();
    await read.promise;
  });
  await posted.promise;
  const late = interrupted(async (statement) => {
    if (!isMoment(statement)) return;
    read.resolve();
    await open;
  });
  assert.deepEqual(texts(await verifyBalances(late, 20, { perSlice: 400 })), []);
});

test("many checks in small slices find no breach while four connections post", {
  skip: oneConnection,
}, async () => {
  let isPosting = true;
  let posted = 0;
  const poster = async (): Promise<void> => {
    while (isPosting) {
      await database.transaction(async (on) => {
        await on.query(post("first"));
        await on.query(post("second"));
      });
      posted += 2;
    }
  };
  const posters = [poster(), poster(), poster(), poster()];
  try {
    for (let turn = 0; turn < 40; turn += 1) {
      const options = turn % 10 === 0 ? { perSlice: 400, perPass: 100 } : { perSlice: 1_000 };
      assert.deepEqual(texts(await verifyBalances(database, 20, options)), []);
    }
  } finally {
    isPosting = false;
    await Promise.all(posters);
  }
  assert.ok(posted > 40, `${posted} postings were made meanwhile`);
});

test("slices find no breach while wages, purchases, debits and statements are booked", async () => {
  let today = Temporal.Now.instant();
  let isWorking = true;
  let days = 0;
  const work = (async () => {
    const world = createSurroundings(database, () => today);
    while (isWorking) {
      today = today.add({ hours: 24 });
      await world.drain();
      await makeDueStatements(database, today);
      days += 1;
    }
  })();
  work.catch(() => {
    isWorking = false;
  });
  try {
    // at least twice, and until the bank has booked meanwhile
    for (let turn = 0; turn < 2 || (isWorking && days < 2); turn += 1) {
      assert.deepEqual(texts(await verifyInvariants(database, { perSlice: 25 })), []);
    }
  } finally {
    isWorking = false;
    await work;
  }
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
  // each slice runs two statements, its end and its check; a slice of postings runs one
  const pages = shown.filter(([text]) => text === "Summing postings").length;
  assert.ok(pages > 1);
  assert.ok(statements > (shown.length - pages) * 2 + pages - 8);
  for (const [text, done, total] of shown) assert.ok(done <= total || total === 0, text);
});

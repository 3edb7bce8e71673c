// What a bank erases through the feed is gone from the whole database, also from the lists that the
// store keeps about facts. What stays has a reason.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { listRefusedFacts } from "#src/account-store/refusals.ts";
import { purgeFacts, purgeRefusals } from "#src/account-store/retention.ts";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { dataRows } from "#test/tidy/data-page.ts";
import { ageRemovals } from "./age-removals.ts";
import { every } from "./every-change.ts";

const accountId = "erased-account";
const customerId = "erased-customer";

let database: Database;
let bank: AccountsBank;
let feed: AccountFeed;
before(async () => {
  database = await openEmpty();
  bank = await AccountsBank.over(database);
  feed = createAccountFeed(database);
});
after(() => bank?.close());

// each erasure is newer than the facts, and the facts of the next test are newer than it
let version = 1n;

/** Tables in which the ids stay, each with a part of the sentence that says so, and why. */
const staying: Readonly<Record<string, RegExp>> = {
  removed_fact: /Aldgate remembers a removal/,
  change: /the history/,
  consent: /the consents/,
  consent_account: /the consents/,
};

/** The tables that have one of these texts anywhere in a row. */
async function tablesWith(...ids: string[]): Promise<string[]> {
  const tables = await database.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await database.query<{ isThere: boolean }>({
      text: `select exists(select from "${name}" t, unnest($1::text[]) id
        where position(id in row_to_json(t)::text) > 0) as "isThere"`,
      values: [ids],
    });
    if (row?.isThere) found.push(name);
  }
  return found;
}

/** Facts of the account and the customer, one of each kind. */
function ownFacts(): Required<
  Pick<AccountChanges, "accounts" | "holders" | "parties" | "beneficiaries" | "transactions">
> &
  AccountChanges {
  const one = <Kind extends keyof AccountChanges>(kind: Kind) =>
    present((shownFacts[kind] ?? every[kind]) as readonly object[] | undefined, kind)[0];
  const named = (kind: keyof AccountChanges, id?: string) => [
    {
      ...one(kind),
      accountId,
      version,
      ...(id ? { [id]: `${kind} of ${accountId}`.replaceAll(" ", "-") } : {}),
    },
  ];
  const account = { sortCodeAccountNumber: null, iban: null, productId: null, companyId: null };
  // safe: each is a fact of its kind with other ids
  return {
    parties: [{ ...one("parties"), partyId: customerId, version }],
    accounts: [{ ...one("accounts"), ...account, accountId, version }],
    holders: [{ ...one("holders"), accountId, customerId, version }],
    balances: named("balances"),
    transactions: named("transactions", "transactionId"),
    statements: named("statements", "statementId"),
    directDebits: named("directDebits", "directDebitId"),
    standingOrders: named("standingOrders", "standingOrderId"),
    scheduledPayments: named("scheduledPayments", "scheduledPaymentId"),
    offers: named("offers", "offerId"),
    beneficiaries: [
      { ...one("beneficiaries"), customerId, beneficiaryId: "erased-payee", version },
    ],
  } as unknown as ReturnType<typeof ownFacts>;
}

/** The same facts, each broken in one member and with another key. */
function brokenFacts(): AccountChanges {
  const broken = Object.entries(ownFacts()).map(([kind, facts]) => [
    kind,
    (facts as readonly Record<string, unknown>[]).map((fact) => ({
      ...fact,
      ...(typeof fact.transactionId === "string" ? { transactionId: "erased-line-2" } : {}),
      version: "not a version",
    })),
  ]);
  return Object.fromEntries(broken) as AccountChanges; // they are wrong on purpose
}

beforeEach(async () => {
  version += 1n;
  const { refused } = await feed.apply({ ...ownFacts(), ...delivered });
  assert.deepEqual(refused, []);
  await bank.addConsent({ customerId, accountIds: [accountId] });
  const gone = [{ accountId, transactionId: "erased-line-9", version: 5n }];
  await feed.apply({ removed: { transactions: gone } });
});

async function sweep(): Promise<void> {
  await purgeRefusals(database);
  await purgeFacts(database, {}, bank.now);
}

const delivered = {
  delivered: [{ accountId, cluster: "balances" as const, asOf: "live" as const }],
};

const eraseAccount = () => {
  version += 1n;
  return feed.apply({ removed: { accounts: [{ accountId, version }] } });
};
const eraseCustomer = () => {
  version += 1n;
  const { holders, beneficiaries } = ownFacts();
  return feed.apply({
    removed: {
      parties: [{ partyId: customerId, version }],
      holders: holders.map(() => ({ accountId, customerId, version })),
      beneficiaries: beneficiaries.map(({ beneficiaryId }) => ({ beneficiaryId, version })),
    },
  });
};

test("after an account and its customer were erased, no table has their ids without a reason", async () => {
  const { refused } = await feed.apply(brokenFacts());
  assert.ok(refused.length >= 11);
  await feed.apply(brokenFacts(), { source: "another" });
  const before = await tablesWith(accountId, customerId);
  for (const table of ["account", "party", "beneficiary", "account_freshness", "fact_refusal"]) {
    assert.ok(before.includes(table), table);
  }
  await eraseAccount();
  await eraseCustomer();
  const left = await tablesWith(accountId, customerId, "erased-payee", "erased-line-2");
  assert.deepEqual(left, Object.keys(staying).toSorted());
});

test("the page for the bank's engineers says where the ids stay", () => {
  const page = readFileSync(new URL("../../docs/own-core.md", import.meta.url), "utf8");
  for (const [table, words] of Object.entries(staying)) assert.match(page, words, table);
});

test("the page about personal data says of each table whether an erasure reaches it", async () => {
  await feed.apply(brokenFacts());
  const before = await tablesWith(accountId, customerId);
  await eraseAccount();
  await eraseCustomer();
  const left = await tablesWith(accountId, customerId, "erased-payee", "erased-line-2");
  assert.ok(before.length >= 15);
  for (const table of before) {
    const said = dataRows.find((row) => row.table === table)?.erased;
    assert.match(said ?? "", left.includes(table) ? /^No\b/ : /^Yes\b/, table);
  }
});

test("a refused fact is listed no more once the bank has removed it, also if its removal was refused", async () => {
  const [fact] = brokenFacts().transactions ?? [];
  await feed.apply({ transactions: fact ? [fact] : [] });
  const removal = { accountId, transactionId: "erased-line-2" };
  await feed.load(linesOf({ removed: { transactions: [{ ...removal, version: "none" }] } }));
  const listed = async () =>
    (await listRefusedFacts(database)).filter(({ key }) => key === "erased-line-2");
  assert.deepEqual((await listed()).map(({ kind }) => kind).toSorted(), [
    "removed transactions",
    "transactions",
  ]);
  await feed.apply({ removed: { transactions: [{ ...removal, version: version + 1n }] } });
  assert.deepEqual(await listed(), []);
});

test("an older removal forgets no refusal", async () => {
  const [fact] = brokenFacts().accounts ?? [];
  await feed.apply({ accounts: fact ? [fact] : [] });
  await feed.apply({ removed: { accounts: [{ accountId, version: -1n }] } });
  const listed = await listRefusedFacts(database);
  assert.ok(listed.some(({ kind, key }) => kind === "accounts" && key === accountId));
});

test("refusals of facts that come after the erasure are forgotten after thirty days", async () => {
  await eraseAccount();
  const { refused } = await feed.apply({ transactions: ownFacts().transactions });
  assert.equal(refused.length, 1);
  await sweep();
  assert.ok((await tablesWith(accountId)).includes("fact_refusal"));
  await database.query(sql`update fact_refusal set refused_at = now() - interval '31 days'`);
  await ageRemovals(database, 31);
  await sweep();
  assert.equal((await tablesWith(accountId)).includes("fact_refusal"), false);
});

test("a refused fact that the bank has never removed stays listed", async () => {
  const source = "never-stored";
  const [party] = ownFacts().parties;
  const [payee] = ownFacts().beneficiaries;
  const [line] = ownFacts().transactions;
  assert.ok(party && payee && line);
  const wrong = { version: "not a version" };
  const broken = {
    parties: [{ ...party, partyId: "never-stored", ...wrong }],
    beneficiaries: [
      { ...payee, customerId: "without-party", beneficiaryId: "never-stored", ...wrong },
    ],
    transactions: [{ ...line, transactionId: "never-stored", ...wrong }],
  } as unknown as AccountChanges; // they are wrong on purpose
  await feed.apply(broken, { source });
  // as the rows of an earlier release, which does not say whom a transaction is about
  await database.query(sql`
    update fact_refusal set account_id = null where source = ${source} and kind = 'transactions'`);
  await database.query(sql`
    update fact_refusal set refused_at = now() - interval '31 days' where source = ${source}`);
  await sweep();
  const listed = (await listRefusedFacts(database)).filter((one) => one.source === source);
  assert.deepEqual(listed.map(({ kind }) => kind).toSorted(), [
    "beneficiaries",
    "parties",
    "transactions",
  ]);
});

test("refusals about an erased customer are forgotten, however late the sweep comes", async () => {
  await eraseAccount();
  await eraseCustomer();
  const { refused } = await feed.apply({ parties: brokenFacts().parties ?? [] });
  assert.equal(refused.length, 1);
  await ageRemovals(database, 31);
  await sweep();
  const isListed = async () =>
    (await listRefusedFacts(database)).some(({ key }) => key === customerId);
  assert.equal(await isListed(), true);
  await database.query(sql`update fact_refusal set refused_at = now() - interval '31 days'`);
  await sweep();
  assert.equal(await isListed(), false);
  await sweep();
  const left = await tablesWith(customerId);
  assert.equal(left.includes("fact_refusal"), false);
  const removals = await database.query(sql`
    select from removed_fact where entity = 'party' and key = ${customerId}`);
  assert.deepEqual(removals, []);
});

async function* linesOf(change: object): AsyncGenerator<string> {
  yield JSON.stringify(change);
}

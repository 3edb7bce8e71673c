import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { countRefusedFacts, listRefusedFacts } from "#src/account-store/refusals.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { openShownStore } from "./shown-store.ts";

let database: Database;
let feed: AccountFeed;

before(async () => {
  ({ database, feed } = await openShownStore());
});
after(() => database.close());

type Kind = Exclude<keyof AccountChanges, "removed" | "delivered">;
type Row = [title: string, kind: Kind, change: Record<string, unknown>, path: string, rule: RegExp];

const pound = { amountMinor: 1n, currency: "GBP" };
const creditor = { schemeName: "UK.OBIE.SortCodeAccountNumber", identification: "20001512345678" };
const emoji = "😀";

const rows: Row[] = [
  ["the currency pounds", "accounts", { currency: "pounds" }, "/currency", /ISO 4217/],
  ["a currency that does not exist", "accounts", { currency: "ZZZ" }, "/currency", /ISO 4217/],
  ["an unknown kind", "accounts", { accountSubType: "ISA" }, "/accountSubType", /CurrentAccount/],
  [
    "a sort code of 2 digits",
    "accounts",
    { sortCodeAccountNumber: "12" },
    "/sortCode",
    /14 digits/,
  ],
  ["an IBAN that is none", "accounts", { iban: "nonsense" }, "/iban", /check digits/],
  ["an IBAN with a wrong digit", "accounts", { iban: "GB33BUKB20201555555556" }, "/iban", /check/],
  ["a long nickname", "accounts", { nickname: "n".repeat(71) }, "/nickname", /1 to 70/],
  ["a long description", "accounts", { description: "d".repeat(36) }, "/description", /1 to 35/],
  ["no holder's name", "accounts", { holderName: "" }, "/holderName", /1 to 350/],
  ["a date as text", "accounts", { openedOn: "2024-03-01" }, "/openedOn", /Temporal.PlainDate/],
  ["a nickname with a NUL", "accounts", { nickname: "a\0b" }, "/nickname", /no NUL/],
  [
    "a lone surrogate in an address",
    "parties",
    { contact: { address: { lines: ["ok", "a\ud800"] } } },
    "/contact/address/lines/1",
    /no lone surrogate/,
  ],
  [
    "a NUL in the name of a further member",
    "beneficiaries",
    { supplementary: { b: { "a\0": 1 } } },
    "/supplementary/b/a",
    /no NUL/,
  ],
  [
    "more signatories than an integer can be",
    "accounts",
    { signatoriesRequired: 3_000_000_000 },
    "/signatoriesRequired",
    /at most 2147483647/,
  ],
  ["nobody to sign", "accounts", { signatoriesRequired: 0 }, "/signatoriesRequired", /1/],
  ["a BIC that is none", "accounts", { servicer: { bic: "BANK" } }, "/servicer", /BIC/],
  [
    "an id of 64 characters with a space",
    "holders",
    { customerId: ` ${"x".repeat(63)}` },
    "/customerId",
    /without spaces/,
  ],
  ["an unknown role", "holders", { role: "friend" }, "/role", /owner, joint, signatory/],
  [
    "a phone number without a country",
    "parties",
    { contact: { phone: "020 7946 0000" } },
    "/contact/phone",
    /\+44-7700900123/,
  ],
  [
    "an e-mail address that is none",
    "parties",
    { contact: { email: "not an address" } },
    "/contact/email",
    /e-mail/,
  ],
  ["an LEI that is none", "parties", { lei: "12" }, "/lei", /LEI/],
  [
    "a balance of an unknown type",
    "balances",
    { balances: [{ type: "Mine", amountMinor: 1n }] },
    "/balances/0/type",
    /InterimBooked/,
  ],
  [
    "a balance in pounds and pence",
    "balances",
    { balances: [{ type: "InterimBooked", amountMinor: 1.5 }] },
    "/balances/0/amountMinor",
    /bigint/,
  ],
  [
    "a status that does not exist",
    "transactions",
    { status: "Reversed" },
    "/status",
    /Booked, Future/,
  ],
  [
    "an amount with a sign",
    "transactions",
    { amount: { ...pound, amountMinor: -1n } },
    "/amount/amountMinor",
    /without a sign/,
  ],
  [
    "an amount in pounds",
    "transactions",
    { amount: { ...pound, currency: "pounds" } },
    "/amount/currency",
    /ISO 4217/,
  ],
  ["a time as text", "transactions", { bookedAt: "yesterday" }, "/bookedAt", /Temporal.Instant/],
  ["an id of an emoji", "transactions", { transactionId: emoji }, "/transactionId", /ASCII/],
  ["the details {hello: 1}", "products", { details: { hello: 1 } }, "/details", /ProductType/],
  ["no details", "products", { details: {} }, "/details", /ProductType/],
  [
    "an unknown type of product",
    "products",
    { details: { ProductType: "Gift" } },
    "/details/ProductType",
    /./,
  ],
  ["an unknown state", "directDebits", { state: "Asleep" }, "/state", /Active/],
  [
    "a creditor without a namespace",
    "standingOrders",
    { creditor: { ...creditor, schemeName: "IBAN" } },
    "/creditor/schemeName",
    /namespace/,
  ],
  [
    "a creditor's sort code of 2 digits",
    "standingOrders",
    { creditor: { ...creditor, identification: "12" } },
    "/creditor",
    /fits its schemeName/,
  ],
  [
    "a scheduled amount in no currency",
    "scheduledPayments",
    { amount: { ...pound, currency: "" } },
    "/amount/currency",
    /ISO 4217/,
  ],
  [
    "a payee without a number",
    "beneficiaries",
    { identification: "" },
    "/identification",
    /1 to 256/,
  ],
  [
    "an offer of an unknown type",
    "offers",
    { details: { OfferType: "Gift" } },
    "/details/OfferType",
    /./,
  ],
];

const product = {
  version: 1n,
  productId: "p",
  name: "A product",
  purchaseRate: null,
  details: { ProductType: "Other", OtherProductType: { Name: "n", Description: "d" } },
};
const first = (kind: Kind): object => (kind === "products" ? product : shownFacts[kind]?.[0]) ?? {};

for (const [title, kind, change, path, rule] of rows) {
  test(`a fact with ${title} is refused, and the error names it`, async () => {
    const accountId = `good-${rows.findIndex(([name]) => name === title)}`;
    const numbers = { sortCodeAccountNumber: null, iban: null };
    const good = { ...first("accounts"), accountId, ...numbers };
    const bad = { ...first(kind), ...change, version: 9n };
    const changes = { accounts: [good], [kind]: [...(kind === "accounts" ? [good] : []), bad] };
    const answer = await feed.apply(changes as unknown as AccountChanges);
    const [refused, ...others] = answer.refused;
    assert.deepEqual(others, []);
    assert.equal(refused?.kind, kind);
    assert.ok(refused.key.length > 0);
    const listed = (await listRefusedFacts(database)).filter(
      (one) => one.kind === kind && one.key === refused.key,
    );
    assert.deepEqual(
      listed.map(({ path, rule }) => ({ path, rule })),
      [{ path: refused.path, rule: refused.rule }],
    );
    assert.ok(refused.path.startsWith(path), `${refused.path} ${refused.rule}`);
    assert.match(refused.rule, rule);
    const stored = await database.query(sql`
      select account_id from account where account_id = ${accountId}`);
    assert.equal(stored.length, 1, "the other fact of the call is stored");
  });
}

test("a refusal is forgotten as soon as a version of the fact is stored", async () => {
  const changes = { ...shownFacts, products: [product] };
  const older = await listRefusedFacts(database);
  assert.ok(older.length > 0);
  const { refused } = await feed.apply(changes);
  assert.deepEqual(refused, []);
  const left = await listRefusedFacts(database);
  const keys = (kind: string, all: readonly { kind: string; key: string }[]) =>
    all.filter((one) => one.kind === kind).map(({ key }) => key);
  const product1 = keys("products", older);
  assert.ok(product1.includes("p"));
  assert.ok(!keys("products", left).includes("p"));
});

test("many wrong facts do not stop the others of the call, and are counted", async () => {
  const [transaction] = shownFacts.transactions ?? [];
  assert.ok(transaction);
  const wrong = Array.from({ length: 30 }, (_, index) => ({
    ...transaction,
    transactionId: `wrong-${index}`,
    status: "Reversed" as "Booked",
  }));
  const right = { ...transaction, transactionId: "right" };
  const before = await countOf("ledger");
  const position = { source: "ledger", cursor: "31" };
  const { refused } = await feed.apply({ transactions: [...wrong, right] }, position);
  assert.equal(refused.length, 30);
  assert.match(refused[0]?.rule ?? "", /^must be one of Booked/);
  assert.equal((await countOf("ledger")) - before, 30);
  const stored = await database.query(sql`
    select transaction_id from account_transaction where transaction_id = 'right'`);
  assert.equal(stored.length, 1);
  assert.equal(await feed.cursor("ledger"), "31", "the cursor moves on: the feed does not stop");
});

const hostileIds = [
  ["a NUL", "a\0b"],
  ["a lone surrogate", "a\ud800"],
  ["an emoji at the place where it is cut", `${"x".repeat(499)}${emoji}`],
  ["many bytes", Array.from({ length: 30_000 }, (_, index) => index.toString(36)).join("")],
] as const;
for (const [title, id] of hostileIds) {
  test(`ids with ${title} are refused and listed in every place, and the cursor moves on`, async () => {
    const [transaction] = shownFacts.transactions ?? [];
    assert.ok(transaction);
    const source = title.replaceAll(" ", "-");
    const { refused } = await feed.apply(
      {
        transactions: [{ ...transaction, transactionId: id, version: 9n }],
        removed: { accounts: [{ accountId: id, version: 9n }] },
        delivered: [{ accountId: id, cluster: "balances", asOf: "live" }],
      },
      { source, cursor: "moved" },
    );
    const [fact, ...others] = await keysOf(source);
    assert.ok(fact, "the fact is listed");
    assert.equal(refused.length, others.length + 1);
    for (const key of [fact, ...others]) assert.ok(key.length <= 500 && !key.includes("\0"));
    assert.equal(await feed.cursor(source), "moved");
  });
}

test("a path of a member with a NUL in its name is stored without it", async () => {
  const details = { ...product.details, "a\0\ud800": { b: 1 } } as typeof product.details;
  const position = { source: "paths", cursor: "moved" };
  await feed.apply({ products: [{ ...product, version: 99n, details }] }, position);
  assert.equal(await feed.cursor("paths"), "moved");
});

const keysOf = async (source: string): Promise<string[]> =>
  (await listRefusedFacts(database)).filter((one) => one.source === source).map(({ key }) => key);

const countOf = async (source: string): Promise<number> =>
  (await countRefusedFacts(database)).find((one) => one.source === source)?.count ?? 0;

for (const levels of [20_000, 200_000]) {
  test(`a fact with ${levels} levels of objects is refused, and the cursor moves on`, async () => {
    const [payee] = shownFacts.beneficiaries ?? [];
    assert.ok(payee);
    let supplementary: Record<string, unknown> = {};
    for (let level = 0; level < levels; level++) supplementary = { a: supplementary };
    const position = { source: `deep-${levels}`, cursor: "moved" };
    const deep = { ...payee, beneficiaryId: "deep", supplementary };
    const identification = String(60837100000000 + levels);
    const beside = { ...payee, beneficiaryId: `beside-${levels}`, identification };
    const { refused } = await feed.apply({ beneficiaries: [deep, beside] }, position);
    assert.deepEqual(
      refused.map(({ key }) => key),
      ["deep"],
    );
    assert.equal(await feed.cursor(position.source), "moved");
  });
}

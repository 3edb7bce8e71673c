// Each wrong value at each level of a page of changes: what is right beside it is stored, the
// cursor moves, and what is wrong is listed. A page that is pulled and one that is pushed are read
// by the same function, as a line of a file is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import type { RefusedFact } from "#src/account-store/check-facts.ts";
import { clusters } from "#src/account-store/feed.ts";
import { listRefusedFacts } from "#src/account-store/refusals.ts";
import { purgeRefusals, removalsRememberedDays } from "#src/account-store/retention.ts";
import { coreRows } from "#src/connector/core-rows.ts";
import { pullChanges } from "#src/connector/pull-changes.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { until } from "#test/until.ts";

let database: Database;
let feed: AccountFeed;
before(async () => {
  database = await openEmpty();
  feed = createAccountFeed(database);
  await feed.apply(shownFacts);
});
after(() => database?.close());

const accountId = shownFacts.accounts?.[0]?.accountId ?? "";
const values: [name: string, value: unknown][] = [
  ["null", null],
  ["a number", 7],
  ["a text", "text"],
  ["an array", [[]]],
  ["an object", { a: 1 }],
  ["a flag", true],
];
type Page = Record<string, unknown>;
// an array or an object that is allowed there, and null, which says that a member is left out
const levels: [name: string, put: (value: unknown) => Page, kind: string, allowed: string[]][] = [
  ["an unknown member", (value) => ({ transaction: value }), "changes", []],
  ["a kind", (value) => ({ transactions: value }), "transactions", ["null", "an array"]],
  ["an item of a kind", (value) => ({ transactions: [value] }), "transactions", []],
  ["a member of an item", (value) => ({ accounts: [{ accountId: value }] }), "accounts", []],
  ["the removals", (value) => ({ removed: value }), "changes", ["null"]],
  ["an unknown kind of removals", (value) => ({ removed: { x: value } }), "changes", []],
  [
    "a kind of removals",
    (value) => ({ removed: { balances: value } }),
    "removed balances",
    ["null", "an array"],
  ],
  ["an item of removals", (value) => ({ removed: { balances: [value] } }), "removed balances", []],
  [
    "a version of a removal",
    (value) => ({ removed: { offers: [{ accountId, offerId: "o", version: value }] } }),
    "removed offers",
    ["a number"],
  ],
  ["the deliveries", (value) => ({ delivered: value }), "delivered", ["null", "an array"]],
  ["a delivery", (value) => ({ delivered: [value] }), "delivered", []],
  [
    "the time of a delivery",
    (value) => ({ delivered: [{ accountId, cluster: "balances", asOf: value }] }),
    "delivered",
    [],
  ],
  [
    "the cluster of a delivery",
    (value) => ({ delivered: [{ accountId, cluster: value, asOf: "live" }] }),
    "delivered",
    [],
  ],
  ["the mark", (value) => ({ position: { deliveredUpTo: value } }), "position", ["null"]],
  ["an unknown member of the position", (value) => ({ position: { at: value } }), "position", []],
];

const pages = levels.flatMap(([level, put, kind, allowed]) =>
  values.map(([name, value]) => ({
    title: `${name} as ${level}`,
    page: put(value),
    kind: allowed.includes(name) && name !== "an array" ? null : kind,
  })),
);

const isListed = async (kind: string): Promise<boolean> =>
  (await listRefusedFacts(database)).some((one) => one.kind === kind);
const nameOf = async (partyId: string) =>
  (
    await database.query<{ name: string }>(sql`
    select name from party where party_id = ${partyId}`)
  )[0]?.name;

/** The page, with a good fact and a cursor beside what is wrong. */
const withGood = (
  { page, title }: (typeof pages)[number],
  version: number,
  after: string | null,
) => ({
  ...page,
  parties: [{ version, partyId: "beside", name: title }],
  position: { ...(page.position as object | undefined), after, cursor: title },
});

const forgetAll = () => database.query(sql`delete from fact_refusal`);

test("a wrong value at any level of a page that is pushed is listed, and the rest is stored", async () => {
  const row = coreRows.find(({ operationId }) => operationId === "sendChanges");
  assert.ok(row);
  let [version, cursor] = [1, await feed.cursor()];
  for (const each of pages) {
    await forgetAll();
    const page = withGood(each, version++, cursor);
    const nudge = async () => 0;
    const answer = await row.handle({ feed, nudge }, page as never, {} as never);
    const { refused } = answer as { refused: RefusedFact[] };
    assert.equal(await nameOf("beside"), each.title);
    cursor = await feed.cursor();
    assert.equal(cursor, each.title);
    const kinds = [...new Set(refused.map(({ kind }) => kind))];
    assert.deepEqual(kinds, each.kind === null ? [] : [each.kind], each.title);
    for (const { rule } of refused) assert.match(rule, /must/);
    if (each.kind) assert.ok(await isListed(each.kind), each.title);
  }
});

test("a wrong value at any level of a page that is pulled is listed, and the pull goes on", async () => {
  await forgetAll();
  const [first] = [await feed.cursor()];
  const left = [...pages];
  let version = 1000;
  const pull = pullChanges({
    feed,
    readChanges: async (after) => {
      const next = left.shift();
      return next ? withGood(next, version++, after) : { position: { cursor: "end" } };
    },
    retryMs: 1,
    log: {
      error: ({ err }: { err?: Error }) => assert.fail(err),
      warn: () => undefined,
    },
  });
  assert.notEqual(first, "end");
  await until(
    () => feed.cursor(),
    (cursor) => cursor === "end",
  );
  await pull.stop();
  assert.equal(await nameOf("beside"), pages.at(-1)?.title);
  for (const kind of new Set(pages.flatMap((one) => one.kind ?? []))) {
    assert.ok(await isListed(kind), kind);
  }
});

test("a module that sends what is no list and no fact has the rest stored", async () => {
  const wrong = {
    parties: [null, { version: 5000n, partyId: "beside", name: "Module" }],
    transactions: 7,
    removed: { balances: [null], offers: [{ accountId, offerId: "o", version: 1 }] },
    delivered: [null, { accountId, cluster: "balances", asOf: "yesterday" }],
  };
  const { refused } = await feed.apply(wrong as never, { source: "module", cursor: "1" });
  assert.deepEqual(
    refused.map(({ kind, path }) => [kind, path]),
    [
      ["parties", "/0"],
      ["transactions", ""],
      ["removed balances", "/0"],
      ["removed offers", "/version"],
      ["delivered", "/0"],
      ["delivered", "/asOf"],
    ],
  );
  assert.equal(await nameOf("beside"), "Module");
  assert.equal(await feed.cursor("module"), "1");
});

test("a wrong cluster is refused with those that are allowed", async () => {
  const delivered = [{ accountId, cluster: "balance", asOf: "live" }] as never;
  const { refused } = await feed.apply({ delivered }, { source: "clusters" });
  assert.equal(refused[0]?.rule, `must be one of ${clusters.join(", ")}`);
});

test("what has no key is listed for as long as a removal is remembered", async () => {
  const source = "without-keys";
  await feed.apply({ parties: [null] } as never, { source });
  const age = (days: number) =>
    database.query(sql`update fact_refusal
      set refused_at = now() - make_interval(days => ${days}::integer) where source = ${source}`);
  const isThere = async () =>
    (await listRefusedFacts(database)).some((one) => one.source === source);
  await age(removalsRememberedDays - 1);
  await purgeRefusals(database);
  assert.equal(await isThere(), true);
  await age(removalsRememberedDays + 1);
  await purgeRefusals(database);
  assert.equal(await isThere(), false);
});

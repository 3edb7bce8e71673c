// Each wrong value at each level of a page of changes: what is right beside it is stored, the
// cursor moves, and what is wrong is listed. A page that is pulled and one that is pushed are read
// by the same function, as a line of a file is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AccountFeed } from "#src/account-store/account-feed.ts";
import type { RefusedFact } from "#src/account-store/check-facts.ts";
import { clusters } from "#src/account-store/feed.ts";
import { listRefusedFacts } from "#src/account-store/refusals.ts";
import { pagesRememberedDays, purgeRefusals } from "#src/account-store/retention.ts";
import { coreRows } from "#src/connector/core-rows.ts";
import { pullChanges } from "#src/connector/pull-changes.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { until } from "#test/until.ts";
import { openShownStore } from "./shown-store.ts";

let database: Database;
let feed: AccountFeed;
before(async () => {
  ({ database, feed } = await openShownStore());
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
// what is allowed there, such as null, which says that a member is left out
type Level = [
  name: string,
  put: (value: unknown) => Page,
  kind: string,
  allowed: string[],
  keyless?: string[],
];
const levels: Level[] = [
  ["an unknown member", (value) => ({ transaction: value }), "changes", []],
  ["a kind", (value) => ({ transactions: value }), "changes", ["null"]],
  ["an item of a kind", (value) => ({ transactions: [value] }), "changes", []],
  [
    "the key of an item",
    (value) => ({ accounts: [{ accountId: value }] }),
    "accounts",
    [],
    ["null", "an array"],
  ],
  ["the removals", (value) => ({ removed: value }), "changes", ["null"]],
  ["an unknown kind of removals", (value) => ({ removed: { x: value } }), "changes", []],
  ["a kind of removals", (value) => ({ removed: { balances: value } }), "changes", ["null"]],
  ["an item of removals", (value) => ({ removed: { balances: [value] } }), "changes", []],
  [
    "a version of a removal",
    (value) => ({ removed: { offers: [{ accountId, offerId: "o", version: value }] } }),
    "removed offers",
    ["a number"],
  ],
  ["the deliveries", (value) => ({ delivered: value }), "changes", ["null"]],
  ["a delivery", (value) => ({ delivered: [value] }), "changes", []],
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

const pages = levels.flatMap(([level, put, kind, allowed, keyless = []]) =>
  values.map(([name, value]) => ({
    title: `${name} as ${level}`,
    page: put(value),
    kind: allowed.includes(name) ? null : keyless.includes(name) ? "changes" : kind,
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
    const answer = await row.handle(
      { feed, nudge, pulledSource: null },
      page as never,
      {} as never,
    );
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
      ["changes", "/parties/0"],
      ["changes", "/transactions/0"],
      ["changes", "/removed/balances/0"],
      ["removed offers", "/version"],
      ["changes", "/delivered/0"],
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

const listedOf = async (source: string) =>
  (await listRefusedFacts(database))
    .filter((one) => one.source === source)
    .map(({ kind, key, path }) => [kind, key, path])
    .sort();

test("a fault of a page is listed for 400 days", async () => {
  const source = "without-keys";
  await feed.apply({ parties: [null] } as never, { source });
  assert.deepEqual(await listedOf(source), [["changes", "from the beginning", "/parties/0"]]);
  const age = (days: number) =>
    database.query(sql`update fact_refusal
      set refused_at = now() - make_interval(days => ${days}::integer) where source = ${source}`);
  await age(pagesRememberedDays - 1);
  await purgeRefusals(database);
  assert.equal((await listedOf(source)).length, 1);
  await age(pagesRememberedDays + 1);
  await purgeRefusals(database);
  assert.deepEqual(await listedOf(source), []);
});

const person = (partyId: string, version = "1") => ({ version, partyId, name: partyId });
async function* linesOf(lines: readonly object[]): AsyncGenerator<string> {
  for (const line of lines) yield JSON.stringify(line);
}

test("each page with a fault is listed by its place until it is sent again without the fault", async () => {
  const source = "pages";
  const deliveredUpTo = "2026-11-20T10:00:00Z";
  const load = (line: object, after: string | null) =>
    feed.load(linesOf([line]), { source, after });
  await load({ position: { cursor: "375" } }, null);
  await load({ people: [], position: { cursor: "376", deliveredUpTo } }, "375");
  await load({ parties: [person("p377"), 7], position: { cursor: "377", deliveredUpTo } }, "376");
  const mark = ["position", "deliveredUpTo", "/deliveredUpTo"];
  assert.deepEqual(await listedOf(source), [
    ["changes", "after 375", "/people"],
    ["changes", "after 376", "/parties/1"],
    mark,
  ]);
  for (const { kind, rule } of await listRefusedFacts(database)) {
    if (kind === "changes") assert.match(rule, /send the changes from the place in the key again$/);
  }
  const heldUntil = () =>
    database.query(sql`select delivered_until from feed_source where source = ${source}`);
  assert.deepEqual(await heldUntil(), [{ delivered_until: null }]);
  // the core is corrected, and an operator sets the cursor back
  await feed.load(linesOf([{ position: { cursor: "376" } }]), { source });
  assert.equal((await listedOf(source)).length, 3);
  await load({ parties: [person("lost")], position: { cursor: "377", deliveredUpTo } }, "376");
  assert.equal(await nameOf("lost"), "lost");
  assert.deepEqual(await listedOf(source), [["changes", "after 375", "/people"]]);
  assert.notDeepEqual(await heldUntil(), [{ delivered_until: null }]);
});

test("a fault that every page has is listed once, with the first page, and how often it came", async () => {
  const source = "newer-core";
  const page = (number: number, right: boolean) => ({
    ...(right ? {} : { people: [], parties: [...Array(number % 3).fill(person("p")), 7] }),
    position: { cursor: `${number}` },
  });
  const load = (number: number, right = false) =>
    feed.load(linesOf([page(number, right)]), {
      source,
      after: number === 1 ? null : `${number - 1}`,
    });
  for (let number = 1; number <= 40; number++) await load(number);
  const rows = (await listRefusedFacts(database)).filter((one) => one.source === source);
  assert.deepEqual(rows.map(({ key, path, times }) => [key, path, times]).sort(), [
    ["from the beginning", "/parties/1", 40],
    ["from the beginning", "/people", 40],
  ]);
  for (const { since, refusedAt } of rows) assert.ok(since < refusedAt, `${since} ${refusedAt}`);
  const goBack = () =>
    database.query(sql`update feed_source set cursor = null where source = ${source}`);
  // the same page comes again, as wrong as before
  await goBack();
  await load(1);
  const again = (await listRefusedFacts(database)).filter((one) => one.source === source);
  assert.deepEqual(
    again.map(({ times }) => times),
    [41, 41],
  );
  assert.deepEqual(
    again.map(({ since }) => since),
    rows.map(({ since }) => since),
  );
  // the core is corrected, and sends again what follows the first place
  await goBack();
  await load(1, true);
  assert.deepEqual(await listedOf(source), []);
});

test("names that are new in each page are listed in a bounded number of rows", async () => {
  const source = "new-names";
  const names = Array.from({ length: 40 }, (_, index) => `n${index}${"/.".repeat(index)}`);
  const page = (name: string) => ({
    [name]: 1,
    removed: { [name]: [] },
    products: [{ details: { [name]: { a: 1 } } }],
    parties: [{ [name]: 1 }],
    position: { [name]: 1 },
  });
  for (const name of names) await feed.load(linesOf([page(name)]), { source });
  const rows = (await listRefusedFacts(database)).filter((one) => one.source === source);
  assert.deepEqual(
    rows.map(({ kind, path, times }) => [kind, path.replace(/n\d+.*/, "…"), times]).sort(),
    [
      ["changes", "/parties", 40],
      ["changes", "/products/details", 40],
      ["changes", "/removed/…", 40],
      ["changes", "/…", 40],
      ["position", "/…", 40],
    ],
  );
});

test("the fault of a later page does not hide what is wrong with the first one", async () => {
  const source = "first-page";
  const listed = async () =>
    (await listRefusedFacts(database)).filter((one) => one.source === source);
  const load = (name: string, after: string | null, cursor: string) =>
    feed.load(linesOf([{ [name]: [], position: { cursor } }]), { source, after });
  await load("people", null, "1");
  await load("persons", "1", "2");
  const [first, ...others] = await listed();
  assert.deepEqual(others, []);
  assert.deepEqual([first?.key, first?.path], ["from the beginning", "/people"]);
  // one name is corrected, and the page has another wrong one
  await database.query(sql`update feed_source set cursor = null where source = ${source}`);
  await load("folk", null, "1");
  const [second] = await listed();
  assert.deepEqual([second?.path, second?.times, second?.since], ["/folk", 3, first?.since]);
});

test("a fault of a line is listed by the cursor of the line before", async () => {
  const source = "lines";
  const loaded = await feed.load(
    linesOf([
      { parties: [person("one")], position: { cursor: "1" } },
      { position: { cursor: "2" }, partys: [person("two")] },
      { parties: [{ name: "without a key" }] },
    ]),
    { source },
  );
  assert.deepEqual([loaded.stored, loaded.refused], [1, 2]);
  assert.deepEqual(await listedOf(source), [
    ["changes", "after 1", "/partys"],
    ["changes", "after 2", "/parties"],
  ]);
});

test("an object in place of a list is a list of one", async () => {
  const source = "one";
  const { refused } = await feed.load(linesOf([{ parties: person("only") }]), { source });
  assert.equal(refused, 0);
  assert.equal(await nameOf("only"), "only");
});

// Lines of JSON fill the store as the calls of a module do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { RefusedFact } from "#src/account-store/check-facts.ts";
import { WrongLine } from "#src/account-store/load-changes.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { HandTimers } from "#test/hand-timers.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { until } from "#test/until.ts";
import { every, more, rowsOf, tables } from "./every-change.ts";

let byCalls: Database;
let byLines: Database;
before(async () => {
  [byCalls, byLines] = [await openEmpty(), await openEmpty()];
});
after(async () => {
  await byCalls?.close();
  await byLines?.close();
});

/** A change as a line: instants and dates write themselves, and bigints are texts. */
const lineOf = (change: object): string =>
  JSON.stringify(change, (_, value) => (typeof value === "bigint" ? value.toString() : value));

async function* linesOf(changes: readonly (object | string)[]): AsyncGenerator<string> {
  for (const one of changes) yield typeof one === "string" ? one : lineOf(one);
}

test("each member of each fact arrives as it does from a module", async () => {
  const feed = createAccountFeed(byCalls);
  assert.deepEqual((await feed.apply(every)).refused, []);
  const position = {
    cursor: "log 9",
    deliveredUpTo: Temporal.Instant.from("2026-01-07T00:00:00Z"),
  };
  assert.deepEqual((await feed.apply(more, position)).refused, []);
  const loaded = await createAccountFeed(byLines).load(linesOf([every, "", { ...more, position }]));
  assert.equal(loaded.refused, 0);
  assert.equal(loaded.lines, 3);
  assert.equal(loaded.cursor, "log 9");
  const [stored, expected] = [await rowsOf(byLines), await rowsOf(byCalls)];
  for (const table of tables) {
    assert.ok((expected[table] ?? []).length > 0, `${table} has rows to compare`);
    assert.deepEqual(stored[table], expected[table], table);
  }
});

test("numbers may be written as numbers", async () => {
  const [balances] = shownFacts.balances ?? [];
  const line = lineOf({ balances: [{ ...balances, version: 40 }] }).replaceAll(
    /"amountMinor":"(\d+)"/g,
    '"amountMinor":$1',
  );
  assert.match(line, /"version":40,.*"amountMinor":1000000/);
  const { stored, refused } = await createAccountFeed(byLines).load(linesOf([line]));
  assert.deepEqual({ stored, refused }, { stored: 1, refused: 0 });
});

for (const statedAt of ["yesterday", "2026-02-31T09:00:00Z"]) {
  test(`a fact with the time ${statedAt} is listed with its path, and the others are stored`, () =>
    storeBeside(statedAt));
}

async function storeBeside(statedAt: string): Promise<void> {
  const [balances] = shownFacts.balances ?? [];
  const [holder] = shownFacts.holders ?? [];
  const seen: RefusedFact[] = [];
  const loaded = await createAccountFeed(byLines).load(
    linesOf([
      {
        balances: [{ ...balances, version: 41n, statedAt }],
        holders: [{ ...holder, version: 41n, role: "signatory" }],
      },
    ]),
    { onProgress: (_, refused) => void seen.push(...refused) },
  );
  assert.deepEqual([loaded.stored, loaded.refused], [1, 1]);
  assert.deepEqual(seen, [
    {
      kind: "balances",
      key: "second-current GBP",
      path: "/statedAt",
      rule: "must be a date-time with an offset, such as 2026-11-24T09:00:00Z",
    },
  ]);
  const [stored] = await byLines.query(sql`
    select role from account_holder where account_id = 'second-current'`);
  assert.deepEqual(stored, { role: "signatory" });
}

const wrongLines: [title: string, line: string, reason: RegExp][] = [
  ["no JSON", "{", /must be one JSON object/],
  ["an array", "[]", /must be one JSON object/],
  ["a place of numbers", '{"position":{"after":3}}', /after must be a text or null/],
  ["a cursor of numbers", '{"position":{"cursor":3}}', /cursor must be a text/],
];
for (const [title, line, reason] of wrongLines) {
  test(`a line with ${title} is named, and what came before is stored`, async () => {
    const [source] = [`source-${title.replaceAll(" ", "-")}`];
    const facts = Array.from({ length: 500 }, (_, index) => ({
      version: "1",
      partyId: `party-${index}`,
      name: "Ann",
    }));
    const feed = createAccountFeed(byLines);
    const first = { parties: facts, position: { cursor: "first" } };
    await assert.rejects(
      feed.load(linesOf([first, line, { position: { cursor: "last" } }]), { source }),
      (error: unknown) => {
        assert.ok(error instanceof WrongLine);
        assert.equal(error.line, 2);
        assert.match(error.message, /^line 2: /);
        assert.match(error.message, reason);
        return true;
      },
    );
    assert.equal(await feed.cursor(source), "first");
  });
}

test("a whole number that JSON numbers cannot hold is refused with the reason", async () => {
  const seen: RefusedFact[] = [];
  const [version, partyId] = [639_000_000_000_000_000, "ticks"];
  const line = {
    parties: [{ version, partyId, name: "Ann" }],
    removed: { parties: [{ version, partyId }] },
  };
  await createAccountFeed(byLines).load(linesOf([line]), {
    onProgress: (_, refused) => void seen.push(...refused),
  });
  assert.deepEqual(
    seen.map((one) => [one.kind, one.path, one.rule]),
    ["parties", "removed parties"].map((kind) => [
      kind,
      "/version",
      "must be a whole number, and above 9007199254740991 as text",
    ]),
  );
});

const wrongRemovals: [title: string, removal: object, key: string, path: string][] = [
  ["without a version", { accountId: "a1", offerId: "a" }, "a", "/version"],
  [
    "without its key",
    { accountId: "a1", version: "1" },
    "after without a version",
    "/removed/offers/offerId",
  ],
  ["whose key is a number", { accountId: "a1", version: "1", offerId: 7 }, "7", "/offerId"],
  ["without its account", { version: "1", offerId: "a" }, "a", "/accountId"],
];
for (const [title, removal, key, path] of wrongRemovals) {
  test(`a removal ${title} is refused and listed, and the cursor moves on`, async () => {
    const seen: RefusedFact[] = [];
    const feed = createAccountFeed(byLines);
    const line = { removed: { offers: [removal] }, position: { cursor: title } };
    const loaded = await feed.load(linesOf([line]), {
      source: "removals",
      onProgress: (_, refused) => void seen.push(...refused),
    });
    assert.deepEqual([loaded.stored, loaded.refused], [0, 1]);
    assert.deepEqual(
      seen.map((one) => [one.kind, one.key, one.path]),
      [[path.startsWith("/removed") ? "changes" : "removed offers", key, path]],
    );
    assert.equal(await feed.cursor("removals"), title);
  });
}

test("many facts are stored in several calls, each with its progress and its cursor", async () => {
  const [line] = shownFacts.transactions ?? [];
  const changes = Array.from({ length: 1203 }, (_, index) => ({
    transactions: [{ ...line, transactionId: `many-${index}`, version: 1n }],
    position: { cursor: `log ${index}` },
  }));
  const progress: [stored: number, cursor: string | null][] = [];
  const feed = createAccountFeed(byLines);
  await feed.load(linesOf(changes), {
    source: "many",
    onProgress: ({ stored, cursor }) => void progress.push([stored, cursor]),
  });
  assert.deepEqual(progress, [
    [500, "log 499"],
    [1000, "log 999"],
    [1203, "log 1202"],
  ]);
  assert.equal(await feed.cursor("many"), "log 1202");
});

test("a line that was read after another cursor than the store's stops the load, and is not stored", async () => {
  const lines = (after: string | null) => [
    { parties: [{ version: "1", partyId: "chained", name: "Ann" }], position: { after } },
    { position: { cursor: "log 2" } },
    { position: { after: "log 2", cursor: "log 3" } },
  ];
  const feed = createAccountFeed(byLines);
  await feed.load(linesOf(lines(null)), { source: "chained" });
  assert.equal(await feed.cursor("chained"), "log 3");
  const again = feed.load(linesOf(lines(null)), { source: "chained" });
  await assert.rejects(again, ({ name }: Error) => name === "CursorMoved");
  await feed.load(linesOf(lines("log 3")), { source: "chained" });
  assert.equal(await feed.cursor("chained"), "log 3");
  const unchained = feed.load(
    linesOf([{ position: { cursor: "log 4" } }, { position: { after: "log 5" } }]),
    { source: "chained" },
  );
  await assert.rejects(unchained, /line 2: position.after must be the cursor of the line before/);
});

const otherPlaces: [title: string, given: string | null, named: string | null][] = [
  ["another cursor than the caller", "log 1", "log 0"],
  ["no cursor where the caller names one", "log 1", null],
  ["a cursor where the caller names none", null, "log 1"],
];
for (const [index, [title, given, named]] of otherPlaces.entries()) {
  test(`a line that names ${title} is refused, and nothing is stored`, async () => {
    const source = `other-place-${index}`;
    const feed = createAccountFeed(byLines);
    if (given !== null) await feed.load(linesOf([{ position: { cursor: given } }]), { source });
    const parties = [{ version: "1", partyId: source, name: "Ann" }];
    const lines = linesOf([{ parties, position: { after: named, cursor: "log 2" } }]);
    await assert.rejects(feed.load(lines, { source, after: given }), (error: unknown) => {
      assert.ok(error instanceof WrongLine);
      assert.match(
        error.message,
        /^line 1: position.after must be the cursor after which the load/,
      );
      return true;
    });
    assert.equal(await feed.cursor(source), given);
    assert.deepEqual(await byLines.query(sql`select from party where party_id = ${source}`), []);
    const right = linesOf([{ parties, position: { after: given, cursor: "log 2" } }]);
    await feed.load(right, { source, after: given });
    assert.equal(await feed.cursor(source), "log 2");
  });
}

/** A pipe that stays open: after these lines it gives no other one until it is told to. */
function createPipe(...changes: object[]) {
  const [empty, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  async function* read(): AsyncGenerator<string> {
    yield* linesOf(changes);
    empty.resolve();
    yield lineOf(await goOn.promise);
  }
  return { lines: read(), empty: empty.promise, write: goOn.resolve };
}

const namedAt = (partyId: string, cursor: string) => ({
  parties: [{ version: "1", partyId, name: "Ann" }],
  position: { cursor },
});

test("what a pipe has brought is stored while the pipe stays open", async () => {
  const timers = new HandTimers();
  const feed = createAccountFeed(byLines, undefined, { timers });
  const pipe = createPipe(namedAt("piped-1", "log 1"), namedAt("piped-2", "log 2"));
  const progress: (string | null)[] = [];
  const loading = feed.load(pipe.lines, {
    source: "pipe",
    onProgress: ({ cursor }) => void progress.push(cursor),
  });
  await pipe.empty;
  await timers.pass(900);
  assert.equal(await feed.cursor("pipe"), null);
  const passing = timers.pass(200);
  await until(
    () => progress.length,
    (calls) => calls === 1,
  );
  assert.equal(await feed.cursor("pipe"), "log 2");
  pipe.write(namedAt("piped-3", "log 3"));
  await passing;
  const { lines, stored } = await loading;
  assert.deepEqual(
    { lines, stored, progress },
    { lines: 3, stored: 3, progress: ["log 2", "log 3"] },
  );
});

test("a line without changes says that nothing has changed, so its source was heard", async () => {
  const source = "heartbeats";
  const heard = { at: Temporal.Instant.from("2026-11-21T10:00:00Z") };
  const feed = createAccountFeed(byLines, undefined, { now: () => heard.at });
  const heardAt = async () => {
    const [row] = await byLines.query<{ at: Temporal.Instant }>(
      sql`select heard_at as at from feed_source where source = ${source}`,
    );
    return row?.at.toString();
  };
  await feed.load(linesOf([{ position: { cursor: "log 1" } }]), { source });
  heard.at = heard.at.add({ minutes: 5 });
  const { lines, stored } = await feed.load(linesOf([{}]), { source });
  assert.deepEqual({ lines, stored }, { lines: 1, stored: 0 });
  assert.equal(await heardAt(), heard.at.toString());
});

test("a load whose call fails ends although its pipe stays open", async () => {
  const isDueAtOnce = {
    now: () => 0,
    after: (_: number, run: () => void) => {
      const due = setImmediate(run);
      return () => clearImmediate(due);
    },
  };
  const feed = createAccountFeed(byLines, undefined, { timers: isDueAtOnce });
  const pipe = createPipe({ parties: [], position: { after: "log 7", cursor: "log 8" } });
  const loading = feed.load(pipe.lines, { source: "moved-pipe" });
  await assert.rejects(loading, ({ name }: Error) => name === "CursorMoved");
});

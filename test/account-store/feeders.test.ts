// A feed has no gap and nothing twice, whatever becomes of its feeders: killed at any moment, two
// of one source, one each of two sources. The store is compared with one that was fed in one go.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { seeded } from "#test/payments/execution/lives.ts";
import { skipTwin, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { rowsOf } from "./every-change.ts";
import { entriesOf } from "./source-log.ts";

const last = 240;
let server: TestPostgres;
const opened: Database[] = [];

before(async () => {
  if (skipTwin) return;
  server = await startPostgres();
  const database = await openPostgres(await server.createDatabase("template_feed"), 1);
  await migrate(database);
  await database.close();
});
after(async () => {
  for (const database of opened) await database.close();
  await server?.stop();
});

type Store = { url: string; database: Database };

async function createStore(name: string): Promise<Store> {
  const url = await server.createDatabase(name, "template_feed");
  const database = await openPostgres(url, 2);
  opened.push(database);
  return { url, database };
}

/** What the store has, with the refused facts. */
async function contentOf(database: Database): Promise<Record<string, unknown[]>> {
  const refused = await database.query(sql`
    select source, kind, key, path, rule from fact_refusal order by source, kind, key`);
  return { ...(await rowsOf(database)), refused };
}

/** Compares the store with one that was fed all entries of the sources, in one call each. */
async function assertComplete(database: Database, sources: readonly string[]): Promise<void> {
  const { database: expected } = await createStore(`expected_${opened.length}`);
  const feed = createAccountFeed(expected);
  for (const source of sources) {
    for (let from = 0; from <= last; from += 50) {
      const to = Math.min(from + 49, last);
      await feed.apply(entriesOf(source, from, to), { source, cursor: String(to) });
    }
  }
  const [stored, all] = [await contentOf(database), await contentOf(expected)];
  for (const table of Object.keys(all)) assert.deepEqual(stored[table], all[table], table);
  // what is compared is all there
  const counts = [all.account_transaction, all.removed_fact, all.refused].map((rows) =>
    Math.floor((rows?.length ?? 0) / sources.length),
  );
  assert.deepEqual(counts, [206, 34, 22]);
}

type Call = { from: number; to: number; result: "stored" | "moved" };
type Life = { calls: Call[]; signal: string | null };

/** Runs one feeder until it dies. */
async function live(url: string, source: string, kill: string): Promise<Life> {
  const file = fileURLToPath(new URL("feeder.ts", import.meta.url));
  const child = spawn(process.execPath, [file, url, source, String(last), kill], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [printed, complaint] = ["", ""];
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const signal = await new Promise<string | null>((resolve) =>
    child.on("close", (_, by) => resolve(by)),
  );
  assert.equal(complaint, "", `a feeder of ${source} complained`);
  const whole = printed.slice(0, printed.lastIndexOf("\n") + 1);
  const lines = whole.split("\n").filter((line) => line !== "");
  return { signal, calls: lines.map((line) => JSON.parse(line) as Call) }; // feeder.ts prints it
}

/** Draws the points where feeders kill themselves: inside a call, between calls, at any time. */
function drawKills(count: number, random: () => number): string[] {
  const moments = [
    ["statement", 30],
    ["call", 3],
    ["ms", 30],
  ] as const;
  return Array.from({ length: count }, (_, index) => {
    const [moment, most] = moments[index % moments.length] ?? moments[0];
    return `${moment}:${1 + Math.floor(random() * most)}`;
  });
}

/** Feeds a source by feeders of which all but the last are killed. Returns all calls in order. */
async function relive(url: string, source: string, kills: readonly string[]): Promise<Life[]> {
  const lives: Life[] = [];
  for (const kill of [...kills, "never"]) lives.push(await live(url, source, kill));
  return lives;
}

/** Asserts that at least so many feeders were killed before they had finished. */
function assertKilled(lives: readonly Life[], least: number): void {
  const killed = lives.filter(({ signal }) => signal === "SIGKILL").length;
  assert.ok(killed >= least, `${killed} of ${lives.length} feeders were killed`);
}

test("a feeder that is killed between and inside its calls continues without a gap", {
  skip: skipTwin,
}, async () => {
  const { url, database } = await createStore("killed");
  const lives = await relive(url, "core", drawKills(9, seeded(20261129)));
  assertKilled(lives, 6);
  let stored = -1;
  for (const { from, to, result } of lives.flatMap(({ calls }) => calls)) {
    assert.equal(result, "stored");
    // a call that was stored although its feeder died before it could say so is not repeated
    assert.ok(from > stored, `entry ${from} comes after ${stored}`);
    stored = to;
  }
  await assertComplete(database, ["core"]);
});

test("two feeders of one source at the same time, each killed again and again, leave no gap", {
  skip: skipTwin,
}, async () => {
  const { url, database } = await createStore("rivals");
  const random = seeded(7);
  const rivals = await Promise.all([
    relive(url, "core", drawKills(4, random)),
    relive(url, "core", drawKills(4, random)),
  ]);
  for (const lives of rivals) assertKilled(lives, 1);
  await assertComplete(database, ["core"]);
});

test("of two calls that were read after the same cursor, one is stored and the other says why not", {
  skip: skipTwin,
}, async () => {
  const { url, database } = await createStore("same_cursor");
  const rival = await openPostgres(url, 1);
  opened.push(rival);
  const [one, other] = [createAccountFeed(database), createAccountFeed(rival)];
  const apply = (feed: typeof one, from: number, to: number, at: string | null) =>
    feed.apply(entriesOf("core", from, to), { cursor: String(to), after: at });
  for (const at of [null, 20, 40]) {
    const from = at === null ? 0 : at + 1;
    const cursor = at === null ? null : String(at);
    const results = await Promise.allSettled([
      apply(one, from, from === 0 ? 20 : from + 19, cursor),
      apply(other, from, from === 0 ? 20 : from + 19, cursor),
    ]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const lost = results.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    assert.equal((lost.reason as Error).name, "CursorMoved");
  }
  assert.equal(await one.cursor(), "60");
});

test("feeders of two sources at the same time do not touch each other's cursors, and leave no gap", {
  skip: skipTwin,
}, async () => {
  const { url, database } = await createStore("sources");
  const random = seeded(11);
  const lives = await Promise.all([
    relive(url, "core", drawKills(4, random)),
    relive(url, "cards", drawKills(4, random)),
  ]);
  for (const ofSource of lives) assertKilled(ofSource, 2);
  const calls = lives.flat().flatMap((life) => life.calls);
  assert.ok(calls.every(({ result }) => result === "stored"));
  await assertComplete(database, ["core", "cards"]);
});

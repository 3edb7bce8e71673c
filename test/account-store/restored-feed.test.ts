// A store that is filled from another one over HTTP, and is then restored from an older backup,
// ends equal to its source, although the source has gone on and a feeder has outlived the restore.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { readChangedFacts } from "#src/account-store/changed-facts.ts";
import { connectCore } from "#src/connector/http-core.ts";
import { pullChanges } from "#src/connector/pull-changes.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { sandboxTariff } from "#src/sandbox/bank/tariff.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { deadlinesMs } from "#test/over-http.ts";
import { skipTwin, startPostgres } from "#test/postgres.ts";
import { until } from "#test/until.ts";
import { rowsOf } from "./every-change.ts";
import { changesAreShown } from "./shown-changes.ts";
import { entriesOf } from "./source-log.ts";

const closing: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

/** Serves the facts of a store as a core does, and connects to it. */
async function serve(source: Database) {
  const bank = createSandboxBank({
    database: source,
    clock: systemClock,
    scheme: () => ({ kind: "accept" }),
  });
  const app = serveCore({
    bank,
    name: "A core with facts",
    tariff: sandboxTariff,
    // small pages, so that the log ends within one
    readChanges: (cursor) => readChangedFacts(source, cursor, 7),
  });
  closing.push(async () => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const connected = await connectCore({ url, deadlinesMs, callsAtOnce: 4, sign: null });
  closing.push(async () => connected.core.close?.());
  return present(connected.readChanges, "the core has changes");
}

type ReadChanges = Awaited<ReturnType<typeof serve>>;
type Read = Record<string, unknown> & { position: { cursor: string } };

/** Everything that is stored, except how far feeds have got, of which each store has its own. */
async function factsOf(database: Database): Promise<Record<string, unknown>> {
  const { feed_source: _, ...rows } = await rowsOf(database);
  return rows;
}

/** Pulls with two feeders at the same time until the store has what the source has. */
async function pullUntilEqual(store: Database, source: Database, readChanges: ReadChanges) {
  const said: unknown[] = [];
  const log = {
    error: ({ err }: { err?: unknown }) => void said.push(err),
    warn: (details: object) => void said.push(details),
  };
  const pulls = [1, 2].map(() =>
    pullChanges({ feed: createAccountFeed(store, log), readChanges, retryMs: 50, log }),
  );
  const expected = JSON.stringify(await factsOf(source));
  try {
    await until(
      async () => JSON.stringify(await factsOf(store)) === expected,
      (isEqual) => isEqual,
    );
  } finally {
    await Promise.all(pulls.map((pull) => pull.stop()));
  }
  assert.deepEqual(said, [], "nothing is refused, and nothing fails");
}

async function* line(changes: object): AsyncGenerator<string> {
  yield JSON.stringify(changes);
}

test("after a restore, the feed continues from the cursor of the store, and nothing lacks", {
  skip: skipTwin,
}, async () => {
  const server = await startPostgres();
  closing.push(() => server.stop());
  const unique = (name: string) => `${name}_${randomUUID().replaceAll("-", "")}`;
  const open = async (name: string, template?: string): Promise<Database> => {
    const database = await openPostgres(await server.createDatabase(name, template), 4);
    // the live store is closed before it is copied
    closing.push(() => database.close().catch(() => undefined));
    return database;
  };
  const names = { source: unique("source"), live: unique("live"), backup: unique("backup") };
  const [source, live] = [await open(names.source), await open(names.live)];
  await migrate(source);
  await migrate(live);
  const readChanges = await serve(source);
  const write = (from: number, to: number) =>
    createAccountFeed(source).apply(entriesOf("core", from, to), { cursor: String(to) });

  await write(0, 60);
  await pullUntilEqual(live, source, readChanges);
  await live.close();
  await server.createDatabase(names.backup, names.live);
  const again = await openPostgres(await server.createDatabase(unique("copy"), names.live), 4);
  closing.push(() => again.close());
  await write(61, 120);
  await pullUntilEqual(again, source, readChanges);
  const later = present(await createAccountFeed(again).cursor(), "a cursor");

  await write(121, 180);
  await changesAreShown(source);
  // a feeder that outlives the restore has read a page after the later cursor
  const page = (await readChanges(later)) as Read;
  assert.notEqual(page.position.cursor, later);
  const restored = await open(unique("restored"), names.backup);
  const feed = createAccountFeed(restored);
  const place = present(await feed.cursor(), "the cursor of the backup");
  assert.notEqual(place, later);
  await assert.rejects(feed.load(line(page), { after: later }), { name: "CursorMoved" });
  assert.equal(await feed.cursor(), place);

  const changing = (async () => {
    for (let entry = 181; entry <= 200; entry++) await write(entry, entry);
  })();
  const pull = pullChanges({
    feed,
    readChanges,
    retryMs: 50,
    log: { error: () => undefined, warn: () => undefined },
  });
  await changing;
  await pull.stop();
  await pullUntilEqual(restored, source, readChanges);
  const { account_transaction: rows } = await rowsOf(restored);
  assert.ok((rows ?? []).length > 160);
});

import type { AddressInfo } from "node:net";
import { renderCursor } from "#src/accounts/reading/page.ts";
import type { AccountApiId } from "#src/accounts/resource.ts";
import { present } from "#src/lib/assert.ts";
import { type Database, first } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { versions } from "#test/accounts/versions.ts";
import { type CpuTime, readCpuTime, showCpuTime } from "./lib/cpu-time.ts";
import { accountIdAt, addEverybodysHistory, keyAt } from "./lib/history.ts";
import { type LoadResult, middle, showLoad, startLoad, type Target } from "./lib/load.ts";
import { addReadableAccounts, serveReadable, tokenOf } from "./lib/readable-accounts.ts";
import { conclude, isQuick, median, middleHalf, show } from "./lib/report.ts";
import { startRestartable } from "./lib/restartable-postgres.ts";
import { serveBytes } from "./lib/serve-bytes.ts";
import { inTurns } from "./lib/turns.ts";

// Measures first pages and other pages of 25 transactions of random accounts, both warm and after a
// restart of PostgreSQL. The accounts' transactions were inserted in turns, so that each account's
// rows are far apart. The yardstick is bare node:http that serves the same bytes. All are measured
// in short turns, because the speed of a shared machine changes from second to second. A page is
// compared with the turn of bare node:http in the same round.

const accounts = isQuick ? 2_000 : 10_000;
const entries = 500;
const pageSize = 25;
const connections = 32;
const warmUpSeconds = isQuick ? 4 : 12;
const turnSeconds = isQuick ? 0.6 : 0.75;
const rounds = isQuick ? 10 : 20;
const asked = isQuick ? 4_000 : 20_000;

const basePathOf = Object.fromEntries(versions.map(({ id, basePath }) => [id, basePath])) as Record<
  AccountApiId,
  string
>; // every version has a path

// The generator has a fixed seed, so every run requests the same pages.
function* randomNumbers(): Generator<number> {
  let state = 20_261_122;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

function makeTargets(version: AccountApiId, isFirst: boolean): Target[] {
  const random = randomNumbers();
  const below = (limit: number) => Math.floor((random.next().value ?? 0) * limit);
  return Array.from({ length: asked }, () => {
    const account = below(accounts) + 1;
    const path = `${basePathOf[version]}/accounts/${accountIdAt(account)}/transactions`;
    const start = 1 + pageSize * (1 + below(entries / pageSize - 1));
    const key = keyAt(accounts, account, start);
    const page = isFirst ? "" : `?pg=${renderCursor(version, { side: "onwards", key })}`;
    return { path: path + page, token: tokenOf(account) };
  });
}

async function showSizes(database: Database): Promise<void> {
  const sizes = await first<{ total: number; heap: number; count: number }>(
    database,
    sql`select pg_total_relation_size('account_transaction')::float8 as total,
      pg_relation_size('account_transaction')::float8 as heap,
      count(account_id)::float8 as count from account_transaction`,
  );
  if (!sizes) return;
  const each = (bytes: number) => (bytes / sizes.count).toFixed(0);
  const total = (sizes.total / 2 ** 20).toFixed(0);
  console.log(`${sizes.count} transactions: ${total} MB, ${each(sizes.total)} bytes each with`);
  console.log(`indexes, ${each(sizes.heap)} in the table`);
}

type Page = { name: string; targets: Target[]; aim: string };

const pages: Page[] = [
  {
    name: "random page",
    targets: makeTargets("aisp-v3.1", false),
    aim: "aim: at least 0.10",
  },
  {
    name: "first page",
    targets: makeTargets("aisp-v3.1", true),
    aim: "aim: at least 0.12",
  },
  {
    name: "random page, v4.0",
    targets: makeTargets("aisp-v4.0", false),
    aim: "aim: at least 0.10",
  },
  {
    name: "first page, v4.0",
    targets: makeTargets("aisp-v4.0", true),
    aim: "aim: at least 0.12",
  },
];

/** Reads 20 pages, and returns the body of the first. Throws if a page cannot be read. */
async function checkPages(bank: AccountsBank): Promise<string> {
  let body = "";
  for (const { path, token } of present(pages[0], "a page").targets.slice(0, 20)) {
    const answer = await bank.app.inject({
      url: path,
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
    body ||= answer.body;
  }
  if (JSON.parse(body).Data.Transaction.length !== pageSize) throw new Error("not a whole page");
  return body;
}

type Turn = LoadResult & { before: CpuTime; after: CpuTime };

function showCpu(turns: readonly Turn[]): string {
  const sum = (pick: (turn: Turn) => number) => turns.reduce((all, turn) => all + pick(turn), 0);
  const total = (at: "before" | "after"): CpuTime => ({
    process: sum((turn) => turn[at].process),
    database: sum((turn) => turn[at].database ?? Number.NaN),
  });
  return showCpuTime(
    total("before"),
    total("after"),
    sum(({ requests }) => requests),
  );
}

async function measure(bank: AccountsBank, when: string, warmUp: number): Promise<void> {
  const bare = await serveBytes(Buffer.from(await checkPages(bank)));
  const { port } = bank.app.server.address() as AddressInfo;
  const common = { path: "/", headers: {}, connections };
  const reference = { name: "bare node:http", load: startLoad({ ...common, port: bare.port }) };
  const loads = pages.map(({ name, targets, aim }) => ({
    name,
    aim,
    load: startLoad({ ...common, port, targets }),
  }));
  const ways = [reference, ...loads];
  await reference.load.run(1);
  if (warmUp > 0) for (const { load } of loads) await load.run(warmUp);
  const takeTurn = async ({ name, load }: (typeof ways)[number]): Promise<Turn> => {
    const before = await readCpuTime(bank.database);
    const result = await load.run(turnSeconds);
    if (result.failures > 0) throw new Error(`${name}: ${result.failures} answers were not 200`);
    return { ...result, before, after: await readCpuTime(bank.database) };
  };
  // after a restart, an unmeasured round would already fill the caches
  const turns = await inTurns(ways, rounds, takeTurn, { isCold: warmUp === 0 });
  bare.close();
  for (const { load } of ways) load.close();
  const bareTurns = turns.get(reference) ?? [];
  console.log(showLoad(`${reference.name}, ${when}`, middle(bareTurns)));
  for (const way of loads) {
    const own = turns.get(way) ?? [];
    const ratios = own.map(
      ({ requestsPerSecond }, round) =>
        requestsPerSecond / present(bareTurns[round], "a turn").requestsPerSecond,
    );
    console.log(showLoad(`${way.name}, ${when}`, middle(own)));
    console.log(`${"".padEnd(28)} ${showCpu(own)}`);
    const [low, high] = middleHalf(ratios);
    show(`  half of the ${rounds} ratios`, `${low.toFixed(3)} to ${high.toFixed(3)}`);
    const verdict = `${way.name} of ${accounts} accounts, ${when} / bare node:http`;
    conclude({ name: verdict, value: median(ratios), unit: "", aim: way.aim });
  }
}

const postgres = await startRestartable();
const database = await openPostgres(postgres.url);
await migrate(database);
const preparing = await AccountsBank.over(database);
preparing.now = Temporal.Now.instant();
await addReadableAccounts(preparing, accounts);
await addEverybodysHistory(database, accounts, entries);
await showSizes(database);
// otherwise the server's later writes of the loaded rows would be counted for the pages
await database.execute("checkpoint");
await preparing.close();
const warm = await serveReadable(postgres.url);
await measure(warm, "warm", warmUpSeconds);
await warm.close();
await postgres.restart();
const restarted = await serveReadable(postgres.url);
await measure(restarted, "after a restart", 0);
await restarted.close();
await postgres.stop();

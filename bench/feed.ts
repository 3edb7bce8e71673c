import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { assert, present } from "#src/lib/assert.ts";
import { type Database, first } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { bankEnvironment } from "./lib/bank.ts";
import { accountIdAt, addEverybodysHistory } from "./lib/history.ts";
import { type LoadResult, showLoad, startLoad } from "./lib/load.ts";
import { addReadableAccounts, tokenOf } from "./lib/readable-accounts.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { startRestartable } from "./lib/restartable-postgres.ts";

// How many transactions per second `./aldgate facts load` stores, from lines of JSON with a cursor
// each, which another process prints. TPPs read pages meanwhile, at a fixed rate, and their times
// are compared with those without a feed: once beside a core that sends 10,000 a second, and once
// beside one that sends as fast as it can. The yardstick is a multi-row INSERT of the same rows,
// without checks, into a table with the same columns and indexes.

const accounts = 10_000;
const size = Number(
  process.argv.find((word) => /^\d+$/.test(word)) ?? (isQuick ? 60_000 : 200_000),
);
const part = Math.min(size, 200_000);
const perSecond = 10_000;
const pagesPerSecond = 100;
const connections = 8;
const readSeconds = isQuick ? 4 : 15;
const rowsPerInsert = 500;

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const exporter = fileURLToPath(new URL("./lib/core-export.ts", import.meta.url));

const postgres = await startRestartable();
const folder = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
const database = await openPostgres(postgres.url);
let next = 0;

/** Starts a core that exports transactions, as many in a second as it may. */
function exportTransactions(count: number, most: number): ChildProcess {
  const given = [accounts, next, count, most].map(String);
  next += count;
  return spawn(process.execPath, [exporter, ...given], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs `facts load` on such an export. Returns the seconds that it took, with its start. */
async function load(count: number, most = 0): Promise<number> {
  const startedAt = performance.now();
  const core = exportTransactions(count, most);
  const feeder = spawn(process.execPath, [main, "facts", "load", "-", "--json"], {
    env: { ...bankEnvironment(folder, postgres.url), BANK_URL: "http://127.0.0.1:9" },
    stdio: [core.stdout, "pipe", "inherit"],
  });
  const answer = text(present(feeder.stdout, "the output"));
  const [code] = await once(feeder, "close");
  assert(code === 0, `facts load ended with ${code}: ${await answer}`);
  assert(JSON.parse(await answer).stored === count, `everything is stored: ${await answer}`);
  return (performance.now() - startedAt) / 1000;
}

const columns = ["account_id", "transaction_id", "booked_at", "value_at", "version"].concat(
  ["amount_minor", "currency", "balance_minor", "balance_type", "indicator", "status", "iso_code"],
  ["bank_code", "bank_code_issuer", "reference", "information", "merchant_name"],
  ["merchant_category_code"],
);

function insertOf(from: number, count: number): Sql {
  const values = Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const at = new Date(Date.UTC(2026, 10, 21) + n * 10).toISOString();
    return [accountIdAt(1 + ((n * 7919) % accounts)), `row-${n}`, at, at, 1].concat(
      [100 + (n % 9000), "GBP", 153_211 + n, "InterimBooked", "Debit", "Booked"],
      ["PMNT-CCRD-POSD", "DEB", "Aldgate", `reference ${n}`],
      ["CARD PAYMENT TO THE CORNER SHOP LONDON GB", "The Corner Shop", "5411"],
    );
  });
  const width = columns.length;
  const rows = values.map(
    (_, row) => `(${columns.map((_name, column) => `$${row * width + column + 1}`).join(", ")})`,
  );
  const head = `insert into bench_transaction (${columns.join(", ")}) values `;
  return { text: head + rows.join(", "), values: values.flat() };
}

let inserted = 0;

/** Inserts rows without checks. Returns the rows per second. */
async function insertRows(on: Database, count: number): Promise<number> {
  const startedAt = performance.now();
  for (const end = inserted + count; inserted < end; inserted += rowsPerInsert) {
    await on.query(insertOf(inserted, Math.min(rowsPerInsert, end - inserted)));
  }
  return count / ((performance.now() - startedAt) / 1000);
}

async function prepare(): Promise<AccountsBank> {
  await migrate(database);
  const bank = await AccountsBank.over(database);
  bank.now = Temporal.Now.instant();
  await addReadableAccounts(bank, accounts);
  await addEverybodysHistory(database, accounts, 40);
  await database.query(
    sql`create table bench_transaction (like account_transaction including all)`,
  );
  await database.query(sql`insert into bench_transaction (${namesOfAll}) select ${namesOfAll}
    from account_transaction`);
  await database.execute("vacuum analyze");
  await bank.app.listen({ port: 0, host: "127.0.0.1" });
  return bank;
}
const namesOfAll: Sql = { text: columns.join(", "), values: [] };

const bank = await prepare();
const { port } = bank.app.server.address() as AddressInfo;
const { basePath } = bank.through("aisp-v4.0").version;
const targets = Array.from({ length: accounts }, (_, index) => {
  const account = 1 + ((index * 6133) % accounts);
  return {
    path: `${basePath}/accounts/${accountIdAt(account)}/transactions`,
    token: tokenOf(account),
  };
});
const pages = startLoad({
  port,
  path: "/",
  headers: {},
  targets,
  connections,
  perSecond: pagesPerSecond,
});

async function read(name: string, seconds: number): Promise<LoadResult> {
  const result = await pages.run(seconds);
  assert(result.failures === 0, `${name}: ${result.failures} answers were not 200`);
  console.log(showLoad(name, result));
  return result;
}

/** Loads transactions while TPPs read. Returns the seconds and the times of the pages. */
async function loadBeside(name: string, count: number, most: number) {
  const loading = load(count, most);
  // the pages that the start of the command delays do not count for the feed
  await new Promise((resolve) => setTimeout(resolve, 1000 * start));
  const atLeast = count / (most || 25_000);
  const result = await read(name, Math.max(2, Math.floor(atLeast)));
  return { seconds: (await loading) - start, result };
}

console.log(`\nThe feed: ${size} transactions of ${accounts} accounts`);
await pages.run(2);
const start = median([await load(1), await load(1), await load(1)]);
show("start of the command", `${start.toFixed(2)} s`);
const [before, own] = [await insertRows(database, part), await load(part)];
const inserts = median([before, await insertRows(database, part)]);
const alone = part / (own - start);
show("INSERT of 500 rows, without checks", `${inserts.toFixed(0)} rows/s`);
show("facts load", `${alone.toFixed(0)} /s`);
conclude({
  name: "feed / INSERT of the same rows",
  value: alone / inserts,
  unit: "",
  aim: "no aim",
});
const quiet = await read("pages alone", readSeconds);
const paced = await loadBeside(`beside ${perSecond} a second`, part, perSecond);
const full = await loadBeside("beside all it can", size, 0);
const again = await read("pages alone, afterwards", readSeconds);
const p99 = median([quiet.p99, again.p99]);
conclude({
  name: `p99 of pages beside ${perSecond} transactions a second / alone`,
  value: paced.result.p99 / p99,
  unit: "",
  aim: "aim: about 1",
});
conclude({
  name: "p99 of pages beside a feed at full speed / alone",
  value: full.result.p99 / p99,
  unit: "",
  aim: "no aim",
});
conclude({
  name: `transactions a second of ${size}, while TPPs read`,
  value: size / full.seconds,
  unit: "/s",
  aim: "aim: at least 10,000",
});
const stored = await first<{ count: number; cursor: string }>(
  database,
  sql`select count(*)::integer as count,
      (select cursor from feed_source where source = 'core') as cursor
    from account_transaction where transaction_id like 'core-%'`,
);
assert(stored?.count === next, `all of ${next} are stored: ${stored?.count}`);
assert(stored.cursor === `log ${next - 1}`, `the cursor is the last: ${stored.cursor}`);
pages.close();
await bank.close();
await postgres.stop();
rmSync(folder, { recursive: true, force: true });

import type { AddressInfo } from "node:net";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { concludeRatio } from "./lib/against.ts";
import { readCpuTime } from "./lib/cpu-time.ts";
import { accountIdAt, addEverybodysHistory } from "./lib/history.ts";
import { type LoadProcess, startLoad } from "./lib/load.ts";
import { addReadableAccounts, serveReadable, tokenOf } from "./lib/readable-accounts.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { startRestartable } from "./lib/restartable-postgres.ts";
import { inTurns } from "./lib/turns.ts";

// `npm run bench -- page-sizes` compares first pages of two banks: one stores 0.2 million
// transactions, the other 20 million, and each account has 500. The banks take turns on one server.
// The larger bank is measured twice: with all of its accounts in turn, and with as many accounts as
// the smaller bank has. The second shows what the size of the table costs, and the first adds the
// cost of a hundred times as many accounts. Only CPU time is compared: how long a missed block
// takes depends on the disk.

const entries = 500;
const smaller = 400;
const larger = isQuick ? 4_000 : 40_000;
const warmUpSeconds = isQuick ? 2 : 20;
const turnSeconds = isQuick ? 1 : 2;
const rounds = isQuick ? 6 : 20;
const connections = 16;
const pageSize = 25;

type Way = { name: string; bank: AccountsBank; load: LoadProcess };

/** CPU milliseconds per page. */
type Costs = Record<"bank" | "database" | "both", number>;

const millions = (accounts: number): string => `${(accounts * entries) / 1e6} million`;

const pathOf = (account: number): string =>
  `/api/open-banking/v4.0/aisp/accounts/${accountIdAt(account)}/transactions`;

/** Fills the table without its indexes and triggers, which are created or run afterwards. */
async function fillFast(database: Database, fill: () => Promise<void>): Promise<void> {
  const indexes = await database.query<{ name: string; statement: string; key: string | null }>(
    sql`select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as statement,
        pg_get_constraintdef(c.oid) as key
      from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
      where i.indrelid = 'account_transaction'::regclass`,
  );
  const table = "alter table account_transaction";
  await database.execute(`${table} disable trigger user`);
  for (const { name, key } of indexes) {
    await database.execute(key ? `${table} drop constraint ${name}` : `drop index ${name}`);
  }
  await fill();
  for (const { name, statement, key } of indexes) {
    await database.execute(key ? `${table} add constraint ${name} ${key}` : statement);
  }
  await database.execute(`${table} enable trigger user`);
  await database.execute(`update account a set history_from = (
    select min(t.booked_at) from account_transaction t where t.account_id = a.account_id)`);
  await database.execute("vacuum analyze");
}

/** Creates a database with so many accounts and their transactions, and a bank that serves it. */
async function openBank(adminUrl: string, accounts: number): Promise<AccountsBank> {
  const name = `accounts_${accounts}`;
  const admin = await openPostgres(adminUrl, 1);
  await admin.execute(`create database ${name}`);
  await admin.close();
  const url = Object.assign(new URL(adminUrl), { pathname: name }).href;
  // an index of so many rows takes longer than a request may
  const filled = await openPostgres(url, 1, { statementSeconds: 0, transactionSeconds: 0 });
  await migrate(filled);
  const startedAt = performance.now();
  const preparing = await AccountsBank.over(filled);
  preparing.now = Temporal.Now.instant();
  await addReadableAccounts(preparing, accounts);
  await fillFast(filled, () => addEverybodysHistory(filled, accounts, entries));
  const [size] = await filled.query<{ total: number }>(
    sql`select pg_total_relation_size('account_transaction')::float8 as total`,
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const total = `${((size?.total ?? Number.NaN) / 2 ** 30).toFixed(1)} GB`;
  show(`${millions(accounts)} transactions`, total, `in ${seconds} s`);
  await preparing.close();
  return serveReadable(url);
}

/** Checks that each of some pages is whole, and starts a process that reads one after another. */
async function openWay(name: string, bank: AccountsBank, accounts: number[]): Promise<Way> {
  const targets = accounts.map((each) => ({ path: pathOf(each), token: tokenOf(each) }));
  for (const { path, token } of targets.slice(0, 20)) {
    const { body, statusCode } = await bank.app.inject({
      url: path,
      headers: { authorization: `Bearer ${token}` },
    });
    const count = statusCode === 200 ? JSON.parse(body).Data.Transaction.length : 0;
    if (count !== pageSize) throw new Error(`${name}: not a page of ${pageSize}: ${body}`);
  }
  const { port } = bank.app.server.address() as AddressInfo;
  return { name, bank, load: startLoad({ port, path: "/", headers: {}, targets, connections }) };
}

async function measure({ name, bank, load }: Way): Promise<Costs & { rate: number }> {
  const before = await readCpuTime(bank.database);
  const { requests, requestsPerSecond, failures } = await load.run(turnSeconds);
  const after = await readCpuTime(bank.database);
  if (failures > 0) throw new Error(`${name}: ${failures} pages failed`);
  const own = (after.process - before.process) / requests;
  const server = ((after.database ?? Number.NaN) - (before.database ?? Number.NaN)) / requests;
  return { bank: own, database: server, both: own + server, rate: requestsPerSecond };
}

const upTo = (count: number, step = 1): number[] =>
  Array.from({ length: count }, (_, index) => 1 + index * step);

const postgres = await startRestartable();
const [small, large] = [
  await openBank(postgres.url, smaller),
  await openBank(postgres.url, larger),
];
// otherwise the server's later writes of the loaded rows would be counted for the pages
await small.database.execute("checkpoint");
const ways: Way[] = [
  await openWay(`${millions(smaller)}, all ${smaller} accounts`, small, upTo(smaller)),
  await openWay(`${millions(larger)}, ${smaller} accounts`, large, upTo(smaller, larger / smaller)),
  await openWay(`${millions(larger)}, all ${larger} accounts`, large, upTo(larger)),
];
for (const { load } of ways) await load.run(warmUpSeconds);
const turns = await inTurns(ways, rounds, measure);
console.log(`\nFirst pages of ${pageSize}, in turns: ${rounds} rounds`);
for (const [{ name }, costs] of turns) {
  const of = (part: keyof Costs) => `${median(costs.map((cost) => cost[part])).toFixed(3)} ms`;
  const rate = `${median(costs.map((cost) => cost.rate)).toFixed(0)}/s`;
  show(`CPU per page: ${name}`, `bank ${of("bank")}`, `database ${of("database")}`, rate);
}
const [first = [], ...others] = [...turns.values()];
for (const part of ["database", "both"] as const) {
  const whose = part === "both" ? "bank and database" : part;
  for (const [index, costs] of others.entries()) {
    const name = `CPU of the ${whose}: ${ways[index + 1]?.name} / ${millions(smaller)}`;
    const of = (cost: Costs) => cost[part];
    concludeRatio(name, first.map(of), costs.map(of), "aim: at most 1.2");
  }
}
for (const { load } of ways) load.close();
await small.close();
await large.close();
await postgres.stop();

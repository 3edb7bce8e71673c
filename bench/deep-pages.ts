import { renderCursor } from "#src/accounts/reading/page.ts";
import { compilePageStatement } from "#src/accounts/reading/page-statement.ts";
import type { PagePosition } from "#src/accounts/resource.ts";
import { transactions } from "#src/accounts/resources/transactions.ts";
import { accessRow } from "#src/auth/access-row.ts";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { type Database, first } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { startPostgres } from "#test/postgres.ts";
import { readCpuTime } from "./lib/cpu-time.ts";
import { addHistory } from "./lib/history.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// Pages of 25 out of 1,000,000 transactions of one account. A page far down must cost as much as
// one near the top. The pages are requested in turns, one at a time, so that load on the machine
// affects all alike.

const entries = 1_000_000;
const rounds = isQuick ? 300 : 1500;

/** Returns the key of the entry at this distance from the newest. */
async function keyAt(database: Database, accountId: string, entry: number): Promise<string[]> {
  const row = await first<{ key: string[] }>(
    database,
    sql`select array[booked_at::text, transaction_id] as key from account_transaction
      where account_id = ${accountId}
      order by booked_at desc, transaction_id desc offset ${entry}::integer limit 1`,
  );
  return present(row, "an entry").key;
}

type Figures = { milliseconds: number[]; process: number; database: number };

async function measure(
  bank: AccountsBank,
  token: string,
  pages: Record<string, string>,
): Promise<Map<string, Figures>> {
  const figures = new Map<string, Figures>(
    Object.keys(pages).map((name) => [name, { milliseconds: [], process: 0, database: 0 }]),
  );
  const batch = 50;
  for (let round = 0; round < rounds / batch; round++) {
    for (const [name, url] of Object.entries(pages)) {
      const figure = present(figures.get(name), name);
      const before = await readCpuTime(bank.database);
      for (let turn = 0; turn < batch; turn++) {
        const startedAt = performance.now();
        const { status } = await bank.get(url, token);
        if (status !== 200) throw new Error(`${name}: ${status}`);
        if (round > 0) figure.milliseconds.push(performance.now() - startedAt);
      }
      const after = await readCpuTime(bank.database);
      if (round === 0) continue;
      figure.process += after.process - before.process;
      figure.database += (after.database ?? Number.NaN) - (before.database ?? Number.NaN);
    }
  }
  return figures;
}

/** Shows how the server reads a page: the generic plan of all executions. */
async function showPlan(
  database: Database,
  name: string,
  query: { accountId: string; token: string; start: PagePosition | null; now: Temporal.Instant },
): Promise<void> {
  const { text, values } = compilePageStatement(
    { ...transactions.source, path: transactions.path },
    { pageSize: 25, maxAgeSeconds: null, accessRow },
  )({
    credentials: {
      tokenHash: sha256(query.token),
      certificateThumbprint: null,
      certificateFault: null,
      loopback: true,
    },
    accountId: query.accountId,
    partId: null,
    from: null,
    to: null,
    start: query.start,
    wanted: true,
    now: query.now,
  });
  const rows = await database.query<{ "QUERY PLAN": string }>({
    text: `explain (analyze, buffers, costs off, timing off) ${text}`,
    values,
  });
  console.log(`\nPlan of the ${name}:`);
  for (const row of rows) console.log(`  ${row["QUERY PLAN"]}`);
}

/** Creates an account with its history, and a token that can read it. */
async function prepare(url: string): Promise<{ accountId: string; token: string }> {
  const database = await openPostgres(url);
  await migrate(database);
  const bank = await AccountsBank.over(database);
  bank.now = Temporal.Now.instant();
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  await addHistory(database, accountId, entries);
  const accountIds = [accountId];
  const expiresAt = bank.now.add({ hours: 1 });
  const { token } = await bank.addConsent({ customerId, accountIds, expiresAt });
  await bank.close();
  return { accountId, token };
}

const postgres = await startPostgres({ flushes: true });
const url = await postgres.createDatabase(`deep_pages_${process.pid}`);
const { accountId, token } = await prepare(url);
// a connection that closed meanwhile would take its CPU time with it
const database = await openPostgres(url);
const bank = await AccountsBank.over(database);
bank.now = Temporal.Now.instant();
const path = `/accounts/${accountId}/transactions`;
const starts = {
  "second page": await keyAt(database, accountId, 25),
  "page in the middle": await keyAt(database, accountId, entries / 2),
  "last page": await keyAt(database, accountId, entries - 25),
};
const pages: Record<string, string> = {
  "first page": path,
  ...Object.fromEntries(
    Object.entries(starts).map(([name, key]) => [
      name,
      `${path}?pg=${renderCursor("aisp-v3.1", { side: "onwards", key })}`,
    ]),
  ),
};
const last = await bank.get(pages["last page"] ?? "", token);
if (last.body.Links.Next || last.body.Data.Transaction.length !== 25) throw new Error("not last");
const figures = await measure(bank, token, pages);
console.log(`\n${entries.toLocaleString("en")} transactions of one account, PostgreSQL`);
show("", "p50", "CPU bank", "CPU database");
for (const [name, { milliseconds, process: own, database: server }] of figures) {
  const each = (used: number) => `${(used / milliseconds.length).toFixed(3)} ms`;
  show(name, `${median(milliseconds).toFixed(2)} ms`, each(own), each(server));
}
const p50 = (name: string) => median(present(figures.get(name), name).milliseconds);
await showPlan(database, "first page", { accountId, token, start: null, now: bank.now });
const start = { side: "onwards", key: starts["last page"] } as const;
await showPlan(database, "last page", { accountId, token, start, now: bank.now });
conclude({
  name: "last page / first page of 1,000,000, time of one request",
  value: p50("last page") / p50("first page"),
  unit: "",
  aim: "aim: within noise of 1",
});
conclude({
  name: "last page / second page of 1,000,000, time of one request",
  value: p50("last page") / p50("second page"),
  unit: "",
  aim: "aim: within noise of 1",
});
await bank.close();
await postgres.stop();

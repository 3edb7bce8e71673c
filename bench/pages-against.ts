import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "#src/storage/sql.ts";
import { type ComparedBank, concludeRatio, cpuOf, namedCommit, openBanks } from "./lib/against.ts";
import { addHistory } from "./lib/history.ts";
import { type LoadProcess, startLoad } from "./lib/load.ts";
import { readablePage } from "./lib/readable-page.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// `npm run bench -- pages-against=COMMIT` compares the CPU time of a page of 25 transactions out of
// 100,000, with all checks, of this code and of an earlier commit. The two take turns on one
// PostgreSQL server, with the same rows. Times depend on the machine and its load, which affects
// both, so their ratio stays comparable. CPU times are read from /proc, so this needs Linux. The
// commit must be ef2c03f7 or later, because earlier ones have no account information in v4.0.

const commit = namedCommit();
const rounds = isQuick ? 6 : 30;
const warmUps = isQuick ? 1 : 4;
const seconds = isQuick ? 1 : 2;
const connections = 16;
const entries = isQuick ? 20_000 : 100_000;
const pageSize = 25;
// this code logs requests about once a second, so the last writes come after the last page
const flushMilliseconds = 1300;

type Measured = ComparedBank & { pages: LoadProcess };

/** CPU milliseconds per page. */
type Costs = Record<"bank" | "database" | "both", number>;

/** Opens an account to a load, with the same transactions at every commit and no others. */
async function open(one: ComparedBank): Promise<Measured> {
  const { name, bank, observer } = one;
  const { accountId, ...page } = await readablePage(bank);
  await observer.query(sql`delete from account_transaction where account_id = ${accountId}`);
  await addHistory(observer, accountId, entries);
  await observer.execute("checkpoint"); // the server writes these rows before it is measured
  const answer = await fetch(`${bank.publicUrl}${page.path}`, { headers: page.headers });
  const text = await answer.text();
  const count = answer.ok ? JSON.parse(text).Data.Transaction.length : 0;
  if (count !== pageSize) throw new Error(`${name}: not a page of ${pageSize}: ${text}`);
  show(`page, ${name}`, `${text.length} bytes`);
  return { ...one, pages: startLoad({ ...page, connections }) };
}

async function run(one: Measured): Promise<Costs> {
  let read = 0;
  const { bank, database } = await cpuOf(one, async () => {
    const { requests, failures } = await one.pages.run(seconds);
    if (failures > 0) throw new Error(`${one.name}: ${failures} pages failed`);
    read = requests;
    await sleep(flushMilliseconds);
  });
  return { bank: bank / read, database: database / read, both: (bank + database) / read };
}

const { earlier, current, close } = await openBanks(commit);
const opened: Measured[] = [];
try {
  for (const one of [earlier, current]) opened.push(await open(one));
  console.log(`\nPages of ${commit} and of this code, in turns: ${rounds} rounds`);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) for (const one of opened) await run(one);
  const results = await inTurns(opened, rounds, run, { isCold: true });
  for (const [{ name }, costs] of results) {
    const of = (part: keyof Costs) => `${median(costs.map((cost) => cost[part])).toFixed(3)} ms`;
    show(`CPU per page, ${name}`, `bank ${of("bank")}`, `database ${of("database")}`);
  }
  const [first = [], second = []] = [...results.values()];
  for (const part of ["bank", "database", "both"] as const) {
    const of = (cost: Costs) => cost[part];
    const whose = part === "both" ? "bank and database" : part;
    const name = `CPU of the ${whose} per page / that of ${commit}`;
    concludeRatio(name, first.map(of), second.map(of));
  }
} finally {
  for (const { pages } of opened) pages.close();
  await close();
}

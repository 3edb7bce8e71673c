import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { type PostgresServer, startServer } from "#test/attacks/postgres-server.ts";
import { until } from "#test/until.ts";
import { type CpuLimit, limitCpu } from "./lib/cpu-limit.ts";
import { addHistory } from "./lib/history.ts";
import { type LoadProcess, startLoad } from "./lib/load.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { cpuOf, processesOf } from "./lib/server-processes.ts";
import { inTurns } from "./lib/turns.ts";

// Pages of 25 transactions out of 100,000, from a primary alone and from its two standbys, in
// turns. The servers share this machine, so the rate at full speed says little. The CPU time that
// each server spends on a page says how many pages servers on machines of their own can answer: two
// standbys answer twice what one can, as long as the primary can tell them its position so often.
// This is then measured too, with servers of which each has the same small share of a core. So the
// servers are the bottleneck, as they are on small machines of their own, and not this machine.
// CPU times are read from /proc, and shares are control groups, so this needs Linux.

const entries = isQuick ? 20_000 : 100_000;
const rounds = isQuick ? 3 : 12;
const seconds = isQuick ? 1 : 3;
const connections = 32;
const commitsPerSecond = 100;
/** The share of a core that each server has when rates are measured. */
const share = 0.05;
const replicating = { wal_keep_size: "1GB" };

/** A bank that reads from the primary or from the standbys, and the load on it. */
type Measured = { name: string; bank: AccountsBank; load: LoadProcess };

/** For one page: CPU milliseconds of the primary, of all standbys, and the median of its time. */
type Costs = { primary: number; standbys: number; p50: number; p99: number; onPrimary: number };

async function open(name: string, database: Database, page: Page): Promise<Measured> {
  const bank = await AccountsBank.over(database, { clients: [] });
  bank.now = page.now;
  await bank.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = bank.app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${page.token}` };
  return { name, bank, load: startLoad({ port, path: page.path, headers, connections }) };
}

type Page = { path: string; token: string; now: Temporal.Instant };

/** Fills the primary, and returns a page of an account that a token opens. */
async function fill(database: Database): Promise<Page> {
  await migrate(database);
  const bank = await AccountsBank.over(database);
  bank.now = Temporal.Now.instant();
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  await addHistory(database, accountId, entries);
  const { token } = await bank.addConsent({
    customerId,
    accountIds: [accountId],
    from: "2024-01-01T00:00:00Z",
    expiresAt: bank.now.add({ hours: 1 }),
  });
  const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
  const path = String(body.Links.Self).slice(new URL(body.Links.Self).origin.length);
  await bank.app.close();
  return { path, token, now: bank.now };
}

const [primary, ...standbys] = await startServers();
const owner = await openPostgres(await primary.createDatabase("bench"), 1);
const page = await fill(owner);
const readUrl = `postgres://aldgate@${standbys.map(({ host }) => host).join()}/bench`;
const url = primary.urlOf("bench");
const alone = await open("primary alone", await openPostgres(url), page);
const spread = await open("two standbys", await openPostgres(url, 4, {}, readUrl), page);
await until(
  () => spread.bank.database.standbyUse()?.standbys ?? [],
  (all) => all.length === 2 && all.every(({ state }) => state === "in use"),
);

async function startServers(): Promise<[PostgresServer, ...PostgresServer[]]> {
  const first = await startServer({ settings: replicating });
  const copy = () => startServer({ settings: replicating, standbyOf: first });
  return [first, await copy(), await copy()];
}

async function run({ name, bank, load }: Measured): Promise<Costs> {
  const cpu = () => [cpuOf(primary), standbys.reduce((sum, one) => sum + cpuOf(one), 0)] as const;
  const before = cpu();
  const earlier = bank.database.standbyUse()?.readsOnPrimary ?? 0;
  const { requests, failures, p50, p99 } = await load.run(seconds);
  if (failures > 0) throw new Error(`${name}: ${failures} pages failed`);
  const after = cpu();
  const onPrimary = (bank.database.standbyUse()?.readsOnPrimary ?? 0) - earlier;
  return {
    primary: (after[0] - before[0]) / requests,
    standbys: (after[1] - before[1]) / requests,
    p50,
    p99,
    onPrimary: onPrimary / requests,
  };
}

/** Measures both banks in turns. Returns the medians. */
async function compare(): Promise<Map<string, Costs>> {
  const measured = [alone, spread];
  const all = new Map(measured.map(({ name }) => [name, [] as Costs[]]));
  for (const one of measured) await run(one); // warms up
  for (let round = 0; round < rounds; round += 1) {
    for (const one of measured) all.get(one.name)?.push(await run(one));
  }
  const middle = (costs: Costs[], part: keyof Costs) => median(costs.map((cost) => cost[part]));
  return new Map(
    [...all].map(([name, costs]) => [
      name,
      {
        primary: middle(costs, "primary"),
        standbys: middle(costs, "standbys"),
        p50: middle(costs, "p50"),
        p99: middle(costs, "p99"),
        onPrimary: middle(costs, "onPrimary"),
      },
    ]),
  );
}

function report(when: string, results: Map<string, Costs>): void {
  for (const [name, cost] of results) {
    show(
      `page, ${name}, ${when}`,
      `primary ${cost.primary.toFixed(4)} ms`,
      `standbys ${cost.standbys.toFixed(4)} ms`,
      `p50 ${cost.p50.toFixed(1)} ms`,
      `p99 ${cost.p99.toFixed(1)} ms`,
      `${(cost.onPrimary * 100).toFixed(1)} % by primary`,
    );
  }
}

/** Commits at a steady rate, so that the standbys have something to replay. */
function startCommits(): { end(): Promise<void> } {
  let isOver = false;
  const work = (async () => {
    await owner.execute("create table commit_of_bench (n integer)");
    while (!isOver) {
      await owner.query(sql`insert into commit_of_bench (n) values (1)`);
      await delay(1000 / commitsPerSecond);
    }
  })();
  return {
    async end() {
      isOver = true;
      await work;
    },
  };
}

/** Pages of two standbys for each page of the primary alone, if all have the same small share. */
async function compareRates(): Promise<number | null> {
  const limits: CpuLimit[] = [];
  try {
    for (const [index, server] of [primary, ...standbys].entries()) {
      const limit = limitCpu(`server-${index}`, share);
      limits.push(limit);
      limit.add(processesOf(server));
    }
    const rates = await inTurns([alone, spread], rounds, async ({ name, bank, load }) => {
      const earlier = bank.database.standbyUse()?.readsOnPrimary ?? 0;
      const { requests, requestsPerSecond, failures } = await load.run(seconds);
      if (failures > 0) throw new Error(`${name}: ${failures} pages failed`);
      const onPrimary = (bank.database.standbyUse()?.readsOnPrimary ?? 0) - earlier;
      return { perSecond: requestsPerSecond, onPrimary: onPrimary / requests };
    });
    const [own = Number.NaN, others = Number.NaN] = [alone, spread].map((one) => {
      const found = rates.get(one) ?? [];
      const perSecond = median(found.map((result) => result.perSecond));
      show(
        `pages, ${one.name}, ${share} of a core for each server`,
        `${perSecond.toFixed(0)} pages/s`,
        `${(median(found.map((result) => result.onPrimary)) * 100).toFixed(1)} % by primary`,
      );
      return perSecond;
    });
    return others / own;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined && limits.length > 0) throw error;
    console.log(`The rates are not measured, because no limit of CPU time can be set: ${error}`);
    return null;
  } finally {
    for (const limit of limits) limit.remove();
  }
}

try {
  const results = await compare();
  report("nothing else", results);
  const commits = startCommits();
  report(`${commitsPerSecond} commits a second`, await compare());
  await commits.end();
  const [one, two] = [
    present(results.get(alone.name), "a result"),
    present(results.get(spread.name), "a result"),
  ];
  const capacity = Math.min(2 / two.standbys, 1 / two.primary);
  conclude({
    name: "pages of two standbys / pages of a primary, calculated",
    value: capacity * one.primary,
    unit: "",
    aim: "aim: at least 1.8",
  });
  const measured = await compareRates();
  if (measured !== null) {
    conclude({
      name: `pages of two standbys / pages of a primary, ${share} of a core each`,
      value: measured,
      unit: "",
      aim: "aim: at least 1.8",
    });
  }
  conclude({
    name: "CPU of the primary per page, with standbys / without",
    value: two.primary / one.primary,
    unit: "",
    aim: "no aim",
  });
} finally {
  for (const { load, bank } of [alone, spread]) {
    load.close();
    await bank.close();
  }
  await owner.close();
  for (const server of [...standbys, primary]) await server.stop();
}

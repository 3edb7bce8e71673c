import type { AddressInfo } from "node:net";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { startPostgres } from "#test/postgres.ts";
import { readCpuTime, showCpuTime } from "./lib/cpu-time.ts";
import { addHistory } from "./lib/history.ts";
import { type LoadResult, middle, runLoad, showLoad } from "./lib/load.ts";
import { conclude, isQuick } from "./lib/report.ts";
import { serveBytes } from "./lib/serve-bytes.ts";

// A page of 25 transactions out of 100,000, with all checks, against bare node:http that serves the
// same bytes. Another process loads both, in turns, in one run.

const connections = 32;
const warmUpSeconds = isQuick ? 1 : 2;
const seconds = isQuick ? 1 : 5;
const rounds = isQuick ? 2 : 3;

async function measure(name: string, database: Database): Promise<void> {
  await migrate(database);
  const bank = await AccountsBank.over(database);
  bank.now = Temporal.Now.instant();
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  await addHistory(database, accountId, 100_000);
  const { token } = await bank.addConsent({
    customerId,
    accountIds: [accountId],
    from: "2024-01-01T00:00:00Z",
    expiresAt: bank.now.add({ hours: 1 }),
  });
  const path = `/accounts/${accountId}/transactions`;
  const first = await bank.get(path, token);
  const newest = await bank.through("aisp-v4.0").get(path, token);
  const pages = {
    "first page": first.body.Links.Self,
    "second page": first.body.Links.Next,
    "first page, filtered": `${first.body.Links.Self}?toBookingDateTime=2026-11-01`,
    "first page, v4.0": newest.body.Links.Self,
    "second page, v4.0": newest.body.Links.Next,
  };
  await bank.app.listen({ port: 0, host: "127.0.0.1" });
  const bare = await serveBytes(Buffer.from(first.text));
  const port = (bank.app.server.address() as AddressInfo).port;
  const headers = { authorization: `Bearer ${token}` };
  const run = (to: number, path: string, length = seconds) =>
    runLoad({ port: to, path, headers, connections, seconds: length });
  console.log(`\n${name}: ${first.text.length} bytes, ${connections} connections`);
  const targets = [
    { which: "bare node:http", to: bare.port, path: "/" },
    ...Object.entries(pages).map(([which, url]) => ({
      which,
      to: port,
      path: url.slice(new URL(url).origin.length),
    })),
  ];
  const showCpu = async (which: string, to: number, path: string) => {
    const before = await readCpuTime(database);
    const { requests } = await run(to, path);
    console.log(
      `${which.padEnd(28)} ${showCpuTime(before, await readCpuTime(database), requests)}`,
    );
  };
  const results = new Map<string, LoadResult[]>(targets.map(({ which }) => [which, []]));
  for (const { to, path } of targets) await run(to, path, warmUpSeconds);
  for (let round = 0; round < rounds; round++) {
    for (const { which, to, path } of targets) {
      const result = await run(to, path);
      if (result.failures > 0) throw new Error(`${which}: ${result.failures} answers were not 200`);
      results.get(which)?.push(result);
    }
  }
  for (const { which, to, path } of targets) await showCpu(which, to, path);
  const reference = middle(results.get("bare node:http") ?? []);
  for (const [which, each] of results) {
    const result = middle(each);
    const ratio = result.requestsPerSecond / reference.requestsPerSecond;
    console.log(`${showLoad(which, result)}   ${ratio.toFixed(3)} of bare`);
    if (which === "first page" || which === "first page, v4.0") {
      const aim = database.kind === "postgres" ? "aim: at least 0.15" : "no aim";
      conclude({ name: `${which}, ${name} / bare node:http`, value: ratio, unit: "", aim });
    }
  }
  const peak = (process.resourceUsage().maxRSS / 1024).toFixed(0);
  console.log(`peak memory of this process: ${peak} MB`);
  bare.close();
  await bank.close();
}

if (!process.argv.includes("--pglite")) {
  const postgres = await startPostgres({ flushes: true });
  await measure("PostgreSQL", await openPostgres(await postgres.createDatabase("bench")));
  await postgres.stop();
}
if (!process.argv.includes("--postgres")) await measure("PGlite", await openPglite({}));

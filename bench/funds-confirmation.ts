import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { CardIssuer, confirmations, named } from "#test/funds/card-issuer.ts";
import { openBank } from "#test/harness.ts";
import { startPostgres } from "#test/postgres.ts";
import { readCpuTime, showCpuTime } from "./lib/cpu-time.ts";
import { type Load, type LoadResult, middle, runLoad, showLoad, uniqueText } from "./lib/load.ts";
import { conclude, isQuick } from "./lib/report.ts";
import { serveBytes } from "./lib/serve-bytes.ts";

// A card issuer's question about funds, with all checks, the answer of the bank's core and the
// stored question, compared with bare node:http that sends the same bytes. Another process loads
// the two in turns. The standard's figures are 300 ms on average and 500 ms at most.

const warmUpSeconds = isQuick ? 1 : 3;
const seconds = isQuick ? 1 : 4;
const rounds = isQuick ? 2 : 3;
const connections = 32;

async function measure(name: string, database: Database): Promise<void> {
  await migrate(database);
  await seedPersonas(database, { now: Temporal.Now.instant(), newest: 300 });
  // one consent is asked about all the time
  const settings = { FUNDS_CONFIRMATION_DAILY_LIMIT: 1_000_000_000 };
  const bank = await openBank(settings, database, paymentKinds);
  const issuer = new CardIssuer(
    bank,
    await bank.createTpp({ certificateBound: false }),
    "/v4.0/cbpii",
  );
  const [account] = await bank.currentAccounts("amara");
  const consent = await issuer.authorised("amara", named(account?.identification ?? null));
  const answer = await issuer.ask(consent, "1.00");
  const bare = await serveBytes(answer.raw);
  const common = {
    path: `/api/open-banking/v4.0/cbpii${confirmations}`,
    headers: {
      authorization: `Bearer ${consent.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      Data: {
        ConsentId: consent.consentId,
        Reference: uniqueText,
        InstructedAmount: { Amount: "1.00", Currency: "GBP" },
      },
    }),
  };
  const targets: { which: string; load: Omit<Load, "seconds"> }[] = [
    { which: "bare node:http", load: { ...common, port: bare.port, connections } },
    {
      which: "question",
      load: { ...common, port: Number(new URL(bank.publicUrl).port), connections },
    },
  ];
  console.log(`\n${name}: ${answer.raw.length} bytes, ${connections} connections`);
  const results = new Map<string, LoadResult[]>(targets.map(({ which }) => [which, []]));
  for (const { load } of targets) await runLoad({ ...load, seconds: warmUpSeconds });
  for (let round = 0; round < rounds; round++) {
    for (const { which, load } of targets) {
      const before = await readCpuTime(database);
      const result = await runLoad({ ...load, seconds });
      if (result.failures > 0) throw new Error(`${which}: ${result.failures} failures`);
      console.log(
        `${which.padEnd(28)} ${showCpuTime(before, await readCpuTime(database), result.requests)}`,
      );
      results.get(which)?.push(result);
    }
  }
  const reference = middle(results.get("bare node:http") ?? []);
  const question = middle(results.get("question") ?? []);
  for (const [which, each] of results) console.log(showLoad(which, middle(each)));
  conclude({
    name: `question about funds, ${name} / bare node:http`,
    value: question.requestsPerSecond / reference.requestsPerSecond,
    unit: "",
    aim: "no aim",
  });
  conclude({
    name: `question about funds, ${name}, p99 of ${connections} at a time`,
    value: question.p99,
    unit: "ms",
    aim: "aim: at most 500",
  });
  bare.close();
  await bank.close();
}

if (!process.argv.includes("--pglite")) {
  const postgres = await startPostgres({ flushes: true });
  await measure("PostgreSQL", await openPostgres(await postgres.createDatabase("bench_funds")));
  await postgres.stop();
}
if (!process.argv.includes("--postgres")) await measure("PGlite", await openPglite({}));

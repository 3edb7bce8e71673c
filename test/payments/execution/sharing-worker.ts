// A process with two engines, like one of a bank's several processes: `sharing-worker.ts URL
// OWNER`. It prints `ready`, processes everything due when it is told to, and prints what it has
// executed.
import { once } from "node:events";
import { systemClock } from "#src/lib/clock.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { schemeByName } from "./outside.ts";

const [url = "", owner = ""] = process.argv.slice(2);
const executed: string[] = [];

async function openEngine(name: string) {
  const database = await openPostgres(url, 1);
  const scheme = schemeByName(new Temporal.Duration());
  const bank = createSandboxBank({ database, clock: systemClock, scheme });
  const engine = createEngine({
    database,
    bank: {
      ...bank,
      execute(payments) {
        executed.push(...payments.map(({ paymentId }) => paymentId));
        return bank.execute(payments);
      },
    },
    clock: systemClock,
    owner: name,
    batchSize: 16,
    log: { error: (details, text) => console.error(text, details) },
  });
  return { database, engine };
}

const engines = await Promise.all([1, 2].map((n) => openEngine(`${owner}-${n}`)));
process.stdout.write("ready\n");
await once(process.stdin, "data");
await Promise.all(engines.map(({ engine }) => engine.drain()));
await Promise.all(engines.map(({ database }) => database.close()));
process.stdout.write(JSON.stringify(executed));
process.stdin.destroy();

// A process that runs an engine until it kills itself: `worker.ts URL OWNER KILL [NOW]`, where KILL
// is `moment:N` (at the Nth such moment of the engine) or `ms:N` (so long after its first claim,
// wherever that finds it). Its clock starts at NOW; the machine's own unless given.

import { createEngine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { clockFrom, schemeByName } from "./outside.ts";

const [url = "", owner = "", kill = "", now] = process.argv.slice(2);
const clock = clockFrom(now ? Temporal.Instant.from(now) : Temporal.Now.instant());
const [moment, number] = kill.split(":");
let left = Number(number);
let claimed = false;
const die = (): void => void process.kill(process.pid, "SIGKILL");

const database = await openPostgres(url, 1);
const scheme = schemeByName(Temporal.Duration.from({ milliseconds: 200 }));
const engine = createEngine({
  database,
  bank: createSandboxBank({ database, clock, scheme }),
  clock,
  owner,
  batchSize: 16,
  leaseSeconds: 1,
  log: { error: (details, text) => console.error(text, details) },
  onStep(reached) {
    if (moment === "ms" && !claimed) setTimeout(die, left);
    claimed = true;
    if (reached === moment && --left === 0) die();
  },
});
engine.start(5);

// A process that runs an engine until it kills itself: `worker.ts URL OWNER KILL`, where KILL is
// `moment:N` (at the Nth such moment of the engine) or `ms:N` (so long after its first claim,
// wherever that finds it).
import { createSandboxBank } from "#src/bank/sandbox/sandbox-bank.ts";
import { systemClock } from "#src/lib/clock.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { schemeByName } from "./outside.ts";

const [url = "", owner = "", kill = ""] = process.argv.slice(2);
const [moment, number] = kill.split(":");
let left = Number(number);
let claimed = false;
const die = (): void => void process.kill(process.pid, "SIGKILL");

const database = await openPostgres(url, 1);
const scheme = schemeByName(Temporal.Duration.from({ milliseconds: 200 }));
const engine = createEngine({
  database,
  bank: createSandboxBank({ database, clock: systemClock, scheme }),
  clock: systemClock,
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

// A broken core of the kit in a process of its own, which an attack may kill:
// node core-process.ts DATABASE_URL PORT CASE. Its books are in the database, so they outlive it.
import { loadConfig } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { openServedBank } from "#src/server/sandbox/served-bank.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { serveBroken } from "#test/connector/kit/broken-core.ts";
import { brokenCores } from "#test/connector/kit/broken-cores.ts";
import { withKitFacts } from "#test/connector/kit/served-core.ts";

const [url = "", port, name] = process.argv.slice(2);
const broken = present(
  brokenCores.find((one) => one.name === name),
  "the broken core",
);
const { core } = await openServedBank({
  config: loadConfig({}),
  database: await openPostgres(url),
  clock: systemClock,
  onProgress: () => undefined,
});
await serveBroken(withKitFacts(core), broken).listen({ port: Number(port), host: "127.0.0.1" });
console.log("The core is open");

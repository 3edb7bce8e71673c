// A process that starts on a database: it makes the schema and, if asked to, the personas. It
// begins when its standard input ends, so that several processes can begin at the same time.
import { once } from "node:events";
import { systemClock } from "#src/lib/clock.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";

const [url = "", seed] = process.argv.slice(2);
const database = await openPostgres(url, 1);
console.log("ready");
process.stdin.resume();
await once(process.stdin, "end");
const applied = await migrate(database);
if (seed === "seed") await seedPersonas(database, { now: systemClock.now(), newest: 20 });
await database.close();
console.log(applied.length);

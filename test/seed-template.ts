// Fills a database with the personas, for tests to copy. The target is a PostgreSQL URL or a file.
import { writeFileSync } from "node:fs";
import { systemClock } from "#src/lib/clock.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";

// Enough transactions for many pages. With all transactions of a real sandbox, every copy would be
// slow. every-persona.test.ts reads a full sandbox; with ALDGATE_TEST_NEWEST=100000, every test
// does.
const newest = Number(process.env.ALDGATE_TEST_NEWEST ?? 2000);

const target = process.argv[2] ?? "";
const options = { now: systemClock.now(), newest };

if (target.startsWith("postgres:")) {
  const database = await openPostgres(target);
  await migrate(database);
  await seedPersonas(database, options);
  await database.close();
} else {
  const database = await openPglite({});
  await migrate(database);
  await seedPersonas(database, options);
  await database.execute("checkpoint"); // otherwise every copy would replay the log of the seeding
  const dump = await database.engine.dumpDataDir("none");
  writeFileSync(target, Buffer.from(await dump.arrayBuffer()));
  await database.close();
}

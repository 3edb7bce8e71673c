// Makes the lane's databases, for tests to copy: one without a schema (only the embedded database,
// where it takes a second to make), one without rows, and one with the personas.
import { systemClock } from "#src/lib/clock.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { archive } from "#src/storage/archived-files.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { onPostgres, startPostgres } from "./postgres.ts";
import { archiveFile, emptyName, templateName } from "./setup.ts";

// Enough transactions for many pages. With all transactions of a real sandbox, every copy would be
// slow. every-persona.test.ts reads a full sandbox; with ALDGATE_TEST_NEWEST=100000, every test
// does.
const newest = Number(process.env.ALDGATE_TEST_NEWEST ?? 2000);

// A run that passes midnight has a sandbox of the day before, and every test must pass with one.
// ALDGATE_TEST_SEEDED_AGO=P1D gives the whole run such a sandbox.
const ago = process.env.ALDGATE_TEST_SEEDED_AGO ?? "PT0S";
const now = systemClock.now().toZonedDateTimeISO("UTC").subtract(ago).toInstant();

const options = { now, newest };

if (onPostgres) {
  const server = await startPostgres(); // the lane's
  const empty = await openPostgres(await server.createDatabase(emptyName));
  await migrate(empty);
  await empty.close();
  const seeded = await openPostgres(await server.createDatabase(templateName, emptyName));
  await seedPersonas(seeded, options);
  await seeded.close();
} else {
  const database = await openPglite({});
  await archive(database.engine, archiveFile("bare"));
  await migrate(database);
  await archive(database.engine, archiveFile("empty"));
  await seedPersonas(database, options);
  await archive(database.engine, archiveFile("seeded"));
  await database.close();
}

import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { archive } from "#src/storage/archived-files.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";

// A simulation does not read transactions from before its beginning.
const newest = 20;

/** When the time of a simulation begins, unless it is repeated. */
export const usualBeginning = "2027-03-01T10:00:00Z";

/** Writes the database with which simulations begin. */
export async function writeTemplate(file: string, beginning: string): Promise<void> {
  const database = await openPglite({});
  try {
    await migrate(database);
    await seedPersonas(database, { now: Temporal.Instant.from(beginning), newest });
    await archive(database.engine, file);
  } finally {
    await database.close();
  }
}

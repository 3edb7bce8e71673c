import { join } from "node:path";
import type { Config } from "#src/config/config.ts";
import type { Database } from "#src/storage/database.ts";

/** Opens the database that the configuration names: a PostgreSQL server, or a folder. */
export async function openDatabase(
  config: Pick<Config, "DATABASE_URL" | "DATABASE_CONNECTIONS" | "ALDGATE_DATA">,
): Promise<Database> {
  // each driver is loaded when it is used: the embedded one alone takes a tenth of a second
  if (config.DATABASE_URL !== undefined) {
    const { openPostgres } = await import("#src/storage/postgres.ts");
    return openPostgres(config.DATABASE_URL, config.DATABASE_CONNECTIONS);
  }
  const { openPglite } = await import("#src/storage/pglite.ts");
  return openPglite({ folder: join(config.ALDGATE_DATA, "database") });
}

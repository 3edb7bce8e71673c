import { join } from "node:path";
import { type Config, ConfigError } from "#src/config/config.ts";
import type { Database } from "#src/storage/database.ts";
import { DatabaseUrlError } from "#src/storage/database-url.ts";

/** Opens the database that the configuration names: a PostgreSQL server, or a folder. */
export async function openDatabase(config: Config): Promise<Database> {
  // each driver is loaded when it is used: the embedded one alone takes a tenth of a second
  if (config.DATABASE_URL !== undefined) return openServer(config.DATABASE_URL, config);
  const { openPglite } = await import("#src/storage/pglite.ts");
  return openPglite({ folder: join(config.ALDGATE_DATA, "database") });
}

async function openServer(url: string, config: Config): Promise<Database> {
  const { openPostgres } = await import("#src/storage/postgres.ts");
  try {
    return await openPostgres(url, config.DATABASE_CONNECTIONS, {
      connectSeconds: config.DATABASE_CONNECT_SECONDS,
      statementSeconds: config.DATABASE_STATEMENT_SECONDS,
      transactionSeconds: config.DATABASE_TRANSACTION_SECONDS,
      lockSeconds: config.DATABASE_LOCK_SECONDS,
      waitSeconds: config.DATABASE_WAIT_SECONDS,
      probeSeconds: config.DATABASE_PROBE_SECONDS,
    });
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    throw new ConfigError([`DATABASE_URL: ${error.message}`]);
  }
}

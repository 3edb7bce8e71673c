import type { Config } from "#src/config/config.ts";
import { openMadeDatabase, unhurried } from "#src/server/opening/open-database.ts";
import type { Database } from "#src/storage/database.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";

/** Works with all data of the configured bank, in its database, which is closed afterwards. */
export async function withBankData<T>(
  { environment }: Pick<Cli, "environment">,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = configOf(environment);
  const database = await openMadeDatabase(config, unhurried);
  try {
    return await work(database, config);
  } finally {
    await database.close();
  }
}

import type { Config } from "#src/config/config.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import type { Database } from "#src/storage/database.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

/** The two ways to the same thing in a bank. */
type Ways<T> = {
  /** Through the interface of a running sandbox. */
  sandbox(client: SandboxClient): Promise<T>;
  /** In the database, which is closed afterwards. */
  database(database: Database, config: Config): Promise<T>;
};

/** Works in the configured bank: in a sandbox through its interface, otherwise in its database. */
export async function inBank<T>(cli: Cli, ways: Ways<T>): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return ways.sandbox(configuredSandbox(cli));
  const database = await openMadeDatabase(config);
  try {
    return await ways.database(database, config);
  } finally {
    await database.close();
  }
}

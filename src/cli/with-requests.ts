import type { LogReader } from "#src/request-log/reader.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import { readLog } from "#src/server/opening/open-request-log.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/**
 * Calls `work` with the reader of the configured bank's log of requests: through the sandbox's
 * interface if the bank is a sandbox, otherwise in its database.
 */
export async function withRequests<T>(
  cli: Cli,
  work: (requests: LogReader) => Promise<T>,
): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return work(configuredSandbox(cli).requests);
  const database = await openMadeDatabase(config);
  try {
    const operations = listOperations(await cli.kinds(), config);
    // this process has nothing that waits to be written
    const log = { flush: async () => undefined };
    const { clock } = cli;
    return await work(readLog({ clock, config, database, operations, log, hasLedger: false }));
  } finally {
    await database.close();
  }
}

import type { LogReader } from "#src/request-log/reader.ts";
import { readLog } from "#src/server/opening/open-request-log.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Cli } from "./command.ts";
import { inBank } from "./in-bank.ts";

/** Calls `work` with the reader of the configured bank's log of requests. */
export const withRequests = <T>(cli: Cli, work: (requests: LogReader) => Promise<T>): Promise<T> =>
  inBank(cli, {
    sandbox: (client) => work(client.requests),
    async database(database, config) {
      const kinds = await cli.kinds();
      const operations = listOperations(kinds, config);
      // this process has nothing that waits to be written
      const log = { flush: async () => undefined };
      const { clock } = cli;
      const parts = { clock, config, database, kinds, operations, log };
      return work(readLog({ ...parts, hasLedger: false }));
    },
  });

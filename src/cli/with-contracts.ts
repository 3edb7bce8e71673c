import {
  type ContractOperations,
  contractOperations,
} from "#src/payments/limits/contract-operations.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/**
 * Calls `work` with the contracts of the configured bank: through the sandbox's interface if the
 * bank is a sandbox, otherwise in its database.
 */
export async function withContracts<T>(
  cli: Cli,
  work: (contracts: ContractOperations, now: Temporal.Instant) => Promise<T>,
): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") {
    const sandbox = configuredSandbox(cli);
    return work(sandbox.contracts, await sandbox.now());
  }
  const database = await openMadeDatabase(config);
  try {
    return await work(contractOperations(database, cli.clock), cli.clock.now());
  } finally {
    await database.close();
  }
}

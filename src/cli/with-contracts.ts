import {
  type ContractOperations,
  contractOperations,
} from "#src/payments/limits/contract-operations.ts";
import type { Cli } from "./command.ts";
import { inBank } from "./in-bank.ts";

/** Calls `work` with the contracts of the configured bank. */
export const withContracts = <T>(
  cli: Cli,
  work: (contracts: ContractOperations, now: Temporal.Instant) => Promise<T>,
): Promise<T> =>
  inBank(cli, {
    sandbox: async (client) => work(client.contracts, await client.now()),
    database: (database) => work(contractOperations(database, cli.clock), cli.clock.now()),
  });

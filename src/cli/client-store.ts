import { addressesOf } from "#src/config/addresses.ts";
import type { ClientOperator } from "#src/registration/client-operator.ts";
import { readAnchors } from "#src/server/keys/keys.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import { openRegistration } from "#src/server/opening/open-registration.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import { configuredSandbox } from "./sandbox-client.ts";

/**
 * Calls `work` with the operator's functions for the configured bank's clients: through the
 * sandbox's interface if the bank is a sandbox, otherwise in its database.
 */
export async function withClients<T>(
  cli: Cli,
  work: (clients: ClientOperator) => Promise<T>,
): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return work(configuredSandbox(cli).clients);
  const database = await openMadeDatabase(config);
  try {
    const { operator } = openRegistration({
      ...addressesOf(config),
      config,
      database,
      clock: cli.clock,
      machineClock: cli.clock,
      clientCa: readAnchors(config),
      kinds: await cli.kinds(),
      log: { warn: (details, text) => cli.complain(`${text}: ${JSON.stringify(details)}`) },
    });
    return await work(operator);
  } finally {
    await database.close();
  }
}

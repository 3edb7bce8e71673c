import { openSigning } from "#src/server/keys/open-signing.ts";
import { openMadeDatabase } from "#src/server/opening/open-database.ts";
import { KeyRefused } from "#src/signing/key-plan.ts";
import type { Cli } from "./command.ts";
import { configOf } from "./load-config.ts";
import type { KeyAccess } from "./remote-keys.ts";
import { BankRefused, configuredSandbox } from "./sandbox-client.ts";

/**
 * Calls `work` with access to the configured bank's signing keys: through the sandbox's interface
 * if the bank is a sandbox, otherwise in its database. Throws BankRefused.
 */
export async function withKeys<T>(cli: Cli, work: (keys: KeyAccess) => Promise<T>): Promise<T> {
  const config = configOf(cli.environment);
  if (config.ALDGATE_PROFILE === "sandbox") return work(configuredSandbox(cli).signingKeys);
  const database = await openMadeDatabase(config);
  const complain = (details: object, text: string) =>
    cli.complain(`${text}: ${JSON.stringify(details)}`);
  const log = { info: () => undefined, warn: complain, error: complain };
  const signing = openSigning({ config, database, clock: cli.clock, directory: null, log });
  try {
    await signing.store.refresh();
    const { store } = signing;
    return await work({
      ...store,
      add: (location = "", certificateFile) => store.add({ location, certificateFile }),
    });
  } catch (error) {
    if (error instanceof KeyRefused) throw new BankRefused(error.message);
    throw error;
  } finally {
    signing.close();
    await database.close();
  }
}

import type { GuardOptions } from "#src/bank/guarded-bank.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/lib/clock.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { createSandboxClock } from "#src/sandbox/time/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { loadCore } from "./load-bank.ts";

/** A core that a command uses: that of BANK_MODULE, or the sandbox bank. */
type OpenCore = { bank: Bank; clock: Clock; close(): Promise<void> };

/** Opens the core as the server does, for a command that calls it. Throws ConfigError. */
export async function openCore(
  config: Config,
  on: { database: Database; machineClock: Clock },
  log: GuardOptions["log"],
): Promise<OpenCore> {
  const { database, machineClock } = on;
  const isSandbox = config.ALDGATE_PROFILE === "sandbox";
  const clock = isSandbox ? await createSandboxClock(database, machineClock) : machineClock;
  if (config.BANK_MODULE === undefined) {
    return { bank: createSandboxBank({ database, clock }), clock, close: async () => undefined };
  }
  const core = await loadCore(config, { database, clock }, log);
  return { bank: core.bank, clock, close: () => core.close(config.SHUTDOWN_SECONDS * 1000) };
}

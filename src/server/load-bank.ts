import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bank } from "#src/bank/port.ts";
import { type Config, ConfigError } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";

/** What a bank's own core is made with. */
export type BankContext = { database: Database; clock: Clock };

/** Loads the bank's own core from the module that BANK_MODULE names. Throws ConfigError. */
export async function loadBank(config: Config, context: BankContext): Promise<Bank> {
  const path = resolve(present(config.BANK_MODULE, "BANK_MODULE"));
  let module: { createBank?: (context: BankContext) => Bank | Promise<Bank> };
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new ConfigError([`BANK_MODULE: ${path} cannot be loaded: ${(error as Error).message}`]);
  }
  if (typeof module.createBank !== "function") {
    throw new ConfigError([`BANK_MODULE: ${path} exports no function createBank`]);
  }
  return module.createBank(context);
}

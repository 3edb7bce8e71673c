import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { BankContext } from "#src/server/opening/load-bank.ts";

/** A core for BANK_MODULE. It uses the sandbox's ledger. */
export const createBank = (context: BankContext) => createSandboxBank(context);

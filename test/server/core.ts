import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";

/** A core for BANK_MODULE. It uses the sandbox's ledger. */
export const createBank = (context: BankContext) => createSandboxBank(context);

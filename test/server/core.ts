import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { BankContext } from "#src/server/load-bank.ts";

/** A bank's own core, as BANK_MODULE names one: here the sandbox's ledger plays it. */
export const createBank = (context: BankContext) => createSandboxBank(context);

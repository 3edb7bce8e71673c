// The second bank's core as a bank would write it that omits the optional calls.
import type { Bank } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import { createBank as createWhole } from "./core.ts";

/** Creates the core without the optional calls. */
export async function createBank(context: BankContext): Promise<Bank> {
  const { listPayments: _, loadStatementDocument: __, ...core } = await createWhole(context);
  return core;
}

// The second bank's core as a bank would write it that wants to know what happens to consents and
// orders.
import type { Bank } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import * as whole from "./core.ts";

export const { testCode, testCustomers } = whole;

/** Creates the core with the call `tell`. */
export async function createBank(context: BankContext): Promise<Bank> {
  const tell = whole.callAt(process.env.SECOND_BANK_URL)("tell");
  return {
    ...(await whole.createBank(context)),
    tell: async (notices) => void (await tell(notices)),
  };
}

// The second bank's core with a `tell` that can never accept some notices. The test says which.
import { fileURLToPath } from "node:url";
import type { Notice } from "#src/bank/notice.ts";
import type { Bank } from "#src/bank/port.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import * as whole from "./core.ts";

export const { testCode, testCustomers } = whole;

/** The path of this module, for BANK_MODULE. */
export const refusingPath = fileURLToPath(import.meta.url);

/** What the core was told, and the notices that it refuses. */
export const refusing: { told: Notice[]; isRefused(notice: Notice): boolean } = {
  told: [],
  isRefused: () => false,
};

/** Creates the core. */
export async function createBank(context: BankContext): Promise<Bank> {
  return {
    ...(await whole.createBank(context)),
    async tell(notices) {
      if (notices.some(refusing.isRefused)) throw new Error("this core cannot take it");
      refusing.told.push(...notices);
    },
  };
}

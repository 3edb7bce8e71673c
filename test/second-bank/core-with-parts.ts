// The second bank's core as a bank would write it that has only some parts: it omits every call
// that none of its parts needs. The test says which parts it has.
import { type BankPart, bankParts } from "#src/bank/parts.ts";
import type { OwnCore } from "#src/bank/port.ts";
import { portCalls } from "#src/bank/port-calls.ts";
import type { BankContext } from "#src/server/opening/bank-context.ts";
import * as core from "./feeding-core.ts";

/** The customers that a sandbox may log in. */
export const testCustomers = core.testCustomers;

/** Returns the code of a challenge, so that a sandbox can answer it. */
export const testCode = core.testCode;

/** The variable with the parts, separated by commas. */
export const partsVariable = "SECOND_BANK_PARTS";

/** Creates the core with the parts that the variable names. */
export async function createBank(context: BankContext): Promise<OwnCore> {
  const named = (process.env[partsVariable] ?? "").split(",");
  const parts: BankPart[] = bankParts.filter((part) => named.includes(part));
  const whole = await core.createBank(context);
  const unneeded = Object.entries(portCalls).flatMap(([name, row]) =>
    row.parts && !row.parts.some((part) => parts.includes(part)) ? [name] : [],
  );
  const left = Object.entries(whole).filter(([name]) => !unneeded.includes(name));
  // safe: the calls that are left out are those of other parts
  return { ...(Object.fromEntries(left) as OwnCore), about: { parts } };
}

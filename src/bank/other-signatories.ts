import type { Bank } from "./port.ts";

/**
 * The names of the others who may sign for an account. There are none if the bank does not know
 * them, or if the core does not answer.
 */
export async function namesOfOthers(
  bank: Pick<Bank, "listSignatories">,
  accountId: string,
  customerId: string | null,
): Promise<string[]> {
  const all = (await bank.listSignatories?.(accountId).catch(() => [])) ?? [];
  return all.filter((each) => each.customerId !== customerId).map(({ name }) => name);
}

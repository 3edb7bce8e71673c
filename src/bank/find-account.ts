import type { AccountReference, Bank, BankAccount } from "./port.ts";

/** An account's number as a TPP names it. */
type NamedNumber = Pick<
  AccountReference,
  "schemeName" | "identification" | "secondaryIdentification"
>;

/**
 * Chooses among the open accounts that have one number. The account with the same secondary
 * identification is meant. Otherwise a single account is meant, unless both sides have a secondary
 * identification. Several accounts are ambiguous if none was named.
 */
export function chooseByNumber<Account extends Pick<BankAccount, "secondaryIdentification">>(
  accounts: readonly Account[],
  secondary: string | null,
): Account | "ambiguous" | null {
  const ownOf = ({ secondaryIdentification: own }: Account) => own ?? null;
  const same = accounts.find((account) => ownOf(account) === secondary);
  if (same) return same;
  if (accounts.length > 1) return secondary === null ? "ambiguous" : null;
  const [only = null] = accounts;
  return only === null || secondary === null || ownOf(only) === null ? only : null;
}

/** Finds the account of this bank that a TPP names. A core may ignore the secondary part. */
export async function findNamedAccount(
  bank: Pick<Bank, "findAccount">,
  { schemeName, identification, secondaryIdentification: secondary }: NamedNumber,
): Promise<BankAccount | "ambiguous" | null> {
  const found = await bank.findAccount(schemeName, identification, secondary);
  return found === null || found === "ambiguous" ? found : chooseByNumber([found], secondary);
}

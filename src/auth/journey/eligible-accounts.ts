import type { Bank, BankAccount } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { ibanText, notOpenText, sortCodeText } from "#src/pages/wording.ts";

/** An account with the reason that it cannot be chosen; null when it can. */
export type Candidate = { account: BankAccount; unavailable: string | null; unmet: boolean };

/** The customer's accounts as a consent sees them; deleted ones are left out. */
export async function listCandidates(
  bank: Bank,
  kind: ConsentKind,
  consent: Consent,
  customerId: string,
): Promise<Candidate[]> {
  const accounts = await bank.listAccounts(customerId);
  return accounts
    .filter(({ status }) => status !== "Deleted")
    .map((account) => judgeAccount(kind, consent, account));
}

/** Judges one account of the customer; `unmet` when nothing but the AuthorisationType is wrong. */
export function judgeAccount(kind: ConsentKind, consent: Consent, account: BankAccount): Candidate {
  const mismatch = kind.whyNotSignable(consent, account);
  const why = notOpenText(account.status);
  const closed = why && `This account is ${why}.`;
  const unavailable = closed ?? mismatch ?? kind.whyNotEligible(consent, account);
  return { account, unavailable, unmet: closed === null && mismatch !== null };
}

/** Whether the AuthorisationType alone leaves the customer without an account. */
export const isUnmet = (candidates: readonly Candidate[]): boolean =>
  candidates.every(({ unavailable }) => unavailable !== null) &&
  candidates.some(({ unmet }) => unmet);

/** What a customer calls an account: its nickname, or what it is. */
export function accountLabel(account: BankAccount): string {
  if (account.nickname) return account.nickname;
  return { CurrentAccount: "Current account", Savings: "Savings", CreditCard: "Credit card" }[
    account.accountSubType
  ];
}

/** `20-20-10 10981789`, an IBAN in groups of four, or a masked card number. */
export function accountNumber(account: BankAccount): string {
  if (account.sortCodeAccountNumber) return sortCodeText(account.sortCodeAccountNumber);
  if (account.iban) return ibanText(account.iban);
  return account.maskedPan ?? "";
}

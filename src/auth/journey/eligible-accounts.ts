import type { AccountFunds, Bank, BankAccount } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { formatAmount } from "#src/lib/money.ts";

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
  const mismatch = whyNotAuthorisable(consent, account);
  const closed = account.status === "Enabled" ? null : "This account is closed.";
  const unavailable = closed ?? mismatch ?? kind.whyNotEligible(consent, account);
  return { account, unavailable, unmet: closed === null && mismatch !== null };
}

// `Single`: one customer must be enough; `Multiple`: one must not be. Source: P-092, D-401-25.
function whyNotAuthorisable(consent: Consent, account: BankAccount): string | null {
  const { Authorisation } = consent.body.Data as {
    Authorisation?: { AuthorisationType?: string }; // judged by the schema when it was taken in
  };
  const type = Authorisation?.AuthorisationType;
  if (type === "Single" && account.signatoriesRequired > 1) {
    return "Payments from this account need more than one person.";
  }
  if (type === "Multiple" && account.signatoriesRequired < 2) {
    return "This payment must be approved by more than one person.";
  }
  return null;
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
  const local = account.sortCodeAccountNumber;
  if (local) {
    return `${local.slice(0, 2)}-${local.slice(2, 4)}-${local.slice(4, 6)} ${local.slice(6)}`;
  }
  if (account.iban) return account.iban.replace(/(.{4})(?=.)/g, "$1 ");
  return account.maskedPan ?? "";
}

/** The booked balance in the customer's words: `£1,234.50`, `−£20.00`, `1,000 JPY`. */
export function balanceText({ bookedMinor, currency }: AccountFunds): string {
  const sign = bookedMinor < 0n ? "−" : "";
  const amount = formatAmount(bookedMinor < 0n ? -bookedMinor : bookedMinor, currency);
  const [whole = "", fraction] = amount.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return currency === "GBP" ? `${sign}£${text}` : `${sign}${text} ${currency}`;
}

import { notOpenAmong } from "#src/account-store/not-open.ts";
import { chooseByNumber, findNamedAccount } from "#src/bank/find-account.ts";
import type { AccountReference, Bank, BankAccount, ListedAccount } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { ibanText, moneyText, notOpenText, sortCodeText } from "#src/pages/wording.ts";
import { aboutKind } from "#src/standard/shared/accounts/account-kinds.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** An account of the customer, as the page of the choice shows it. */
export type Candidate = {
  account: BankAccount;
  /** Why it cannot be chosen; null if it can. */
  unavailable: string | null;
  /** Whether nothing but the AuthorisationType is wrong. */
  unmet: boolean;
  /** `£1,234.56`; null if it was not asked for, or if the bank does not report it. */
  balance: string | null;
  /** Whether that is known to be less than the payment. */
  isLow?: true;
};

/** The customer's accounts, each with the reason if the consent cannot use it. */
export const judgeAccounts = (
  kind: ConsentKind,
  consent: Consent,
  accounts: readonly ListedAccount[],
): Candidate[] => accounts.map((account) => judgeAccount(kind, consent, account));

const isClosed = ({ status }: Pick<BankAccount, "status">): boolean => status === "Deleted";

/** The accounts that a page shows: accounts that were closed long ago are of no interest. */
export const shownOf = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ account }) => !isClosed(account));

/**
 * Whether the accounts are known before the customer logs in: they were chosen before, or the TPP
 * named one.
 */
export const areAccountsKnown = (kind: ConsentKind, consent: Consent): boolean =>
  consent.customerId !== null || kind.namedDebtor(consent) !== null;

/**
 * The account of the customer that a TPP named; null if it is not one of the customer's, and
 * "ambiguous" if several are meant.
 */
export async function findNamed(
  bank: Bank,
  candidates: readonly Candidate[],
  named: AccountReference,
): Promise<Candidate | "ambiguous" | null> {
  const { schemeName, identification, secondaryIdentification: secondary } = named;
  const member = ownMembers[schemeName];
  const among = (given: readonly Candidate[]) =>
    chooseByNumber(
      given
        .map(({ account }) => account)
        .filter((each) => member !== undefined && each[member] === identification),
      secondary,
    );
  // the number of a closed account may have been given to another one since; any other scheme is
  // one that only the bank's core can read
  const meant = member
    ? (among(shownOf(candidates)) ?? among(candidates))
    : await findNamedAccount(bank, named);
  if (meant === "ambiguous") return meant;
  return candidates.find(({ account }) => account.accountId === meant?.accountId) ?? null;
}

/**
 * The account of the customer that a TPP named, as a list of one: it tells, before the second
 * factor, whether that factor can be the approval. Null if a review follows whatever the account
 * is, or if the TPP named none of the customer's.
 */
export async function namedCandidates(
  bank: Bank,
  { kind, consent }: { kind: ConsentKind; consent: Consent },
  customerId: string,
): Promise<Candidate[] | null> {
  const named = consent.customerId === null ? kind.namedDebtor(consent) : null;
  if (!named || kind.review?.isNeeded(consent, null)) return null;
  const judged = judgeAccounts(kind, consent, await bank.listAccounts(customerId));
  const found = await findNamed(bank, judged, named);
  return found === null || found === "ambiguous" ? null : [found];
}

const ownMembers: Readonly<Record<string, "sortCodeAccountNumber" | "iban">> = {
  "UK.OBIE.SortCodeAccountNumber": "sortCodeAccountNumber",
  "UK.OBIE.IBAN": "iban",
};

/** Judges one account of the customer; `unmet` when nothing but the AuthorisationType is wrong. */
function judgeAccount(
  kind: ConsentKind,
  consent: Consent,
  { funds, ...account }: ListedAccount,
): Candidate {
  const mismatch = kind.whyNotSignable(consent, account);
  const why = notOpenText(account.status);
  const closed = why && `This account is ${why}.`;
  const unavailable = closed ?? mismatch ?? kind.whyNotEligible(consent, account);
  const unmet = closed === null && mismatch !== null;
  // what can be spent helps to choose the account to pay from
  const isToPay = kind.scope === "payments";
  const balance =
    funds &&
    (isToPay
      ? `${moneyText(funds.availableMinor, funds.currency)} available`
      : moneyText(funds.bookedMinor, funds.currency));
  const debit = kind.debit?.(consent) ?? null;
  const isLow =
    isToPay &&
    funds &&
    debit &&
    funds.currency === debit.currency &&
    funds.availableMinor < debit.amountMinor;
  return { account, unavailable, unmet, balance: balance ?? null, ...(isLow ? { isLow } : {}) };
}

/** The statuses of the journey's accounts that the bank has reported as not open since. */
type NotOpen = Readonly<Record<string, BankAccount["status"]>>;

/** Reads `NotOpen` with the journey `j`, without a call to the bank. */
export const readNotOpen = (): Sql =>
  notOpenAmong(
    sql`select each #>> '{account,accountId}' from json_array_elements(j.accounts) each`,
  );

/** The accounts as they are now: those that have been closed or blocked cannot be chosen. */
export const withoutClosed = (candidates: readonly Candidate[], read: unknown): Candidate[] => {
  const statuses = read as NotOpen;
  return candidates.map((candidate) => {
    const why = notOpenText(statuses[candidate.account.accountId] ?? "Enabled");
    if (why === null || candidate.unavailable !== null) return candidate;
    return { ...candidate, unavailable: `This account is ${why}.` };
  });
};

/** The accounts that the customer can choose. */
export const openOf = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ unavailable }) => unavailable === null);

/** Whether the AuthorisationType alone leaves the customer without an account. */
export const isUnmet = (candidates: readonly Candidate[]): boolean =>
  openOf(candidates).length === 0 && candidates.some(({ unmet }) => unmet);

/** The name of an account for its customer: its nickname, or its type. */
export const accountLabel = ({ nickname, accountSubType }: BankAccount): string =>
  nickname || aboutKind(accountSubType).label;

/**
 * The heading of an account in a long list: its group, after `Personal` or `Business` if the
 * customer has accounts of both.
 */
export function accountGroup(
  { accountType, accountSubType }: BankAccount,
  among: readonly Candidate[],
): string {
  const { group } = aboutKind(accountSubType);
  const isMixed = among.some(({ account }) => account.accountType !== accountType);
  return isMixed ? `${accountType} ${group.toLowerCase()}` : group;
}

/**
 * `20-20-10 10981789`, with the roll number if there is one; an IBAN in groups of four, or a masked
 * card number.
 */
export function accountNumber(account: BankAccount): string {
  const { sortCodeAccountNumber, secondaryIdentification: roll } = account;
  if (sortCodeAccountNumber) {
    return `${sortCodeText(sortCodeAccountNumber)}${roll ? `, roll number ${roll}` : ""}`;
  }
  if (account.iban) return ibanText(account.iban);
  return account.maskedPan ?? "";
}

/** The accounts of a journey as pages name them. */
export const namedAccounts = (accounts: readonly BankAccount[]) =>
  accounts.map((account) => ({ label: accountLabel(account), number: accountNumber(account) }));

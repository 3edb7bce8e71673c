import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";
import type { ConsentSummary, PaymentSummary } from "#src/pages/consent-summary.ts";
import type { RequestNoun } from "#src/pages/journey-endings.ts";
import type { Scope } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Consent, StatusReason } from "./consent.ts";
import type { ConsentCourse } from "./states.ts";

/** The facts about a kind of consent that a journey needs, besides the kind's routes. */
export type ConsentKind = {
  /** The kind's id in `consent.kind`. */
  id: KindId;
  scope: Scope;
  /** What customers call it. */
  noun: RequestNoun;
  /** How many accounts the customer chooses. */
  accountChoice: "one" | "many";
  /** The kind's statuses, how often its consents can be used, and how long its grants live. */
  course: ConsentCourse;
  /** The debtor account that the TPP named; null if the customer chooses one. */
  namedDebtor(consent: Consent): AccountReference | null;
  /** The only payee of a payment in the United Kingdom, whose name can be checked. */
  payeeToCheck?(consent: Consent): AccountReference | null;
  /** What the account pays for a single payment, if that is known; absent if it pays nothing. */
  debit?(consent: Consent): Money | null;
  /** Where requests name that account; by default where payments do. */
  debtorPath?: string;
  /** Why the customer cannot use an account, in words for the customer; null if it can be used. */
  whyNotEligible(consent: Consent, account: BankAccount): string | null;
  /** Why the account's number of signatories does not match the consent; null if it does. */
  whyNotSignable(consent: Consent, account: BankAccount): string | null;
  /**
   * Why the consent cannot be authorised now, such as after the cut-off; null if it can. The
   * journey itself checks whether the consent has expired.
   */
  whyNotNow(consent: Consent, now: Temporal.Instant): StatusReason | null;
  /** When it can no longer be authorised, such as at the cut-off; null if it names no such time. */
  closesAt(consent: Consent): Temporal.Instant | null;
  /** Summarises the consent for the pages; for its account, if that is known. */
  summarise(consent: Consent, now: Temporal.Instant, account?: BankAccount): ConsentSummary;
  /** Absent if the review never adds anything to the summary. */
  review?: KindReview;
};

/** What the review adds to the summary of a consent. */
type KindReview = {
  /**
   * Whether the review has something to add for an account. With null, while the account is not
   * known: whether it has for every account.
   */
  isNeeded(consent: Consent, account: BankAccount | null): boolean;
  /** Returns what it adds, such as the debit in the account's currency, for a customer. */
  more?(
    consent: Consent,
    account: BankAccount,
    asked: { customerId: string | null; now: Temporal.Instant },
  ): Promise<Pick<PaymentSummary, "rows" | "notes">>;
};

import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import type { ConsentSummary, PaymentSummary } from "#src/pages/consent-summary.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Consent, StatusReason } from "./consent.ts";
import type { ConsentCourse } from "./states.ts";

/**
 * The facts about a kind of consent that a journey needs: a row, in addition to the kind's routes.
 */
export type ConsentKind = {
  /** As in `consent.kind`. */
  id: KindId;
  scope: "accounts" | "payments";
  /** How many accounts the customer chooses. */
  accountChoice: "one" | "many";
  /** The statuses of its consents, how they are used up, and what a grant of one is worth. */
  course: ConsentCourse;
  /** The debtor account that the TPP named, if it did: then the customer chooses none. */
  namedDebtor(consent: Consent): AccountReference | null;
  /** Why an account of the customer cannot be used, in the customer's words; null when it can. */
  whyNotEligible(consent: Consent, account: BankAccount): string | null;
  /** Why the account's signatories are not as many as the consent asks for; null when they are. */
  whyNotSignable(consent: Consent, account: BankAccount): string | null;
  /** Why the consent cannot be authorised now (cut-off); null when it can. */
  whyNotNow(consent: Consent, now: Temporal.Instant): StatusReason | null;
  /** The summary for the pages. */
  summarise(consent: Consent, now: Temporal.Instant): ConsentSummary;
  /** The further rows of the review once the account is chosen: the debit. */
  moreFor?(
    consent: Consent,
    account: BankAccount,
    now: Temporal.Instant,
  ): Promise<Pick<PaymentSummary, "rows" | "notes">>;
};

import type { Money } from "#src/lib/money.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { CustomerDevice, OrderingTpp, PaymentContext, SentBody } from "./payment-context.ts";

// What a core is asked before a customer authorises a consent and before an order is accepted, and
// what it may answer. Each question has its own answers, because only at the first one the customer
// is there (docs/own-core.md, docs/decisions/0052).

/**
 * What the payee's bank says about a name. `unavailable`: it did not answer, or does not take part.
 */
export type PayeeCheck =
  | { result: "match" }
  | { result: "close match"; name: string }
  | { result: "no match" }
  | { result: "unavailable" };

/** A file of payments in short: how many there are, and how much in each currency. */
export type AssessedFile = {
  count: number;
  /** The payments in each currency, without charges. */
  totals: readonly { count: number; total: Money }[];
};

/** A consent that a customer has approved on the bank's page, just before it is authorised. */
export type AssessedConsent = {
  consentId: string;
  kind: KindId;
  customerId: string;
  /** The accounts that the customer has chosen: one, except for access to accounts. */
  accountIds: readonly string[];
  /** Whether the customer has authorised the same consent before. */
  isRenewal: boolean;
  /** Whether the customer has entered a further code because the core has answered `step up`. */
  hasSteppedUp: boolean;
  tpp: OrderingTpp;
  /**
   * The consent as the TPP sent it, in the words of its API version, such as `pisp-v4.0`, and the
   * customer's device, if the request named it.
   */
  sent: {
    apiVersion: ApiVersionId;
    consent: SentBody;
    devices?: { consent: CustomerDevice | null };
  };
  /**
   * What the payee's bank said about the name that the customer saw. The customer has gone on after
   * the warning, unless the result is a match. Null if no name was checked.
   */
  payeeCheck: PayeeCheck | null;
  /** The uploaded file; null for other kinds. Its payees come with the payments, in `reserve`. */
  file?: AssessedFile | null;
  /** What the core has attached to the consent at an earlier authorisation. */
  attachedData?: string;
};

/** Why a core refuses or delays something, for the TPP: a published code, and a text in ASCII. */
type AssessedReason = { code: string; text: string };

/**
 * The core's decision. With `allow`, a core with `attachesData` may attach data to the consent: up
 * to 4,096 characters of printable ASCII, in place of what it has attached before. They come back
 * with every later call about the consent. A refusal has the text that the customer reads, and the
 * reason for the TPP. `step up`: the customer reads the text and enters a further code, and the
 * core is asked again.
 */
export type Assessment =
  | { result: "allow"; attachedData?: string }
  | { result: "step up"; customerText: string }
  | { result: "refuse"; customerText: string; reason: AssessedReason };

/** An order that has passed every check, before it is stored. */
export type AssessedOrder = {
  /** It follows from the request: a question that is repeated has the same id. */
  orderId: string;
  consentId: string;
  kind: KindId;
  /** The customer who has authorised the consent. */
  customerId: string;
  debtorAccountId: string;
  /** As in the context of its payments. */
  sent: PaymentContext["sent"];
  use: PaymentContext["use"];
  /** The file of the consent, as at its assessment; null for other kinds. */
  file?: AssessedFile | null;
  /** The TPP, and who approved the consent and how; only if the core has `readsContext`. */
  context?: Pick<PaymentContext, "tpp" | "approvedBy">;
  /** What the core has attached to the consent. */
  attachedData?: string;
};

/**
 * The core's decision on an order. `refuse`: the order is rejected. `later`: nothing is paid before
 * `until`, and the TPP sees the reason.
 */
export type OrderAssessment =
  | { result: "allow" }
  | { result: "refuse"; reason: AssessedReason }
  | { result: "later"; until: Temporal.Instant; reason: AssessedReason };

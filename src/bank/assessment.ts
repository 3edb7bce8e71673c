import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { OrderingTpp, SentBody } from "./payment-context.ts";

// What a core is asked before a customer authorises a consent, and what it may answer
// (docs/own-core.md).

/**
 * What the payee's bank says about a name. `unavailable`: it did not answer, or does not take part.
 */
export type PayeeCheck =
  | { result: "match" }
  | { result: "close match"; name: string }
  | { result: "no match" }
  | { result: "unavailable" };

/** A consent that a customer has approved on the bank's page, just before it is authorised. */
export type AssessedConsent = {
  consentId: string;
  kind: KindId;
  customerId: string;
  /** The accounts that the customer has chosen: one, except for access to accounts. */
  accountIds: readonly string[];
  /** Whether the customer has authorised the same consent before. */
  isRenewal: boolean;
  tpp: OrderingTpp;
  /** The consent as the TPP sent it, in the words of its API version, such as `pisp-v4.0`. */
  sent: { apiVersion: ApiVersionId; consent: SentBody };
  /**
   * What the payee's bank said about the name that the customer saw. The customer has gone on after
   * the warning, unless the result is a match. Null if no name was checked.
   */
  payeeCheck: PayeeCheck | null;
};

/**
 * The core's decision. A refusal has the text that the customer reads, and the reason for the TPP.
 */
export type Assessment =
  | { result: "allow" }
  | { result: "refuse"; customerText: string; reason: { code: string; text: string } };

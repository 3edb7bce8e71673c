import type { KindId } from "#src/standard/kind-id.ts";
import type { OrderingTpp } from "./payment-context.ts";

/**
 * What happened. `given`: the customer has authorised the consent. `used`: its only order has used
 * it up. `ended`: the TPP can no longer use it, or the order's status can no longer change.
 */
export type Occasion =
  | "consent-given"
  | "consent-changed"
  | "consent-used"
  | "consent-ended"
  | "order-received"
  | "order-changed"
  | "order-ended";

/**
 * What the core is told about one change of a consent or an order. The consent or the order is
 * described as it was after the change.
 */
export type Notice = {
  /**
   * The same each time that this change is told. After Aldgate's database was restored from a
   * backup, other changes have other ids, but may have the same positions.
   */
  noticeId: string;
  /** The place of the change in the history. Later notices have higher positions. */
  position: bigint;
  /** When it happened, by the bank's clock. */
  at: Temporal.Instant;
  occasion: Occasion;
  /** Who changed it; `clock` is time. `unknown` is a change by hand in the database. */
  by: "tpp" | "customer" | "bank" | "clock" | "unknown";
  /** The x-fapi-interaction-id of the TPP's request that made the change; null without one. */
  interactionId: string | null;
  consentId: string;
  /** Null if the notice is about a consent. */
  orderId: string | null;
  kind: KindId;
  /** The status, as a code of version 4 of the standard. */
  status: string;
  /** Why it has this status. */
  reasons: readonly { code: string; text: string }[];
  /** Where in the bank the consent was stopped, and by whom there; null for other changes. */
  channel: { name: string; actor: string; reason: string } | null;
  tpp: OrderingTpp;
  /** The customer who authorised the consent, or those who have signed the order. */
  customerIds: readonly string[];
  /** The accounts that the consent covers, or the account that the order debits. */
  accountIds: readonly string[];
  /** What only consents have; null if the notice is about an order. */
  consent: {
    /** Null if it does not expire. */
    expiresAt: Temporal.Instant | null;
    /** Whether the customer has paused its payments. */
    isPaused: boolean;
    /** Whether the TPP has access. A TPP can revoke its tokens without ending the consent. */
    hasGrant: boolean;
  } | null;
  /** What the core has attached to the consent when it assessed it. */
  attachedData?: string;
};

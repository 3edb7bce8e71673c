import type { Json } from "#test/payments/answer-check.ts";

/** A consent as its TPP knows it. */
export type KnownConsent = {
  consentId: string;
  kind: ConsentKind;
  /** The body with which it was lodged. */
  body: Json;
  /** Whether a customer's decision was answered. */
  isDecided: boolean;
  isDeclined: boolean;
  token: string | null;
  refreshToken: string | null;
  /** When the token ends, in milliseconds. */
  tokenEnds: number;
  isRevoked: boolean;
  /** Where the customer's approval led to, with its code. */
  redirectUrl: string | null;
  orders: SentOrder[];
};

/** An order that was sent, with or without an answer. */
export type SentOrder = {
  key: string;
  body: Json;
  orderId: string | null;
  /** When it was sent first. */
  at: Temporal.Instant;
};

/** What is lodged: once, within limits, within limits from a later day on, or access. */
export const consentKinds = ["once", "limited", "later", "access", "access for days"] as const;
export type ConsentKind = (typeof consentKinds)[number];

export const isAccess = (kind: ConsentKind): boolean => kind.startsWith("access");

/** All that the TPP knows. */
export type Known = {
  consents: KnownConsent[];
  /** Tokens of the TPP itself, by scope, with the time at which they end. */
  own: Map<string, { token: string; ends: number }>;
  /** Events that have arrived and are not acknowledged. */
  received: string[];
  keys: number;
  /** Whether there is a backup to go back to. */
  hasBackup: boolean;
};

export const emptyKnown = (): Known => ({
  consents: [],
  own: new Map(),
  received: [],
  keys: 0,
  hasBackup: false,
});

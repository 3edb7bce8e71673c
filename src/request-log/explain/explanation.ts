import type { ExaminedSignature } from "./signature.ts";

/** One thing that is wrong, with what stands behind it. */
export type ExplainedFault = {
  /** An error code, or the reason of a refusal without a code. */
  code: string;
  /** The meaning of the code; for a reason, what the bank found wrong. */
  meaning: string | null;
  /** The words of the answer, unless they are the meaning. */
  message: string | null;
  /** The member, header, claim or parameter. */
  where: string | null;
  /** What the bank expected there; null if only the message says it. */
  expected: string | null;
  /** What the request has at this place; null if it has nothing or it is not kept. */
  found: string | null;
  /** Ids of docs/conformance.md. */
  rules: readonly string[];
  /** Parts of the publications. */
  sections: readonly string[];
  next: string | null;
};

/** Something that happened to a consent or an order. */
export type HistoryLine = { at: string; what: string; by: string; interactionId: string | null };

/** Why a request was answered as it was, or how a consent or an order came to its status. */
export type Explanation = {
  subject:
    | "request"
    | "consent"
    | "order"
    | "account"
    | "account data"
    | "approval request"
    | "client"
    | "event"
    | "software"
    | "subscription";
  id: string;
  /** In one sentence. */
  summary: string;
  faults: readonly ExplainedFault[];
  /** Null unless the request has a detached signature that is wrong. */
  signature: ExaminedSignature | null;
  /** Facts about a consent or an order, by name. */
  facts: readonly { name: string; value: string }[];
  history: readonly HistoryLine[];
  next: string;
};

import type { Authentication } from "#src/auth/login/authentication.ts";
import type { StoredChallenge } from "#src/auth/login/challenges.ts";
import type { ActToConfirm } from "#src/consents/approved-facts.ts";
import { answered, newShowing, type Showing } from "#src/consents/showing.ts";

/** An act whose evidence is kept, and what its own page has shown before, and when. */
type Asked = {
  act: ActToConfirm;
  before: { shown: object; at: Temporal.Instant };
  isThere: boolean;
  now: Temporal.Instant;
};

/**
 * What a customer is shown who wants to sign an order: its page, on which the customer has gone on,
 * and what the second factor confirms, here or at the bank's provider (`isThere`).
 */
export function showingsOf({ act, before, isThere, now: at }: Asked): Showing[] {
  const page = newShowing({ step: "order", way: "page", ...before, act });
  const way = isThere ? "provider" : "page";
  const confirm = newShowing({ step: "signature", way, at, shown: act.subject, act });
  return [...answered([page], { at: at.toString(), decision: "continue" }), confirm];
}

/** The showings of an act that its customer has confirmed. */
export const confirmedShowings = (
  { showings, challengeId }: StoredChallenge,
  { at, ...authentication }: Authentication,
): Showing[] =>
  answered(showings ?? [], { at, decision: "approve", ...authentication, challengeId });

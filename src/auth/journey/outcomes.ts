import type { OAuthError } from "#src/auth/provider/interaction-store.ts";
import type { StatusReason } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { statusReasons } from "#src/consents/status-reasons.ts";
import { byBank, byClock, byCustomer, type Why } from "#src/history/change.ts";
import type { EndingFacts, EndingName } from "#src/pages/journey-endings.ts";

/** How a journey can end. What the customer reads about each is in `journey-endings.ts`. */
export type JourneyOutcome = EndingName;

/** The effects of an ending on the TPP and the consent. */
type Ending = {
  /** The error that the TPP gets; null if it gets a code. */
  error: OAuthError | null;
  /** Why the consent is rejected if it has never been authorised; null leaves it as it is. */
  reason: StatusReason | null;
};

const denied = (description: string): OAuthError => ({
  error: "access_denied",
  error_description: description,
});

const notAuthenticated = {
  error: denied("the customer could not be authenticated"),
  reason: statusReasons.notAuthenticated,
} as const;

const wrongAccount = {
  error: denied("AC02: the debtor account cannot be used by this customer"),
  reason: statusReasons.wrongAccount,
} as const;

/** Every ending. Source: P-105, P-109, A-105, A-107; PISP profile, Security & Access Control. */
export const endings = {
  approved: { error: null, reason: null },
  cancelled: {
    error: denied("the customer cancelled"),
    reason: statusReasons.cancelled,
  },
  timed_out: {
    error: denied("the customer did not finish in time"),
    reason: statusReasons.unanswered,
  },
  locked: notAuthenticated,
  too_many_codes: notAuthenticated,
  too_weak: notAuthenticated,
  other_customer: {
    error: denied("another customer has authorised this consent"),
    reason: null,
  },
  // Source: OpenID Connect Core section 3.1.2.1: id_token_hint.
  not_expected: {
    error: {
      error: "login_required",
      error_description: "the customer who logged in is not the one that id_token_hint names",
    },
    reason: null,
  },
  not_owned: wrongAccount,
  not_usable: wrongAccount,
  ambiguous: {
    error: denied("AC02: several accounts have this number; name the SecondaryIdentification too"),
    reason: statusReasons.ambiguousAccount,
  },
  unmet: {
    error: {
      error: "invalid_request",
      error_description: "U042: the AuthorisationType does not fit any of this customer's accounts",
    },
    reason: statusReasons.unmet,
  },
  // The consent already has its status after the expiry (`asOf`), and the sweep stores that status.
  // Source: A-110, C-037, V-059
  expired: {
    error: denied("the consent has expired"),
    reason: null,
  },
  too_late: {
    error: denied("the consent can no longer be authorised"),
    reason: null, // the consent's kind gives the reason
  },
  // the consent keeps its status, and the sweep ends it
  not_served: { error: denied("the bank does not serve this client now"), reason: null },
  agreement_over: {
    error: denied("the consent can no longer be authorised"),
    reason: null, // the consent's kind gives the reason
  },
  refused: {
    error: denied("the bank does not allow this"),
    reason: null, // the bank's core gives the reason
  },
  altered: {
    error: denied("the customer's authentication was not for this consent"),
    reason: statusReasons.altered,
  },
  overtaken: {
    error: denied("the customer has authorised the consent in another journey"),
    reason: null,
  },
  withdrawn: { error: denied("the consent was deleted"), reason: null },
  closed: { error: denied("the consent can no longer be authorised"), reason: null },
} as const satisfies Record<JourneyOutcome, Ending>;

/**
 * Whether an ending leads back to the TPP by itself: the customer knows what has happened. A page
 * that says who must approve too has to be read.
 */
export function isReturnedAtOnce(
  outcome: JourneyOutcome,
  { approval }: Pick<EndingFacts, "approval">,
): boolean {
  if (outcome === "approved") return (approval?.others.count ?? 0) === 0;
  return outcome === "cancelled";
}

/** Why an ending rejects a consent of a kind that has never been authorised, or null. */
export function reasonOf(
  outcome: JourneyOutcome,
  { debtorPath }: Pick<ConsentKind, "debtorPath">,
): StatusReason | null {
  const given = endings[outcome].reason;
  if (given?.code !== "AC02" || debtorPath === undefined) return given;
  return { ...given, path: debtorPath };
}

const saysWhy: ReadonlySet<JourneyOutcome> = new Set(["too_late", "agreement_over", "refused"]);

/**
 * Returns the error that the TPP gets for an ending. If a consent can no longer be authorised, the
 * error states the reason for its rejection, for example that its cut-off has passed (U012), or
 * the reason of the bank's core.
 */
export function errorOf(
  outcome: Exclude<JourneyOutcome, "approved">,
  cause: StatusReason | null,
): OAuthError {
  if (!saysWhy.has(outcome) || cause === null) return endings[outcome].error;
  return denied(`${cause.code}: ${cause.text}`);
}

/** The cause of an ending: the bank, time alone, or an act of the customer. */
export function byWhom(outcome: JourneyOutcome, now: Temporal.Instant): Why {
  if (outcome === "refused" || outcome === "agreement_over") return byBank(now);
  return outcome === "timed_out" || outcome === "too_late" ? byClock(now) : byCustomer(now);
}

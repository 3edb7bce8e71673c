import type { InteractionResult } from "#src/auth/provider/interaction-store.ts";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { nextConsentStatus } from "#src/consents/states.ts";
import { hasCome } from "#src/payments/calendar/timing.ts";
import type { Database } from "#src/storage/database.ts";
import { closingOf } from "./closings.ts";
import { ended, endJourney, hasOtherJourney } from "./journey-row.ts";
import { isAuthorisedSince, type Place } from "./load-journey.ts";
import { byWhom, errorOf, type JourneyOutcome } from "./outcomes.ts";

/**
 * Why a journey ends: the reason for rejecting its consent, the end of a lock, and what the
 * customer reads about this ending alone.
 */
export type EndingCause = {
  cause: StatusReason | null;
  lockedUntil: Temporal.Instant | null;
  refusal: string | null;
};

/** The cause of an approval. */
export const noCause: EndingCause = { cause: null, lockedUntil: null, refusal: null };

class Overtaken extends Error {}

/**
 * Ends a journey without an approval, and rejects its consent unless that has been authorised
 * before. Returns the journey as it has ended. `overtaken`: nothing was done, because the journey
 * has ended before, or another journey has decided on the consent since this one was loaded.
 */
export async function endAndReject(
  database: Database,
  place: Place,
  outcome: Exclude<JourneyOutcome, "approved">,
  why: EndingCause,
): Promise<Place | "overtaken"> {
  const { row, consent, kind, now } = place;
  const { cause, ...ends } = why;
  const result = { ...errorOf(outcome, cause) };
  try {
    await database.transaction(async (transaction) => {
      const ending = { outcome, result, now, attempt: attemptOf(place, outcome), ...ends };
      const isEnded = await endJourney(transaction, row.uid, ending);
      if (!isEnded) throw new Overtaken();
      if (cause === null) return;
      // a customer who opened the link twice and finishes in the other window keeps the consent
      if (outcome === "timed_out" && (await hasOtherJourney(transaction, row, now))) return;
      const whose = byWhom(outcome, now);
      const isMoved = await moveConsent(
        transaction,
        consent,
        kind.course,
        "reject",
        [cause],
        whose,
      );
      const isExpected = nextConsentStatus(kind.course, consent.status, "reject") !== null;
      // the page would say that nothing was done
      if (isExpected && !isMoved) throw new Overtaken();
    });
  } catch (error) {
    if (error instanceof Overtaken) return "overtaken";
    throw error;
  }
  return asEnded(place, outcome, result, why);
}

/**
 * The evidence of a journey without an approval; null if nobody was shown anything, or if the
 * customer has approved the consent in another window.
 */
function attemptOf({ row, consent, now }: Place, ending: JourneyOutcome) {
  const { customerId, showings } = row;
  if (customerId === null || showings.length === 0) return null;
  if (ending === "overtaken" && consent.customerId === customerId) return null;
  return { consentId: consent.consentId, customerId, endedAt: now, ending, showings };
}

type Over = { outcome: Exclude<JourneyOutcome, "approved">; why?: Partial<EndingCause> };

/**
 * Why a journey is over, because its time is up or its consent can no longer be authorised; null if
 * it goes on, or has ended. What has been done with the consent comes first, because a time-out
 * says that nothing has been done.
 */
export function whyOver(place: Place): Over | null {
  const { row, consent, kind, expiresAt, closesAt, isServed, now } = place;
  if (row.step === ended) return null;
  if (consent.deletedAt !== null) return { outcome: "withdrawn" };
  if (isAuthorisedSince(place)) return { outcome: "overtaken" };
  if (!isServed) return { outcome: "not_served" };
  // what came first is the cause
  const isOut = hasCome(row.expiresAt, now);
  if (isOut && !(closesAt && hasCome(closesAt, row.expiresAt))) return { outcome: "timed_out" };
  if (expiresAt && hasCome(expiresAt, now)) return { outcome: "expired" };
  const isOpen = nextConsentStatus(kind.course, consent.status, "authorise") !== null;
  if (!isOpen) return { outcome: closingOf(consent.statusReason).outcome };
  const cause = kind.whyNotNow(consent, now);
  if (!cause) return null;
  const { outcome } = closingOf([cause]);
  return { outcome: outcome === "closed" ? "too_late" : outcome, why: { cause } };
}

/** A journey as the statement that ended it has left it. */
export function asEnded(
  place: Place,
  outcome: JourneyOutcome,
  result: InteractionResult,
  { cause, lockedUntil, refusal }: EndingCause,
): Place {
  const { row, consent } = place;
  const { interaction: waiting } = row;
  const interaction = waiting && (() => ({ ...waiting(), result }));
  const left = { step: ended, outcome, accounts: null, lockedUntil, refusal, interaction };
  const statusReason = cause ? [cause] : consent.statusReason;
  return { ...place, row: { ...row, ...left }, consent: { ...consent, statusReason } };
}

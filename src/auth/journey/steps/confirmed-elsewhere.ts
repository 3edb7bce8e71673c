import { actOf } from "#src/auth/journey/consent-subject.ts";
import type { Taken } from "#src/auth/journey/journey-step.ts";
import type { Place } from "#src/auth/journey/load-journey.ts";
import type { Authentication } from "#src/auth/login/authentication.ts";
import { elsewhereConfirmed } from "#src/auth/login/challenges.ts";
import { newId } from "#src/lib/ids.ts";
import type { Sql } from "#src/storage/sql.ts";
import { judgeCustomer } from "./factor-step.ts";

type Confirmation = {
  customerId: string;
  authentication: Authentication;
  /** The bank's own login, or its app. */
  method: "redirect" | "app";
};

/**
 * Takes a customer's confirmation of the consent that our page has not asked for. If the customer
 * may decide, it is stored as a challenge that was answered elsewhere.
 */
export function takeConfirmation(
  { later }: { later: Sql[] },
  place: Place,
  { customerId, authentication, method }: Confirmation,
): Taken {
  const judged = judgeCustomer(place, customerId, authentication);
  if (!("done" in judged)) return judged;
  const challengeId = newId("sca");
  const { amr } = authentication;
  // the review, which follows then, says what is known of this customer
  const known = actOf({ ...place, row: { ...place.row, customerId } });
  const confirmed = { ...known, challengeId, customerId, amr, method, now: place.now };
  later.push(elsewhereConfirmed(confirmed));
  return { ...judged, done: { ...judged.done, challengeId } };
}

import type { Authentication } from "#src/auth/login/authentication.ts";
import type { StoredChallenge } from "#src/auth/login/challenges.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import { type ActToConfirm, isSameAct } from "#src/consents/approved-facts.ts";
import type { Showing } from "#src/consents/showing.ts";
import type { ConfirmTexts } from "#src/pages/own-confirm.ts";
import type { OwnPagesDeps } from "./deps.ts";
import type { Next } from "./visit.ts";

/** An act for which a logged-in customer needs a factor that is linked to it. */
export type ActName = Exclude<
  ChallengeSubject["act"],
  | "login"
  | "payment"
  | "standing order"
  | "file"
  | "payment permission"
  | "access"
  | "funds confirmation"
>;

/** How the customer was authenticated for an act, and what was shown, if its evidence is kept. */
type Confirmed = { authentication: Authentication; showings: readonly Showing[] };

/** How an act is confirmed, and done. */
export type OwnAct<Subject extends ChallengeSubject = ChallengeSubject> = {
  /**
   * The words of the page on which the customer confirms it. `before` is what the act's own page
   * has shown, if its evidence is kept.
   */
  textsOf(subject: Subject, before: object | null): ConfirmTexts;
  /**
   * The act to confirm now. `gone` if there is no longer anything to confirm; null if the customer
   * does not have such a thing.
   */
  actOf(
    deps: OwnPagesDeps,
    customerId: string,
    id: string,
  ): Promise<ActToConfirm<Subject> | "gone" | null>;
  /** Performs the act; returns the next page, or null if the act is not possible. */
  perform(
    deps: OwnPagesDeps,
    customerId: string,
    subject: Subject,
    confirmed: Confirmed,
  ): Promise<Next | null>;
  /** The page after the customer has declined. */
  back: string;
  /** The page if there is nothing to confirm: it says why. */
  gone(deps: OwnPagesDeps, customerId: string, id: string): Next | Promise<Next>;
};

/**
 * The page after an act that could not be done as it was confirmed; null if it has no object.
 * `isAltered`: the bank's app or provider has confirmed something else.
 */
export async function notDone(
  deps: OwnPagesDeps,
  { stored, act, id }: Found,
  isAltered = false,
): Promise<Next | null> {
  const { customerId } = stored;
  const now = await act.actOf(deps, customerId, id);
  if (now === null) return null;
  if (now === "gone") return act.gone(deps, customerId, id);
  if (!isSameAct(stored, now)) return { goTo: act.back, message: changedText };
  // else the same form was sent twice, and one of the two has done it
  return isAltered ? { goTo: act.back, message: alteredText } : { goTo: act.back };
}

const alteredText =
  "What you approved was not the same as on this page, so nothing has been done. Try again.";

/** What a customer reads whose page was out of date. */
export const changedText =
  "This has changed since you opened it. Check it again before you decide.";

/** Every act that needs a second factor after the login. */
export type OwnActs = { [Name in ActName]: OwnAct<Extract<ChallengeSubject, { act: Name }>> };

/** The words of the page on which the customer answers a challenge. */
export const textsFor = ({ act, stored }: Pick<Found, "act" | "stored">): ConfirmTexts =>
  act.textsOf(stored.subject, stored.showings?.[0]?.shown ?? null);

/** The challenge of an act, the act, and the id of its object. */
export type Found = { stored: StoredChallenge; act: OwnAct; id: string };

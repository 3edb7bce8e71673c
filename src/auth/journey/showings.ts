// What a journey shows its customer, step by step. The statement that moves the journey to a step
// stores what the step's page shows, so each approval has all that led to it as its evidence.

import type { ChallengeSubject } from "#src/bank/challenge.ts";
import { isSameAct } from "#src/consents/approved-facts.ts";
import {
  answered,
  newShowing,
  payeeCheckName,
  type Showing,
  type ShowingAnswer,
} from "#src/consents/showing.ts";
import { canonicalJson, sha256 } from "#src/lib/hash.ts";
import type { Go } from "#src/pages/journey.ts";
import { actOf } from "./consent-subject.ts";
import type { JourneyFacts } from "./journey-row.ts";
import type { JourneyStep } from "./journey-step.ts";
import type { Place } from "./load-journey.ts";
import { payeeWarningOf } from "./payee-warning.ts";

type ShowingStep = Pick<JourneyStep, "name" | "shows" | "leadsTo" | "isFirst">;

/** The showing of a step that was stored when the journey came there. */
function storedAt(place: Place, name: string): Showing | undefined {
  const last = place.row.showings.at(-1);
  if (last?.step !== name || last.answer !== null) return undefined;
  // if the consent has changed since, the page shows it as it is now
  return isSameAct(last, actOf(place)) ? last : undefined;
}

/** Returns what a step shows: as it was stored, or as `make` makes it now. */
export const contentAt = async <Content extends object>(
  place: Place,
  name: string,
  make: () => Content | Promise<Content>,
): Promise<Content> =>
  // what is stored under the step's name was made by the same function
  (storedAt(place, name)?.shown as Content | undefined) ?? make();

/** Where a step shows something. */
const wayOf = ({ leadsTo }: ShowingStep, { row }: Place): Showing["way"] =>
  row.isInApp ? "app" : leadsTo ? "provider" : "page";

async function showingOf(
  step: ShowingStep,
  place: Place,
  go: Go,
  at: Temporal.Instant | null,
): Promise<Showing[]> {
  const shown = await step.shows?.(place, go);
  if (!shown) return [];
  return [newShowing({ step: step.name, way: wayOf(step, place), at, shown, act: actOf(place) })];
}

/** Adds the record of the check of the payee's name, once there was one. */
function withPayeeCheck(step: ShowingStep, place: Place, showings: readonly Showing[]): Showing[] {
  const { row, kind, consent, now } = place;
  const { payeeCheck } = row;
  const asked = payeeCheck && kind.payeeToCheck?.(consent);
  if (!asked || showings.some((one) => one.step === payeeCheckName)) return [...showings];
  const shown = { asked, ...payeeCheck, warning: payeeWarningOf(place) };
  const known = { step: payeeCheckName, way: wayOf(step, place), act: actOf(place) };
  return [...showings, newShowing({ ...known, at: now, shown })];
}

/** The showings of a journey that comes to a step; `go` is the decision that its page asks for. */
export async function reaching(step: ShowingStep, place: Place, go: Go): Promise<Showing[]> {
  const before = withPayeeCheck(step, place, place.row.showings);
  return [...before, ...(await showingOf(step, place, go, place.now))];
}

/**
 * The showings of a journey whose page is loaded again and shows something else than before; null
 * if it shows the same.
 */
export async function shownAnew(
  step: ShowingStep,
  place: Place,
  go: Go,
): Promise<Showing[] | null> {
  const { showings } = place.row;
  const [shown] = await showingOf(step, place, go, place.now);
  if (!shown || storedAt(place, step.name)?.shownHash === shown.shownHash) return null;
  const last = showings.at(-1);
  const isBefore = last?.step === step.name && last.answer === null;
  return [...(isBefore ? showings.slice(0, -1) : showings), shown];
}

/**
 * The showings of a journey that shows its first step, which stays as it was shown first; null if
 * they are stored. A journey comes to this step before it can be loaded.
 */
export async function shownFirst(
  step: ShowingStep,
  place: Place,
  go: Go,
): Promise<Showing[] | null> {
  if (storedAt(place, step.name)) return null;
  const first = await showingOf(step, place, go, place.now);
  return first.length === 0 ? null : first;
}

/** The subject as the customer was shown it last, by whatever release, or as it is shown now. */
export function subjectShown(place: Place): ChallengeSubject {
  const act = actOf(place);
  const known = place.row.showings.filter((each) => isSameAct(each, act));
  const subjects = known.map(({ shown, subjectHash: hash }) =>
    [shown, (shown as { subject?: object } | null)?.subject].find(
      (each): each is ChallengeSubject =>
        typeof each === "object" && each !== null && sha256(canonicalJson(each)) === hash,
    ),
  );
  return subjects.findLast((each) => each !== undefined) ?? act.subject;
}

/**
 * The showings of a journey whose customer has answered a step. The first step may have been shown
 * by an earlier release, which stores nothing there: its answer has repeated the hash. Elsewhere,
 * nobody knows when a page was shown that is not stored.
 */
export async function answering(
  step: ShowingStep,
  place: Place,
  go: Go,
  { done, at }: { done: JourneyFacts; at: Temporal.Instant },
): Promise<Showing[]> {
  const { showings, createdAt } = place.row;
  const isStored = storedAt(place, step.name) !== undefined;
  const shownAt = step.isFirst && showings.length === 0 ? createdAt : null;
  const added = isStored ? [] : await showingOf(step, place, go, shownAt);
  const { accountIds, authentication, challengeId } = done;
  const answer: ShowingAnswer = { at: at.toString(), decision: go };
  if (accountIds) answer.accountIds = accountIds;
  const confirmedBy = challengeId ?? place.row.challengeId;
  if (authentication) {
    const { method, acr, amr } = authentication;
    Object.assign(answer, { method, acr, amr, ...(confirmedBy && { challengeId: confirmedBy }) });
  }
  const known = step.shows ? answered([...showings, ...added], answer) : showings;
  return withPayeeCheck(step, { ...place, row: { ...place.row, ...done } }, known);
}

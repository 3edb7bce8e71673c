import { lastIsOver } from "#src/pages/asked-factor.ts";
import { waitEndText } from "#src/pages/wording.ts";
import type { Judged } from "./attempts.ts";

/** Why a step of logging in was refused, in the customer's words. */
export type LoginRefusal = {
  error: string;
  /** When another attempt is possible, if this one was not checked; otherwise null. */
  waitUntil: Temporal.Instant | null;
  /** After a wrong attempt: the error alone, the attempts before a wait, the wait's end if any. */
  wrong?: { error: string; left: number; until: Temporal.Instant | null };
};

/** The errors of logging in, the same wherever a customer logs in. */
export const loginTexts = {
  password: "We do not recognise that user ID and password. Check them and try again.",
  code: "That code is not right. Check it and try again.",
  newCode: "That code can no longer be used. Enter the new one that we have just sent you.",
  sent: "We have sent you a new code. The one before it no longer works.",
  sentInstead: "We have sent you a code. Enter it here: the request in your app has no effect now.",
  weak: "Your login could not be completed. Log in again, or ask us for help.",
  weakAct: "This could not be confirmed. Nothing has been done. Log in again, or ask us for help.",
  unreachable: "We cannot ask your app at the moment. Keep this page open: we keep trying.",
  lastCodeOver: lastIsOver,
  noMoreCodes: "We cannot send more codes for this request. Use the latest one, or cancel.",
  declinedTooOften:
    "You declined this request in your app. There were too many tries in a row without an approval.",
  declinedNearlyTooOften:
    "If you decline the next request too, you will have to wait before you can approve another one.",
  wait: (until: string): string => `There were too many attempts. ${loginTexts.again(until)}`,
  again: (until: string): string => `Try again after ${until}.`,
  /** After a wrong attempt: how many are left, and what follows the last one. */
  left: (left: number, then: string): string =>
    left === 1 ? `You have one more try. ${then}` : `You have ${left} more tries.`,
};

/** Whether a step was refused. */
export const isRefusal = (answer: object | string): answer is LoginRefusal =>
  typeof answer === "object" && "error" in answer;

/** Until when nothing that the customer answers is checked; null if the next answer is. */
export const lockEndOf = ({ waitUntil, wrong }: LoginRefusal): Temporal.Instant | null =>
  waitUntil ?? wrong?.until ?? null;

/** What the page of a customer says who has to wait until then. */
export function lockedTexts(end: Temporal.Instant, now: Temporal.Instant) {
  const until = waitEndText(end, now);
  return { until, text: loginTexts.wait(until) };
}

/** A refusal after which the caller allows fewer attempts than the login: what it says then. */
export function withTriesLeft<Given extends Pick<LoginRefusal, "wrong"> & { error: string }>(
  refusal: Given,
  left: number,
): Given {
  const { wrong } = refusal;
  if (!wrong || wrong.until !== null || wrong.left < left) return refusal;
  const wait = wrong.left === left ? ", and you will have to wait before you can try again" : "";
  const then = `If it is wrong too, we will stop this request${wait}.`;
  return { ...refusal, error: `${wrong.error} ${loginTexts.left(left, then)}` };
}

/** The wait that follows the last try, on every page. */
const thenWait = "If it is wrong too, you will have to wait before you can try again.";

/** The refusal of an attempt that was wrong, or that has to wait. */
export function refusalOf(
  judged: Exclude<Judged<unknown>, { state: "right" }>,
  error: string,
  now: Temporal.Instant,
): LoginRefusal {
  if (judged.state === "wait") return waitingUntil(judged.until, now);
  const { left, until } = judged;
  const wrong = { error, left, until };
  const next = until ? loginTexts.wait(waitEndText(until, now)) : loginTexts.left(left, thenWait);
  return { error: `${error} ${next}`, waitUntil: null, wrong };
}

/** The refusal of an attempt before the end of a wait. */
export const waitingUntil = (waitUntil: Temporal.Instant, now: Temporal.Instant): LoginRefusal => ({
  error: loginTexts.wait(waitEndText(waitUntil, now)),
  waitUntil,
});

/** What a customer who has declined in the app reads on the bank's own pages. */
export function declinedText(
  declined: Pick<LoginRefusal, "error" | "waitUntil"> | null,
  now: Temporal.Instant,
): string | null {
  if (declined === null) return null;
  const { error, waitUntil } = declined;
  return waitUntil ? `${error} ${loginTexts.again(waitEndText(waitUntil, now))}` : error;
}

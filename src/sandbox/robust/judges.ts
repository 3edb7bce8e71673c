import type { ClientJudgement, PlayEvidence } from "./misbehaviour.ts";
import { createsConsent, isSame, type ObservedCall } from "./observed-call.ts";

type Judge = (evidence: PlayEvidence) => ClientJudgement | null;

const seconds = (milliseconds: number): string =>
  `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`;
const named = ({ method, path }: ObservedCall): string => `${method} ${path}`;

// Clocks and timers of the client may be a little early.
const earlyMs = 100;

/** The client must repeat a call that has no further effect. */
export const judgeRepeat: Judge = ({ played, later, settings }) => {
  for (const one of later) {
    if (isSame(one, played)) return judgeWait(one, played, settings.retryAfter);
    if (createsConsent(one)) {
      const seen = `It did not ask again, and began anew with ${named(one)}.`;
      return { verdict: "gave up", seen };
    }
  }
  return null;
};

function judgeWait(one: ObservedCall, played: ObservedCall, retryAfter: number): ClientJudgement {
  const waited = one.at - (played.endedAt ?? played.at);
  const how = played.idempotencyKey === null ? "" : " with the same key";
  const asked = `It sent ${named(one)} again${how}, after ${seconds(waited)}`;
  if (!played.sentRetryAfter) return { verdict: "coped", seen: `${asked}.` };
  const isEarly = waited < retryAfter * 1000 - earlyMs;
  return isEarly
    ? { verdict: "at risk", seen: `${asked}, although Retry-After was ${retryAfter}.` }
    : { verdict: "coped", seen: `${asked}, as Retry-After: ${retryAfter} wanted.` };
}

/** A client that never asked again. */
export const gaveUp = ({ played }: PlayEvidence): ClientJudgement => ({
  verdict: "gave up",
  seen: `It did not send ${named(played)} again.`,
});

/** The client must repeat an order with the same idempotency key. */
export const judgeOrder: Judge = (evidence) => {
  const { played, later } = evidence;
  for (const one of later) {
    if (!isSame(one, played) || one.instruction !== played.instruction) continue;
    if (one.idempotencyKey === played.idempotencyKey)
      return judgeRepeat({ ...evidence, later: [one] });
    if (one.endedAt === null) return null;
    if (played.madeId !== null && one.madeId !== null && one.madeId !== played.madeId) {
      const orders = [played.madeId, one.madeId];
      const both = `The bank has made both: ${orders.join(", ")}.`;
      const seen = `It sent the order again with another key. ${both}`;
      return { verdict: "paid twice", seen, orders };
    }
    const first = played.madeId === null ? "had not made the first" : "had made the first";
    const second =
      one.madeId === null ? `refused the second with ${one.status ?? 0}` : "made the second";
    return {
      verdict: "at risk",
      seen: `It sent the order again with another key. The bank ${first}, and ${second}.`,
    };
  }
  return null;
};

/** A client that never repeated an order. */
export const gaveUpOrder = ({ played }: PlayEvidence): ClientJudgement => ({
  verdict: "gave up",
  seen:
    played.madeId === null
      ? "It did not send the order again. The bank has not made it."
      : `It did not send the order again, and may not know of ${played.madeId}, which is made.`,
});

/** The client may wait for a slow answer, or repeat the call. */
export const orWait =
  (judge: Judge): Judge =>
  (evidence) => {
    const { played } = evidence;
    const isAnswered = played.endedAt !== null && !played.hungUp;
    if (!isAnswered) return judge(evidence);
    return { verdict: "coped", seen: `It waited ${seconds((played.endedAt ?? 0) - played.at)}.` };
  };

/** The client must take an answer as it is, and go on. */
export const judgeGoingOn: Judge = ({ played, later }) => {
  const [next] = later.filter((one) => one.at >= (played.endedAt ?? Number.POSITIVE_INFINITY));
  if (!next) return null;
  if (isContinued(played, next)) return wentOn(next);
  if (isSame(next, played)) {
    const seen = "It sent the same call again, which may be its next one, or a repetition.";
    return { verdict: "cannot be judged", seen };
  }
  if (!createsConsent(next)) return wentOn(next);
  const seen = `It began anew with ${named(next)}`;
  return mustGoOn(played)
    ? { verdict: "gave up", seen: `${seen}, without what should have followed.` }
    : { verdict: "cannot be judged", seen: `${seen}: the bank cannot see whether it was content.` };
};

const wentOn = (next: ObservedCall): ClientJudgement => ({
  verdict: "coped",
  seen: `It went on with ${named(next)}.`,
});

/** Whether a call uses what an answer has: its next page, or the id of what it made. */
const isContinued = (played: ObservedCall, next: ObservedCall): boolean =>
  played.next?.endsWith(`${next.path}?${next.query}`) === true ||
  (played.madeId !== null &&
    (next.path.includes(played.madeId) || next.consentId === played.madeId));

const mustGoOn = (played: ObservedCall): boolean => played.next !== null || createsConsent(played);

/** A client that called nothing more. */
export const stopped = ({ played }: PlayEvidence): ClientJudgement =>
  mustGoOn(played)
    ? { verdict: "gave up", seen: `It called nothing after ${named(played)}.` }
    : { verdict: "cannot be judged", seen: `It called nothing after ${named(played)}.` };

import type { PostReply } from "#src/http/outgoing/guarded-request.ts";

/**
 * The limits of real-time delivery, which `docs/events.md` publishes. An endpoint becomes
 * unresponsive when the last try of an event fails, unless it has accepted another event since the
 * first failure. Source: EV-10; event resource pages, Event Notification Retry Policy.
 */
export const deliveryLimits = {
  /** The wait after the first failure; each further failure doubles it. */
  firstWaitSeconds: 10,
  longestWaitSeconds: 3600,
  /**
   * Waits vary at random by up to this share, so that tries are not all made at the same moment.
   */
  spread: 0.2,
  tries: 16,
  hours: 24,
  /** How often one event is sent to an unresponsive endpoint. */
  probeHours: 6,
  /** Requests in progress per TPP: while its endpoint works, and after a failure. */
  perTpp: 5,
  perFailingTpp: 1,
  /** Requests in progress per process. */
  perProcess: 200,
  /** Events that a process has claimed, whether it sends them already or not. */
  claimsPerTpp: 100,
  claimsPerProcess: 400,
  /** An event that a process has claimed and not sent within this time is given up. */
  queueSeconds: 5,
  /** After this time, another process may send the event, because the first one must have died. */
  leaseSeconds: 30,
} as const;

/**
 * The outcome of one try. `accepted`: the endpoint answered 202. `refused`: another try would not
 * help. `failed`: another try follows. `gone`: the endpoint answered 410, which asks for no more
 * events. `stopped`: this process ended the try.
 */
export type DeliveryOutcome = "accepted" | "refused" | "failed" | "gone" | "stopped";

/** A finished try of an event. */
export type Finished = {
  jti: string;
  attempts: number;
  outcome: DeliveryOutcome;
  /** Seconds until the next try; 0 unless another try follows. */
  wait: number;
  /** The status of the response, and what is wrong; null for an accepted event. */
  error: { status: number | null; reason: string } | null;
};

/**
 * Returns the outcome of a try, given the reply of the endpoint. Source: EV-10; event resource
 * pages, Event Notification Retry Policy.
 */
export function judgeReply(
  { jti, attempts }: { jti: string; attempts: number },
  reply: PostReply,
  random: () => number = Math.random,
): Finished {
  const { status } = reply;
  if (status === 202) return { jti, attempts, outcome: "accepted", wait: 0, error: null };
  const reason = reply.status === null ? reply.reason : `answered ${reply.status}, not 202`;
  const error = { status, reason };
  if (status === 410) return { jti, attempts, outcome: "gone", wait: 0, error };
  const again = status === null || status >= 500 || status === 408 || status === 429;
  if (!again) return { jti, attempts, outcome: "refused", wait: 0, error };
  const asked = reply.status === null ? 0 : secondsOf(reply.headers["retry-after"]);
  const wait = Math.min(Math.max(waitAfter(attempts, random), asked), longestWaitSeconds);
  return { jti, attempts, outcome: "failed", wait, error };
}

const { firstWaitSeconds, longestWaitSeconds, spread } = deliveryLimits;

/** Returns the wait after this number of tries, in seconds. */
function waitAfter(attempts: number, random: () => number): number {
  const wait = Math.min(firstWaitSeconds * 2 ** (attempts - 1), longestWaitSeconds);
  return Math.round(1000 * wait * (1 - spread + random() * 2 * spread)) / 1000;
}

// a date in Retry-After is ignored, because the receiver's clock may be wrong
const secondsOf = (retryAfter: string | undefined): number =>
  retryAfter !== undefined && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0;

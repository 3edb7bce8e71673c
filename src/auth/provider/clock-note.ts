import type { Clock } from "#src/lib/clock.ts";
import { isBefore } from "#src/lib/date-time.ts";

/** How long the authorization server waits for a customer. */
export const interactionSeconds = 86_400;

/** When the clock of a sandbox was set forward, from which time to which. */
export type ClockJump = { from: Temporal.Instant; to: Temporal.Instant };

/** The clock, and in a sandbox the latest times that it was set forward, the last one last. */
export type MovedClock = {
  clock: Clock;
  sandboxHints?: { moves(): readonly ClockJump[] };
};

/** When the clock of a sandbox was last set forward; null in production, and if it was not. */
const lastMoveOf = ({ sandboxHints }: Pick<MovedClock, "sandboxHints">): ClockJump | null =>
  sandboxHints?.moves().at(-1) ?? null;

/**
 * Returns the move of the clock that ended what had begun at a time; null if no move did. `end` is
 * when it would have ended; absent if that is not known. What begins during a move is ended by it
 * too: a move takes a while, because what falls due on the way is done first.
 */
export function moveThatEnded(
  { sandboxHints }: Pick<MovedClock, "sandboxHints">,
  createdAt: Temporal.Instant,
  end?: Temporal.Instant,
): ClockJump | null {
  const hasEnded = (move: ClockJump): boolean =>
    isBefore(createdAt, move.to) && (!end || goesPast(move, end));
  return sandboxHints?.moves().findLast(hasEnded) ?? null;
}

const goesPast = ({ from, to }: ClockJump, end: Temporal.Instant): boolean =>
  isBefore(from, end) && !isBefore(to, end);

/** Says that a clock was set forward, for the end of a sentence. */
export function movedText({ from, to }: ClockJump): string {
  const [before, after] = [from, to].map((each) => each.toString({ smallestUnit: "second" }));
  return `clock was set forward from ${before} to ${after}`;
}

/** Says in a sentence's first half that a sandbox's clock was set forward. */
export const moveText = (jump: ClockJump): string => `The sandbox’s ${movedText(jump)}`;

// the endings that time alone causes
const byTime: ReadonlySet<string> = new Set(["timed_out", "expired", "too_late"]);

/** When a journey began and would have ended, and how it has ended. */
export type JourneyTimes = {
  createdAt: Temporal.Instant;
  expiresAt: Temporal.Instant;
  outcome: string | null;
  /** When its consent could no longer be authorised; absent if that is not known. */
  closesAt?: Temporal.Instant | null;
};

/**
 * Tells a developer that a journey has ended because the sandbox's clock was set forward past its
 * end. Null in production, and if no such move has ended it.
 */
export function clockNote(
  { createdAt, expiresAt, outcome, closesAt }: JourneyTimes,
  moved: Pick<MovedClock, "sandboxHints">,
): string | null {
  if (outcome !== null && !byTime.has(outcome)) return null;
  const end = outcome === null || outcome === "timed_out" ? expiresAt : closesAt;
  if (end === null) return null;
  const move = moveThatEnded(moved, createdAt, end);
  return move && `${moveText(move)} during this journey, so it ended. Start again.`;
}

/**
 * Tells a developer whose journey is no longer stored that the sandbox's clock was set forward.
 * Null in production, and if the clock was not set lately.
 */
export function lostJourneyNote(moved: MovedClock): string | null {
  // later than that, the browser has lost the cookie of a journey that began before the move
  const move = moveWithin(moved, interactionSeconds);
  return move && `${moveText(move)}, so this request may have ended. Start again.`;
}

const lateSeconds = 3600;

/**
 * Tells the developer of a TPP, beside a refusal of what time may have ended, that the sandbox's
 * clock was set forward. Empty in production, and if the clock was not set lately.
 */
export function lateNote(moved: MovedClock): string {
  const move = moveWithin(moved, lateSeconds);
  return move === null ? "" : ` The sandbox's ${movedText(move)}, which may be the cause.`;
}

/**
 * Tells the developer of a TPP that a move of the sandbox's clock went past the end of a token.
 * Empty in production, and if no move did.
 */
export function passedNote(
  { sandboxHints }: Pick<MovedClock, "sandboxHints">,
  end: Temporal.Instant,
) {
  const move = sandboxHints?.moves().findLast((one) => goesPast(one, end));
  return move ? ` The sandbox's ${movedText(move)}, so the token ended.` : "";
}

/** The last move of the clock; null if it was longer ago, by the bank's time. */
function moveWithin({ clock, ...hints }: MovedClock, seconds: number): ClockJump | null {
  const move = lastMoveOf(hints);
  if (move === null) return null;
  return isBefore(clock.now(), move.to.add({ seconds })) ? move : null;
}

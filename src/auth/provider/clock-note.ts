import type { Clock } from "#src/lib/clock.ts";

/** How long the authorization server waits for a customer. */
export const interactionSeconds = 86_400;

/** When the clock of a sandbox was set forward, from which time to which. */
export type ClockJump = { from: Temporal.Instant; to: Temporal.Instant };

/** The clock, and in a sandbox the last time that it was set forward. */
export type MovedClock = {
  clock: Clock;
  sandboxHints?: { lastMove(): ClockJump | null };
};

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
};

/**
 * Tells a developer that a journey timed out because the sandbox's clock was set forward. Null in
 * production, and if the clock was not set.
 */
export function clockNote(
  { createdAt, expiresAt, outcome }: JourneyTimes,
  { sandboxHints }: Pick<MovedClock, "sandboxHints">,
): string | null {
  const move = sandboxHints?.lastMove() ?? null;
  if (move === null) return null;
  if (Temporal.Instant.compare(createdAt, move.from) > 0) return null;
  if (outcome !== null && !byTime.has(outcome)) return null;
  // after the move, the customer had the usual time
  if (outcome === "timed_out" && Temporal.Instant.compare(expiresAt, move.to) > 0) return null;
  return `${moveText(move)} during this journey, so it ended. Start again.`;
}

/**
 * Tells a developer whose journey is no longer stored that the sandbox's clock was set forward.
 * Null in production, and if the clock was not set lately.
 */
export function lostJourneyNote({ clock, sandboxHints }: MovedClock): string | null {
  const move = sandboxHints?.lastMove() ?? null;
  if (move === null) return null;
  // later than that, the browser has lost the cookie of a journey that began before the move
  const last = move.to.add({ seconds: interactionSeconds });
  if (Temporal.Instant.compare(clock.now(), last) >= 0) return null;
  return `${moveText(move)}, so this request may have ended. Start again.`;
}

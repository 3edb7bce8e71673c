import type { Clock } from "#src/lib/clock.ts";
import { interactionSeconds } from "./interaction-store.ts";

/** When the clock of a sandbox was set forward, from which time to which. */
export type ClockJump = { from: Temporal.Instant; to: Temporal.Instant };

/** The clock, and in a sandbox the last time that it was set forward. */
export type MovedClock = {
  clock: Clock;
  sandboxHints?: { lastMove(): ClockJump | null };
};

/** Says in a sentence's first half that a sandbox's clock was set forward. */
export function moveText({ from, to }: ClockJump): string {
  const [before, after] = [from, to].map((each) => each.toString({ smallestUnit: "second" }));
  return `The sandbox’s clock was set forward from ${before} to ${after}`;
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

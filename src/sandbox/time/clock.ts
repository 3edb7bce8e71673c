import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * The latest time in a sandbox. A later one does not fit in four digits of a year, with all that is
 * added to it.
 */
export const endOfTime: Temporal.Instant = Temporal.Instant.from("2100-01-01T00:00:00Z");

/** What runs when time moves: the part of the engine that the clock needs. */
export type TimeBound = {
  /** Works until nothing is due now. */
  drain(): Promise<void>;
  /** When the next thing falls due; null when nothing waits. */
  nextDueAt(): Promise<Temporal.Instant | null>;
  /** What is looked at periodically: overdue consents, expired tokens. */
  sweep(): Promise<void>;
};

/** The clock of a sandbox: as far ahead of the machine's as its database says. */
export type SandboxClock = Clock & {
  /** Takes over what another process has set. */
  refresh(): Promise<void>;
  /** Sets the clock forward, running what falls due on the way in its order. */
  advanceTo(target: Temporal.Instant, bound: TimeBound): Promise<void>;
};

// What is due may be in another's hands for a moment, and what follows from it must be known before
// time goes on; but whoever has died with it must not hold the clock.
const patience = { looks: 100, pauseMs: 20 };

/** Works what is due by then; false when some of it does not get done. */
async function isDone(bound: TimeBound, instant: Temporal.Instant): Promise<boolean> {
  for (let look = 0; look < patience.looks; look++) {
    await bound.drain();
    const next = await bound.nextDueAt();
    if (next === null || Temporal.Instant.compare(next, instant) > 0) return true;
    await delay(patience.pauseMs);
  }
  return false;
}

/** Asked to go back: what has happened cannot be undone. */
export class ClockGoesForward extends Error {}

/** Reads the offset from the database; `source` is the machine's clock, or a test's. */
export async function createSandboxClock(
  database: Queryable,
  source: Clock,
): Promise<SandboxClock> {
  let offsetMilliseconds = 0;
  const clock: SandboxClock = {
    now: () => source.now().add({ milliseconds: offsetMilliseconds }),
    async refresh() {
      const row = await first<{ offset: bigint }>(
        database,
        sql`select offset_milliseconds as offset from sandbox_clock`,
      );
      offsetMilliseconds = Math.max(offsetMilliseconds, Number(row?.offset ?? 0n));
    },
    async advanceTo(target, bound) {
      if (Temporal.Instant.compare(target, clock.now()) < 0) {
        throw new ClockGoesForward(`the time is already ${clock.now()}`);
      }
      await bound.drain();
      for (;;) {
        const next = await bound.nextDueAt();
        if (next === null || Temporal.Instant.compare(next, target) > 0) break;
        await set(next);
        if (!(await isDone(bound, next))) break;
      }
      await set(target);
      await bound.sweep();
      await bound.drain();
    },
  };
  async function set(now: Temporal.Instant): Promise<void> {
    const wanted = Math.ceil(now.since(source.now()).total("milliseconds"));
    const row = await first<{ offset: bigint }>(
      database,
      sql`update sandbox_clock set offset_milliseconds = greatest(offset_milliseconds, ${wanted})
        returning offset_milliseconds as offset`,
    );
    // answers to several may come in another order than they were stored in
    offsetMilliseconds = Math.max(offsetMilliseconds, Number(row?.offset ?? 0n));
  }
  await clock.refresh();
  return clock;
}

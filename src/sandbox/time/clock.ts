import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "#src/lib/clock.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * The latest possible time of a sandbox. Any time later than this, with the periods that the bank
 * adds to it, might need a year of more than four digits.
 */
export const endOfTime: Temporal.Instant = Temporal.Instant.from("2100-01-01T00:00:00Z");

/** The work that depends on time, as seen by the clock. */
export type TimeBound = {
  /** Processes everything that is due now. */
  drain(): Promise<void>;
  /** Returns when something falls due next, or null if nothing is planned. */
  nextDueAt(): Promise<Temporal.Instant | null>;
  /** Does the regular work, such as rejecting overdue consents and deleting expired tokens. */
  sweep(): Promise<void>;
};

/** A move of the clock: the bank's time before it and after it. */
export type ClockMove = { from: Temporal.Instant; to: Temporal.Instant };

/** The clock of a sandbox. The database stores its offset from the machine's clock. */
export type SandboxClock = Clock & {
  /** The last time that the clock was set forward since this process began; null if it was not. */
  lastMove(): ClockMove | null;
  /** Adopts the offset that another process has set. */
  refresh(): Promise<void>;
  /** Sets the clock forward and processes, in order, everything that falls due on the way. */
  advanceTo(target: Temporal.Instant, bound: TimeBound): Promise<void>;
};

// Another process may be processing due items, and must finish before the time moves on. But a
// process that has died must not stop the clock.
const patience = { looks: 100, pauseMs: 20 };

/** Processes everything due by that time. Returns false if something is still unfinished. */
async function isDone(bound: TimeBound, instant: Temporal.Instant): Promise<boolean> {
  for (let look = 0; look < patience.looks; look++) {
    await bound.drain();
    const next = await bound.nextDueAt();
    if (next === null || Temporal.Instant.compare(next, instant) > 0) return true;
    await delay(patience.pauseMs);
  }
  return false;
}

/** The error if the clock is set back, which is impossible because events cannot be undone. */
export class ClockGoesForward extends Error {}

/** Reads the offset from the database. `source` is the machine's clock or a test's. */
export async function createSandboxClock(
  database: Queryable,
  source: Clock,
): Promise<SandboxClock> {
  let offsetMilliseconds = 0;
  let lastMove: ClockMove | null = null;
  // concurrent reads may be answered out of order, and the clock never goes back
  const adopt = (offset: bigint | undefined): void => {
    const wanted = Number(offset ?? 0n);
    if (wanted <= offsetMilliseconds) return;
    const from = clock.now();
    offsetMilliseconds = wanted;
    lastMove = { from, to: clock.now() };
  };
  const clock: SandboxClock = {
    now: () => {
      const now = source.now();
      return offsetMilliseconds === 0 ? now : now.add({ milliseconds: offsetMilliseconds });
    },
    async refresh() {
      const row = await first<{ offset: bigint }>(
        database,
        sql`select offset_milliseconds as offset from sandbox_clock`,
      );
      adopt(row?.offset);
    },
    lastMove: () => lastMove,
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
    adopt(row?.offset);
  }
  await clock.refresh();
  lastMove = null; // an earlier process has set it
  return clock;
}

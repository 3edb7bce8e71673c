import { type Clock, createPace, type Pace } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { createCollector } from "./collect-events.ts";
import type { DeliveryWork } from "./delivery-work.ts";
import type { EventSubjects } from "./event-resource.ts";
import { findReady, purgeEvents } from "./poll.ts";
import type { WaitingPolls } from "./waiting-polls.ts";

/** The background work of events. */
export type EventWork = {
  /** Runs `tick` at this interval, or at that of the pace, until it is paused or stopped. */
  start(intervalMs: number, pace?: Pace): void;
  /** Stops the work until the next start. */
  pause(): Promise<void>;
  /** Answers the waiting polls, stops the work, and ends the tries to send events. */
  stop(): Promise<void>;
  /**
   * Turns new changes into events, answers waiting polls, and begins to send the events that are
   * due.
   */
  tick(): Promise<void>;
  /** Deletes old events. */
  sweep(): Promise<void>;
};

type EventWorkOptions = {
  database: Database;
  clock: Clock;
  subjects: readonly EventSubjects[];
  polls: WaitingPolls;
  delivery: DeliveryWork;
  /** Whether work may begin now. */
  admits(): boolean;
  onFailure(error: unknown): void;
};

/**
 * Creates the background work. Each process queries the database at an interval: once for new
 * changes, and once for all its waiting polls. LISTEN and NOTIFY would need a separate connection
 * that follows failovers, and the embedded database has only one connection.
 */
export function createEventWork(options: EventWorkOptions): EventWork {
  const { database, clock, subjects, polls, delivery, admits, onFailure } = options;
  const collect = createCollector(database, subjects);
  let pause = async (): Promise<void> => undefined;
  const tick = async (): Promise<void> => {
    while (admits() && (await collect()) > 0);
    polls.call(await findReady(database, polls.clients()));
    await delivery.run();
  };
  return {
    tick,
    start(intervalMs, pace = createPace()) {
      pause = pace.every(intervalMs, () => {
        if (polls.clients().length > 0) pace.stir(); // a TPP is waiting
        return tick().catch(onFailure);
      });
    },
    pause: () => pause(),
    async stop() {
      const paused = pause();
      polls.release();
      await paused;
      await delivery.stop();
    },
    sweep: () => purgeEvents(database, clock.now()),
  };
}

import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { createCollector } from "./collect-events.ts";
import type { EventSubjects } from "./event-resource.ts";
import { findReady, purgeEvents } from "./poll.ts";
import type { WaitingPolls } from "./waiting-polls.ts";

/** The background work of events. */
export type EventWork = {
  /** Works at this interval until stopped. */
  start(intervalMs: number): void;
  /** Answers the waiting polls, and ends the work. */
  stop(): Promise<void>;
  /** Turns new changes into events, and answers the polls that wait for one. */
  tick(): Promise<void>;
  /** Deletes old events. */
  sweep(): Promise<void>;
};

/** What the work needs. */
export type EventWorkOptions = {
  database: Database;
  clock: Clock;
  subjects: readonly EventSubjects[];
  polls: WaitingPolls;
  onFailure(error: unknown): void;
};

/**
 * Makes the background work. Each process asks the database at an interval: once for new changes,
 * and once for all of its waiting polls together. A notification of the server would need a
 * connection that follows failovers, and the embedded database has only one.
 */
export function createEventWork(options: EventWorkOptions): EventWork {
  const { database, clock, subjects, polls, onFailure } = options;
  const collect = createCollector(database, subjects);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const tick = async (): Promise<void> => {
    while ((await collect()) > 0);
    polls.call(await findReady(database, polls.clients()));
  };
  return {
    tick,
    start(intervalMs) {
      timer = setInterval(() => {
        running ??= tick()
          .catch(onFailure)
          .finally(() => {
            running = undefined;
          });
      }, intervalMs);
    },
    async stop() {
      clearInterval(timer);
      polls.release();
      await running;
    },
    sweep: () => purgeEvents(database, clock.now()),
  };
}

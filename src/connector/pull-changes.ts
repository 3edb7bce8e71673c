import { setTimeout as pause } from "node:timers/promises";
import type { AccountFeed } from "#src/account-store/account-feed.ts";
import { CursorMoved } from "#src/account-store/keep-place.ts";
import { textOf } from "#src/lib/plain-text.ts";

/** The log of the work. */
export type PullLog = {
  error(details: object, text: string): void;
  warn(details: object, text: string): void;
};

type PullOptions = {
  feed: AccountFeed;
  /** Returns the changes after a cursor, in the form of a line of `./aldgate facts load`. */
  readChanges(after: string | null): Promise<object>;
  /** The pause after a failure. */
  retryMs: number;
  log: PullLog;
};

/** The work that stores what a core has changed. */
type Pull = {
  /** Begins no further request, and waits for the storing of what has arrived. */
  stop(): Promise<void>;
};

const idleMs = 1000;

// messages may contain what differs each time, and an outage must not fill the log
const mostFailures = 10;

/**
 * Starts to ask the core for its changes, from the cursor that the store has. Several processes may
 * do so at the same time: what was read after a cursor that the store does not have any more is not
 * stored. After a restore of the database, the work continues from the restored cursor.
 */
export function pullChanges({ feed, readChanges, retryMs, log }: PullOptions): Pull {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The messages of the failures since the last success. */
  const failures = new Set<string>();

  /** Stores the next changes. Returns whether there may be more. */
  async function storeNext(): Promise<boolean> {
    const after = await feed.cursor();
    const changes = await readChanges(after);
    if (signal.aborted) return false;
    const { cursor } = await feed.load(oneLine(JSON.stringify(changes)), { after });
    if (failures.size > 0) log.warn({}, "the core's changes are stored again");
    failures.clear();
    // A core in the same server of databases as ours may count our own writes, so that its cursor
    // moves each time that we store it.
    const { position: _, ...facts } = changes as { position?: unknown };
    return cursor !== null && cursor !== after && Object.keys(facts).length > 0;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const next = await storeNext().then(
        (hasMore) => (hasMore ? 0 : idleMs),
        (error: unknown) => {
          // another process has stored these changes
          if (error instanceof CursorMoved) return idleMs;
          const message = textOf(error);
          const isNew = !failures.has(message) && failures.size < mostFailures;
          if (isNew && !signal.aborted) {
            failures.add(message);
            log.error({ err: error }, "the core's changes cannot be stored; trying again");
          }
          return retryMs;
        },
      );
      await pause(next, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
}

async function* oneLine(text: string): AsyncGenerator<string> {
  yield text;
}

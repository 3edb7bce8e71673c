import { setTimeout as pause } from "node:timers/promises";
import type { AccountFeed } from "#src/account-store/account-feed.ts";
import { CursorMoved } from "#src/account-store/keep-place.ts";
import { changeMembers, WrongLine } from "#src/account-store/load-changes.ts";
import { isObject } from "#src/lib/assert.ts";
import { textOf } from "#src/lib/plain-text.ts";

/** The log of the work. */
export type PullLog = {
  error(details: object, text: string): void;
  warn(details: object, text: string): void;
};

type PullOptions = {
  feed: AccountFeed;
  /** Returns the changes after a cursor, in the form of a line of `./aldgate facts load`. */
  readChanges(after: string | null): Promise<unknown>;
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
    const changes = await readPage(after);
    if (signal.aborted) return false;
    const { cursor } = await feed
      .load(oneLine(JSON.stringify(changes)), { after })
      .catch((error: unknown) => {
        throw error instanceof WrongLine || error instanceof TypeError
          ? new Unread(after, error)
          : error;
      });
    if (failures.size > 0) log.warn({}, "the core's changes are stored again");
    failures.clear();
    // A core in the same server of databases as ours may count our own writes, so that its cursor
    // moves each time that we store it.
    const { position: _, ...facts } = changes;
    return cursor !== null && cursor !== after && Object.keys(facts).length > 0;
  }

  /** The page after a cursor. Throws Unread for anything but a page of changes. */
  async function readPage(after: string | null): Promise<Record<string, unknown>> {
    try {
      const page = await readChanges(after);
      if (!isObject(page)) throw new Error("GET /changes: the answer must be one JSON object");
      const members = Object.keys(page);
      if (members.length > 0 && !members.some((member) => changeMembers.includes(member))) {
        const allowed = changeMembers.join(", ");
        throw new Error(`GET /changes: the answer must be {} or have one of ${allowed}`);
      }
      return page;
    } catch (error) {
      throw new Unread(after, error);
    }
  }

  /** Says once what has failed. Returns the pause before the next try. */
  async function fail(error: unknown): Promise<number> {
    // another process has stored these changes
    if (error instanceof CursorMoved) return idleMs;
    if (signal.aborted) return retryMs;
    const message = withoutTrace(textOf(error));
    const isNew = !failures.has(message) && failures.size < mostFailures;
    const isUnread = error instanceof Unread;
    if (isNew) {
      failures.add(message);
      log.error(
        { err: isUnread ? error.cause : error },
        isUnread
          ? "the core's changes cannot be read, so account data grows old: correct the core's " +
              "GET /changes. It is asked again until it answers; ./aldgate facts refused shows it"
          : "the core's changes cannot be stored; trying again",
      );
    }
    // without the database, the message has been logged, and the next try lists it
    if (isUnread) await feed.noteUnread(error.after, message).catch(() => undefined);
    return retryMs;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const next = await storeNext().then((hasMore) => (hasMore ? 0 : idleMs), fail);
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

/** The core sent no page of changes, or something else in its place. */
class Unread extends Error {
  readonly after: string | null;

  constructor(after: string | null, cause: unknown) {
    super(textOf(cause), { cause });
    this.after = after;
  }
}

// each request has a trace of its own
const withoutTrace = (message: string): string => message.replace(/ \(traceparent [\w-]+\)/, "");

async function* oneLine(text: string): AsyncGenerator<string> {
  yield text;
}

import { Counter, type Registry } from "prom-client";
import type { Clock } from "#src/lib/clock.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { LoggedBodies, WaitingEntry } from "./entry.ts";
import { type LogLimits, longestSpan, purgeLog, storeChunk } from "./store.ts";

// The log of the TPPs' requests. A request adds an entry to a list in memory and goes on. About
// once a second, the list is written. If it is full, or the database does not take it, entries are
// dropped and counted: no request ever waits for the log. record-api.ts makes the entries of the
// APIs, and record-scope.ts those of the other endpoints for TPPs. find-requests.ts reads the log.

/** The log as its writers use it. */
export type RequestLog = {
  /** Whether headers and bodies are kept. */
  keepsBodies: boolean;
  /** Adds an entry, or drops it. Never throws. */
  add(waiting: WaitingEntry): void;
  /** Writes what waits; readers call it first, so that they see the latest requests. */
  flush(): Promise<void>;
  /** Deletes what is beyond the limits, if this process has written since the last time. */
  sweep(): Promise<void>;
  /** Writes what waits, and takes nothing more. */
  close(): Promise<void>;
};

type RequestLogOptions = {
  database: Queryable;
  /** The machine's clock: the log's age does not follow a sandbox's. */
  machineClock: Clock;
  registry: Registry;
  limits: LogLimits;
  keepsBodies: boolean;
  onFailure(error: unknown): void;
};

const flushMilliseconds = 1000;
// what one statement writes
const chunkEntries = 250;
const chunkBytes = 1_000_000;
/** What waits in memory, of one kind of caller, and the most that may. */
type Queue = { waiting: WaitingEntry[]; bytes: number; mostEntries: number; mostBytes: number };

const queueOf = (mostEntries: number, mostBytes: number): Queue => ({
  waiting: [],
  bytes: 0,
  mostEntries,
  mostBytes,
});

type Cause = "full" | "database";

/** Opens the log. */
export function openRequestLog(options: RequestLogOptions): RequestLog {
  const { database, machineClock, limits, keepsBodies, onFailure } = options;
  const dropped = new Counter({
    name: "aldgate_request_log_dropped_total",
    help: "Requests that are missing in the log of requests, because it was full or not writable.",
    labelNames: ["cause"] as const,
    registers: [options.registry],
  });
  const drop = (cause: Cause, count = 1): void => dropped.inc({ cause }, count);
  // each has its own limits: strangers take no place from TPPs
  const known = queueOf(4000, 8_000_000);
  const anonymous = queueOf(200, 2_000_000);
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;
  let hasWritten = false;
  let writing: Promise<void> = Promise.resolve();

  async function writeAll(): Promise<void> {
    const lists = [known, anonymous].map((queue) => {
      const { waiting } = queue;
      queue.waiting = [];
      queue.bytes = 0;
      return waiting;
    });
    for (const list of lists) for (const some of inChunks(list)) await write(some);
  }

  /** The bodies of an entry; null if they cannot be made: the other entries are written. */
  function bodiesOf({ bodies }: WaitingEntry): LoggedBodies | null {
    try {
      return bodies?.() ?? null;
    } catch (error) {
      onFailure(error);
      return null;
    }
  }

  async function write(some: readonly WaitingEntry[]): Promise<void> {
    try {
      await storeChunk(
        database,
        {
          isAnonymous: some[0]?.isAnonymous ?? false,
          entries: some.map(({ entry }) => entry),
          bodies: keepsBodies ? some.map(bodiesOf) : null,
        },
        newestOf(some),
      );
      hasWritten = true;
    } catch (error) {
      drop("database", some.length);
      onFailure(error);
    }
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer);
    timer = null;
    writing = writing.then(writeAll);
    return writing;
  }

  return {
    keepsBodies,
    add(waiting) {
      const queue = waiting.isAnonymous ? anonymous : known;
      const isFull = queue.waiting.length >= queue.mostEntries || queue.bytes > queue.mostBytes;
      if (isClosed || isFull) return drop("full");
      queue.waiting.push(waiting);
      queue.bytes += waiting.bytes;
      timer ??= setTimeout(() => void flush(), flushMilliseconds).unref();
    },
    flush,
    async sweep() {
      if (!hasWritten) return;
      hasWritten = false;
      await purgeLog(database, limits, machineClock.now());
    },
    close() {
      isClosed = true;
      return flush();
    },
  };
}

const times = (some: readonly WaitingEntry[]): number[] => some.map(({ entry }) => entry.at);

const newestOf = (some: readonly WaitingEntry[]): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(Math.max(...times(some)));

/** Whether a request came at the time of others: not after a pause or a change of the clock. */
const isNear = ({ entry }: WaitingEntry, some: readonly WaitingEntry[]): boolean =>
  some.length === 0 || Math.abs(entry.at - (some[0]?.entry.at ?? 0)) <= longestSpan / 2;

function* inChunks(list: readonly WaitingEntry[]): Generator<WaitingEntry[]> {
  let some: WaitingEntry[] = [];
  let bytes = 0;
  for (const one of list) {
    const isFull = some.length === chunkEntries || (bytes > chunkBytes && some.length > 0);
    if (isFull || !isNear(one, some)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(one);
    bytes += one.bytes;
  }
  if (some.length > 0) yield some;
}

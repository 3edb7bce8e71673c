import type { LogEntry } from "./entry.ts";
import { longestSpan, type StoredChunk } from "./store.ts";

/** Where a request stands in the log: its time, its row, and its place in the row. */
export type LogPlace = { time: number; chunkId: bigint; place: number };

/** An entry with its id in the log, which is its place as text. */
export type FoundEntry = LogEntry & { logId: string };

/** A place as text. */
export const logIdOf = ({ time, chunkId, place }: LogPlace): string =>
  `${time}.${chunkId}.${place}`;

/** The place before all requests. */
export const start: LogPlace = { time: 0, chunkId: 0n, place: 0 };

/** What an id in the log looks like. */
export const logIdPattern = /^(\d{1,15})\.(\d{1,18})\.(\d{1,6})$/;

/** The place of a request by its id in the log; null if the text is no such id. */
export function placeOf(logId: string): LogPlace | null {
  const [, time, chunk, place] = logIdPattern.exec(logId) ?? [];
  if (time === undefined || chunk === undefined || place === undefined) return null;
  return { time: Number(time), chunkId: BigInt(chunk), place: Number(place) };
}

type Placed = { at: LogPlace; entry: LogEntry };

/** The entries of a row, in the order in which they were written. */
export const placed = ({ chunkId, writtenAt, entries }: StoredChunk): Placed[] =>
  entries.map((entry, place) => {
    // the bounds that readers rely on, even if a process of an older version wrote the row
    const time = Math.min(Math.max(entry.at, writtenAt - longestSpan), writtenAt);
    return { entry, at: { time, chunkId, place } };
  });

/** Compares places in the order of time. */
export const byTime = (one: LogPlace, other: LogPlace): number =>
  one.time === other.time ? byWriting(one, other) : one.time - other.time;

/** Compares places in the order in which the log has taken their requests. */
export const byWriting = (one: LogPlace, other: LogPlace): number =>
  one.chunkId === other.chunkId ? one.place - other.place : one.chunkId < other.chunkId ? -1 : 1;

/** Yields the entries of rows that come in the order of their newest entries: the newest first. */
export async function* newestFirst(chunks: AsyncIterable<StoredChunk>): AsyncGenerator<Placed> {
  let waiting: Placed[] = [];
  const sort = () => waiting.sort((one, other) => byTime(other.at, one.at));
  for await (const chunk of chunks) {
    // no row that is still to come has anything newer than this one
    const count = sort().filter(({ at }) => at.time > chunk.writtenAt).length;
    yield* waiting.slice(0, count);
    waiting = [...waiting.slice(count), ...placed(chunk)];
  }
  yield* sort();
}

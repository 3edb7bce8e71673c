import type { Queryable } from "#src/storage/database.ts";
import type { LogEntry, LoggedBodies } from "./entry.ts";
import {
  byTime,
  byWriting,
  type FoundEntry,
  type LogPlace,
  logIdOf,
  newestFirst,
  placed,
  placeOf,
  start,
} from "./place.ts";
import type { RequestLog } from "./request-log.ts";
import { loadBodies, loadHead, longestSpan, readChunks, readChunksInTurn } from "./store.ts";

/** What a reader looks for; absent members allow everything. */
export type LogFilter = {
  interactionId?: string;
  clientId?: string;
  consentId?: string;
  /** The order, or another resource. */
  resourceId?: string;
  /** A part of the path. */
  path?: string;
  /** `404`, or `4xx` for all of a class. */
  status?: string;
  /** Codes of faults, or reasons of refusals, of which one is enough. */
  codes?: readonly string[];
  /** The times by the machine's clock. */
  since?: Temporal.Instant;
  until?: Temporal.Instant;
  /** Only requests that the log has taken after this one, by its id in the log. */
  after?: string;
  /** Only requests that are older than this one, by its id in the log. */
  before?: string;
  limit: number;
};

/** Some entries, the newest first. */
type FoundEntries = {
  entries: FoundEntry[];
  /** Whether there are older ones. */
  hasMore: boolean;
  /** The id of the request up to which the log was read, in the order in which it was written. */
  latest: string;
};

/** Finds requests, the newest first; with `after`, those that the log has taken next. */
export async function findEntries(
  on: Queryable,
  log: Pick<RequestLog, "flush">,
  filter: LogFilter,
): Promise<FoundEntries> {
  await log.flush();
  // first, so that a reader who goes on from there misses nothing that is written meanwhile
  const head = await headOf(on);
  const after = filter.after === undefined ? null : placeOf(filter.after);
  return after ? takenAfter(on, filter, { head, after }) : latestFirst(on, filter, head);
}

async function headOf(on: Queryable): Promise<LogPlace> {
  const head = await loadHead(on);
  if (!head) return start;
  return { time: head.writtenAt, chunkId: head.chunkId, place: head.count - 1 };
}

async function latestFirst(
  on: Queryable,
  filter: LogFilter,
  head: LogPlace,
): Promise<FoundEntries> {
  const latest = logIdOf(head);
  const before = filter.before === undefined ? null : placeOf(filter.before);
  const entries: FoundEntry[] = [];
  const chunks = readChunks(on, {
    texts: textsOf(filter),
    since: filter.since ?? null,
    // a later row has only entries that are newer than this
    until: before && Temporal.Instant.fromEpochMilliseconds(before.time + longestSpan),
    upTo: head.chunkId,
  });
  for await (const { entry, at } of newestFirst(chunks)) {
    if (!matches(entry, filter) || (before && byTime(at, before) >= 0)) continue;
    if (entries.length === filter.limit) return { entries, hasMore: true, latest };
    entries.push({ ...entry, logId: logIdOf(at) });
  }
  return { entries, hasMore: false, latest };
}

type Follow = { head: LogPlace; after: LogPlace };

/** The requests that follow one in the order in which the log has taken them. */
async function takenAfter(
  on: Queryable,
  filter: LogFilter,
  { head, after }: Follow,
): Promise<FoundEntries> {
  const before = filter.before === undefined ? null : placeOf(filter.before);
  const found: { entry: FoundEntry; at: LogPlace }[] = [];
  const isWanted = (entry: LogEntry, at: LogPlace): boolean =>
    byWriting(at, after) > 0 &&
    matches(entry, filter) &&
    (before === null || byTime(at, before) < 0);
  // the row of `after` may have more
  const chunks = readChunksInTurn(on, {
    texts: textsOf(filter),
    after: after.chunkId - 1n,
    upTo: head.chunkId,
  });
  read: for await (const chunk of chunks) {
    for (const { entry, at } of placed(chunk)) {
      if (!isWanted(entry, at)) continue;
      found.push({ entry: { ...entry, logId: logIdOf(at) }, at });
      if (found.length === filter.limit) break read;
    }
  }
  const last = found.length === filter.limit ? found.at(-1)?.at : undefined;
  const latest = last ?? (byWriting(head, after) > 0 ? head : after);
  found.sort((one, other) => byTime(other.at, one.at));
  return { entries: found.map(({ entry }) => entry), hasMore: false, latest: logIdOf(latest) };
}

/** Texts that a row has if one of its entries fits: the database looks for them first. */
function textsOf(filter: LogFilter): string[] {
  const { interactionId, clientId, consentId, resourceId, path, status, codes } = filter;
  const member = (name: string, value: string) => `"${name}":${JSON.stringify(value)}`;
  return [
    ...(interactionId === undefined ? [] : [member("interactionId", interactionId)]),
    ...(clientId === undefined ? [] : [member("clientId", clientId)]),
    ...(consentId === undefined ? [] : [member("consentId", consentId)]),
    ...(resourceId === undefined ? [] : [member("resourceId", resourceId)]),
    ...(path === undefined ? [] : [JSON.stringify(path).slice(1, -1)]),
    ...(status === undefined ? [] : [`"status":${status.replace("xx", "")}`]),
    // a row that may have one of several is read
    ...(codes?.length === 1 ? codes.map((code) => JSON.stringify(code)) : []),
  ];
}

function matches(entry: LogEntry, filter: LogFilter): boolean {
  const { since, until, status, path, codes } = filter;
  const isSame = (["interactionId", "clientId", "consentId", "resourceId"] as const).every(
    (name) => filter[name] === undefined || entry[name] === filter[name],
  );
  return (
    isSame &&
    (path === undefined || entry.path.includes(path)) &&
    (status === undefined || isStatus(entry.status, status)) &&
    (codes === undefined || entry.codes.some((code) => codes.includes(code))) &&
    (since === undefined || entry.at >= since.epochMilliseconds) &&
    (until === undefined || entry.at <= until.epochMilliseconds)
  );
}

const isStatus = (found: number, wanted: string): boolean =>
  wanted.endsWith("xx") ? String(found).startsWith(wanted.slice(0, 1)) : String(found) === wanted;

/** A request with everything that the log has about it. */
export type FoundRequest = {
  entry: FoundEntry;
  /** Null outside a sandbox. */
  bodies: LoggedBodies | null;
  /** Other requests with the same interaction id, the newest first. */
  sameInteraction: FoundEntry[];
  /** The first request with the same idempotency key; null without a key. */
  firstWithKey: FoundEntry | null;
};

const mostOfInteraction = 20;
const mostOfKey = 1000;

/** Finds a request by its interaction id (the newest one that has it) or its id in the log. */
export async function findRequest(
  on: Queryable,
  log: Pick<RequestLog, "flush">,
  id: string,
): Promise<FoundRequest | null> {
  await log.flush();
  const place = placeOf(id);
  const entry = place ? await entryAt(on, place) : await newestOf(on, log, id);
  if (entry === null) return null;
  const { interactionId } = entry;
  const limit = mostOfInteraction;
  const { entries } = await findEntries(on, log, { interactionId, limit });
  const at = placeOf(entry.logId) ?? start;
  return {
    entry,
    bodies: await loadBodies(on, at.chunkId, at.place),
    sameInteraction: entries.filter(({ logId }) => logId !== entry.logId),
    firstWithKey: await firstWithKey(on, log, entry),
  };
}

async function newestOf(
  on: Queryable,
  log: Pick<RequestLog, "flush">,
  interactionId: string,
): Promise<FoundEntry | null> {
  const { entries } = await findEntries(on, log, { interactionId, limit: 1 });
  return entries[0] ?? null;
}

async function entryAt(on: Queryable, { chunkId, place }: LogPlace): Promise<FoundEntry | null> {
  const bounds = { after: chunkId - 1n, upTo: chunkId };
  for await (const chunk of readChunksInTurn(on, { texts: [], ...bounds })) {
    const found = placed(chunk)[place];
    return found ? { ...found.entry, logId: logIdOf(found.at) } : null;
  }
  return null;
}

async function firstWithKey(
  on: Queryable,
  log: Pick<RequestLog, "flush">,
  { clientId, idempotencyKey, method, path }: LogEntry,
): Promise<FoundEntry | null> {
  if (idempotencyKey === null || clientId === null) return null;
  const { entries } = await findEntries(on, log, { clientId, path, limit: mostOfKey });
  const withKey = entries.filter(
    (one) => one.idempotencyKey === idempotencyKey && one.method === method && one.path === path,
  );
  // the key of a rejected request can be used again
  return withKey.findLast(({ status }) => status < 400) ?? withKey.at(-1) ?? null;
}

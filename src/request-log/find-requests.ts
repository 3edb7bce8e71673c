import type { Queryable } from "#src/storage/database.ts";
import type { LogEntry, LoggedBodies } from "./entry.ts";
import type { RequestLog } from "./request-log.ts";
import { loadBodies, readChunks, type StoredChunk } from "./store.ts";

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
  /** A code of a fault, or the reason of a refusal. */
  code?: string;
  /** The times by the machine's clock. */
  since?: Temporal.Instant;
  until?: Temporal.Instant;
  /** Only requests that were written after this one, or before it, by their ids in the log. */
  after?: string;
  before?: string;
  limit: number;
};

/** An entry with its place in the log. */
export type FoundEntry = LogEntry & { logId: string };

/** Some entries, the newest first, and whether there are more. */
type FoundEntries = { entries: FoundEntry[]; hasMore: boolean };

type Place = { chunkId: bigint; place: number };

// The id of a request in the log is its row and its place in it.
const logIdOf = ({ chunkId, place }: Place): string => `${chunkId}.${place}`;

/** The place of a request by its id in the log; null if the text is no such id. */
function placeOf(logId: string): Place | null {
  const [, chunk, place] = /^(\d{1,18})\.(\d{1,6})$/.exec(logId) ?? [];
  if (chunk === undefined || place === undefined) return null;
  return { chunkId: BigInt(chunk), place: Number(place) };
}

/** Finds requests, the newest first. */
export async function findEntries(
  on: Queryable,
  log: Pick<RequestLog, "flush">,
  filter: LogFilter,
): Promise<FoundEntries> {
  await log.flush();
  const before = filter.before === undefined ? null : placeOf(filter.before);
  const after = filter.after === undefined ? null : placeOf(filter.after);
  const query = {
    texts: textsOf(filter),
    // their own rows may have more of what is looked for
    before: before === null ? null : before.chunkId + 1n,
    after: after === null ? null : after.chunkId - 1n,
    since: filter.since ?? null,
  };
  const found: FoundEntry[] = [];
  for await (const chunk of readChunks(on, query)) {
    for (const entry of placed(chunk).reverse()) {
      const at = placeOf(entry.logId);
      if (!matches(entry, filter) || !isWithin(at, before, after)) continue;
      if (found.length === filter.limit) return { entries: found, hasMore: true };
      found.push(entry);
    }
  }
  return { entries: found, hasMore: false };
}

const placed = ({ chunkId, entries }: StoredChunk): FoundEntry[] =>
  entries.map((entry, place) => ({ ...entry, logId: logIdOf({ chunkId, place }) }));

function isWithin(at: Place | null, before: Place | null, after: Place | null): boolean {
  if (at === null) return false;
  if (before !== null && compare(at, before) >= 0) return false;
  return after === null || compare(at, after) > 0;
}

const compare = (one: Place, other: Place): number =>
  one.chunkId === other.chunkId ? one.place - other.place : one.chunkId < other.chunkId ? -1 : 1;

/** Texts that a row has if one of its entries fits: the database looks for them first. */
function textsOf(filter: LogFilter): string[] {
  const { interactionId, clientId, consentId, resourceId, path, status, code } = filter;
  const member = (name: string, value: string) => `"${name}":${JSON.stringify(value)}`;
  return [
    ...(interactionId === undefined ? [] : [member("interactionId", interactionId)]),
    ...(clientId === undefined ? [] : [member("clientId", clientId)]),
    ...(consentId === undefined ? [] : [member("consentId", consentId)]),
    ...(resourceId === undefined ? [] : [member("resourceId", resourceId)]),
    ...(path === undefined ? [] : [JSON.stringify(path).slice(1, -1)]),
    ...(status === undefined ? [] : [`"status":${status.replace("xx", "")}`]),
    ...(code === undefined ? [] : [JSON.stringify(code)]),
  ];
}

function matches(entry: LogEntry, filter: LogFilter): boolean {
  const { since, until, status, path, code } = filter;
  const isSame = (["interactionId", "clientId", "consentId", "resourceId"] as const).every(
    (name) => filter[name] === undefined || entry[name] === filter[name],
  );
  return (
    isSame &&
    (path === undefined || entry.path.includes(path)) &&
    (status === undefined || isStatus(entry.status, status)) &&
    (code === undefined || entry.codes.includes(code)) &&
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
  const at = placeOf(entry.logId) ?? { chunkId: 0n, place: 0 };
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

async function entryAt(on: Queryable, { chunkId, place }: Place): Promise<FoundEntry | null> {
  const bounds = { after: chunkId - 1n, before: chunkId + 1n };
  for await (const chunk of readChunks(on, { texts: [], since: null, ...bounds })) {
    return placed(chunk)[place] ?? null;
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
  return (
    entries.findLast(
      (one) => one.idempotencyKey === idempotencyKey && one.method === method && one.path === path,
    ) ?? null
  );
}

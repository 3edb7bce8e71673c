import { first, type Queryable } from "#src/storage/database.ts";
import { isOneOf, type PersonalTable, whyStays } from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { LogEntry, LoggedBodies } from "./entry.ts";

/** What the log may hold. */
export type LogLimits = { entries: number; bytes: number; days: number };

/** Requests that are written together. */
type NewChunk = {
  isAnonymous: boolean;
  entries: readonly LogEntry[];
  /** One for each entry; null if bodies are not kept. */
  bodies: readonly (LoggedBodies | null)[] | null;
};

// what a row needs besides its texts
const rowBytes = 100;

/**
 * The milliseconds between the oldest and the newest request that are written together. Readers
 * find a request by the time of its row and this.
 */
export const longestSpan = 10_000;

/**
 * Writes requests, with the time of the newest one. The writers of all processes take turns until
 * they are committed, so that a reader who has seen a number never misses a lower one.
 */
export async function storeChunk(
  on: Queryable,
  { isAnonymous, entries, bodies }: NewChunk,
  newest: Temporal.Instant,
): Promise<void> {
  const text = JSON.stringify(entries);
  const details = bodies === null ? null : JSON.stringify(bodies);
  const bytes = text.length + (details?.length ?? 0) + rowBytes;
  await on.query(sql`
    with turn as materialized (select pg_advisory_xact_lock(hashtext('request-log')) as taken)
    insert into request_log_chunk (is_anonymous, written_at, entry_count, byte_count, entries,
      bodies)
    select ${isAnonymous}::boolean, ${newest}::timestamptz,
      ${entries.length}::integer, ${bytes}::integer, ${text}::text, ${details}::text
    from turn`);
}

/** The part of the log that requests of unknown callers may take. */
const anonymousShare = 4;

/** Deletes what is beyond the limits, the oldest first. */
export async function purgeLog(
  on: Queryable,
  limits: LogLimits,
  now: Temporal.Instant,
): Promise<void> {
  const before = now.subtract({ hours: 24 * limits.days });
  const share = (whole: number) => sql`case when s.is_anonymous
    then ${Math.floor(whole / anonymousShare)}::bigint
    else ${whole - Math.floor(whole / anonymousShare)}::bigint end`;
  await on.query(sql`
    delete from request_log_chunk c using (
      select o.chunk_id, o.is_anonymous, sum(o.entry_count) over newer as entries,
        sum(o.byte_count) over newer as bytes
      from request_log_chunk o
      window newer as (partition by o.is_anonymous order by o.chunk_id desc)
    ) s
    where c.chunk_id = s.chunk_id and (c.written_at < ${before}
      or s.entries > ${share(limits.entries)} or s.bytes > ${share(limits.bytes)})`);
}

/** Which rows of the log a reader wants; null for no bound. */
type ChunkQuery = {
  /** Texts that the entries contain, as JSON has them. */
  texts: readonly string[];
  /** The bounds of the time of a row, which is that of its newest entry. */
  since: Temporal.Instant | null;
  until: Temporal.Instant | null;
  /** The last number. */
  upTo: bigint;
};

/** Entries with the number and the time (in milliseconds) of their row. */
export type StoredChunk = { chunkId: bigint; writtenAt: number; entries: LogEntry[] };

type ChunkRow = { chunkId: bigint; writtenAt: Temporal.Instant; entries: string };

const storedChunk = ({ chunkId, writtenAt, entries }: ChunkRow): StoredChunk => ({
  chunkId,
  writtenAt: writtenAt.epochMilliseconds,
  entries: JSON.parse(entries) as LogEntry[],
});

const chunksPerRead = 50;

const hasTexts = (texts: readonly string[]): Sql => sql`not exists (
  select from unnest(${[...texts]}::text[]) wanted where position(wanted in c.entries) = 0)`;

/**
 * Reads rows by the time of their newest entry, the newest first, some at a time. The statement has
 * only the bounds that there are, so that each of them is a place in the index.
 */
export async function* readChunks(on: Queryable, query: ChunkQuery): AsyncGenerator<StoredChunk> {
  const { texts, since, until, upTo } = query;
  const bounds = sql`
    ${since ? sql`and c.written_at >= ${since}` : sql``}
    ${until ? sql`and c.written_at <= ${until}` : sql``}`;
  for (let last: ChunkRow | null = null; ; ) {
    const rows: ChunkRow[] = await on.query<ChunkRow>(sql`
      select c.chunk_id as "chunkId", c.written_at as "writtenAt", c.entries
      from request_log_chunk c
      where c.chunk_id <= ${upTo} ${bounds}
        ${last ? sql`and (c.written_at, c.chunk_id) < (${last.writtenAt}, ${last.chunkId})` : sql``}
        and ${hasTexts(texts)}
      order by c.written_at desc, c.chunk_id desc limit ${chunksPerRead}::integer`);
    yield* rows.map(storedChunk);
    last = rows.at(-1) ?? null;
    if (!last || rows.length < chunksPerRead) return;
  }
}

/** Reads the rows after a number, up to another, in the order in which they were written. */
export async function* readChunksInTurn(
  on: Queryable,
  { texts, after, upTo }: Pick<ChunkQuery, "texts" | "upTo"> & { after: bigint },
): AsyncGenerator<StoredChunk> {
  for (let from = after; ; ) {
    const rows: ChunkRow[] = await on.query<ChunkRow>(sql`
      select c.chunk_id as "chunkId", c.written_at as "writtenAt", c.entries
      from request_log_chunk c
      where c.chunk_id > ${from} and c.chunk_id <= ${upTo} and ${hasTexts(texts)}
      order by c.chunk_id limit ${chunksPerRead}::integer`);
    yield* rows.map(storedChunk);
    const last = rows.at(-1);
    if (!last || rows.length < chunksPerRead) return;
    from = last.chunkId;
  }
}

type HeadRow = { chunkId: bigint; writtenAt: Temporal.Instant; count: number };

/** The row that was written last, with the number of its entries; null if there is none. */
export async function loadHead(
  on: Queryable,
): Promise<{ chunkId: bigint; writtenAt: number; count: number } | null> {
  const row = await first<HeadRow>(
    on,
    sql`
      select chunk_id as "chunkId", written_at as "writtenAt", entry_count as count
      from request_log_chunk order by chunk_id desc limit 1`,
  );
  return row ? { ...row, writtenAt: row.writtenAt.epochMilliseconds } : null;
}

/** Reads the headers and bodies of one request; null if they are not kept, or not any more. */
export async function loadBodies(
  on: Queryable,
  chunkId: bigint,
  place: number,
): Promise<LoggedBodies | null> {
  const [row] = await on.query<{ bodies: string | null }>(sql`
    select c.bodies from request_log_chunk c where c.chunk_id = ${chunkId}`);
  const all: LoggedBodies[] = JSON.parse(row?.bodies ?? "[]");
  return all[place] ?? null;
}

/** The requests about a customer's consents and orders; a row has those of many TPPs together. */
export const requestLogTables: readonly PersonalTable[] = [
  {
    table: "request_log_chunk",
    stays: whyStays.brief,
    rowsAbout: ({ consentIds, orderIds }) => sql`
      select e.value::text as row
      from request_log_chunk c cross join lateral json_array_elements(c.entries::json) e
      where ${isOneOf(sql`e.value->>'consentId'`, consentIds)}
        or ${isOneOf(sql`e.value->>'resourceId'`, orderIds)}`,
  },
];

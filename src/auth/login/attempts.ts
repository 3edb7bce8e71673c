import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { inBatches } from "#src/storage/batches.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { unflushed } from "#src/storage/unflushed.ts";

/**
 * The subject of a count, and the number of consecutive wrong attempts that it allows before a
 * wait.
 */
export type Limit = { subject: string; allowed: number };

/** The result of an attempt; `wait` means that it was not checked. */
export type Judged<T> =
  | { state: "right"; value: T }
  | ({ state: "wrong" } & Wrong)
  | { state: "wait"; until: Temporal.Instant };

/** What is left after a wrong attempt. */
type Wrong = {
  /** The number of attempts before a wait. */
  left: number;
  /** The end of the wait, if this attempt was one too many; otherwise null. */
  until: Temporal.Instant | null;
};

const firstWait = "15 minutes";
const longestWait = "24 hours";
// An attempt in progress is forgotten after this time, because its process may have died.
const flightSeconds = 30;
// The lock time of a subject that was never locked: earlier than the clock of any process.
const never = Temporal.Instant.fromEpochMilliseconds(0);
const pollMs = 50;
const pollsAtMost = 200;

type Deps = { database: Queryable; clock: Clock };

/** Makes a statement that does its work only if the condition is met. */
type First = (condition: Sql, now: Temporal.Instant) => Sql;

/**
 * Checks one attempt within its limits, which apply across all processes. An attempt in progress
 * uses a place of the limit, so that simultaneous attempts are all counted. If no place is free,
 * the attempt waits for one. A right attempt resets the count. An attempt that could not be checked
 * does not count. Each wrong attempt beyond the limit doubles the wait. With `later`, the statement
 * that resets the count is added to it: the caller runs it with its own next write. `first` is a
 * statement that runs once the attempt has its places; `judge` learns whether it returned a row.
 */
export async function judgeAttempt<T>(
  deps: Deps,
  limits: readonly Limit[],
  judge: (isFirstDone: boolean) => Promise<T | null>,
  { later, first: given }: { later?: Sql[] | undefined; first?: First } = {},
): Promise<Judged<T>> {
  // in a fixed order, so that two attempts cannot deadlock
  const sorted = limits.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  const places = await takePlaces(deps, sorted, given);
  if ("until" in places) return { state: "wait", until: places.until };
  let value: T | null;
  try {
    value = await judge(places.isFirstDone);
  } catch (error) {
    // the customer is not to blame for an attempt that could not be checked
    await settle(deps, sorted, "unjudged").catch(() => undefined);
    throw error;
  }
  if (value === null) return { state: "wrong", ...(await countWrong(deps, sorted)) };
  if (later) later.push(settlement(sorted, "right", deps.clock.now()));
  else await settle(deps, sorted, "right");
  return { state: "right", value };
}

/** Takes a place in every limit; returns the end of the wait if there is one. */
async function takePlaces(
  deps: Deps,
  limits: readonly Limit[],
  given: First | undefined,
): Promise<{ isFirstDone: boolean } | { until: Temporal.Instant }> {
  const { database, clock } = deps;
  for (let poll = 0; poll < pollsAtMost; poll += 1) {
    const now = clock.now();
    const { taken, isFirstDone } = await takeFree(database, limits, now, given);
    if (taken.length === limits.length) return { isFirstDone };
    if (taken.length > 0) await settle(deps, taken, "unjudged");
    const until = await lockedUntil(database, limits, now);
    if (until) return { until };
    await sleep(pollMs);
  }
  throw new Unavailable("login", "too many attempts at one login are in progress", {});
}

/** Takes a place in each limit that has one; returns these limits. */
async function takeFree(
  on: Queryable,
  limits: readonly Limit[],
  now: Temporal.Instant,
  given: First | undefined,
): Promise<{ taken: Limit[]; isFirstDone: boolean }> {
  const subjects = sql`json_to_recordset(${JSON.stringify(limits)}::json)
    as l(subject text, allowed integer)`;
  const places = sql`
    insert into login_attempt as a (subject, pending, pending_until, locked_until)
    select l.subject, 1, ${now.add({ seconds: flightSeconds })}::timestamptz,
      ${never}::timestamptz from ${subjects}
    on conflict (subject) do update set pending_until = excluded.pending_until,
      pending = case when a.pending_until <= ${now} then 1 else a.pending + 1 end
    where a.locked_until <= ${now} and (a.pending = 0 or a.pending_until <= ${now}
      or a.failures + a.pending
        < (select l.allowed from ${subjects} where l.subject = a.subject))
    returning subject`;
  const all = sql`(select count(*) from taken) = ${limits.length}::integer`;
  const rows = await on.query<{ subject: string; isFirstDone?: boolean }>(
    given
      ? sql`with taken as (${places}), first as (${given(all, now)})
          select subject, exists (select from first) as "isFirstDone", ${unflushed} from taken`
      : sql`${places}, ${unflushed}`,
  );
  const taken = limits.filter(({ subject }) => rows.some((row) => row.subject === subject));
  return { taken, isFirstDone: rows[0]?.isFirstDone ?? false };
}

/** The subject of a customer's wrong answers, in all channels and by all methods. */
export const factorSubject = "factor:";

/** A query of when a customer's answers are checked again; no row if the next one is. */
export const answersLockedUntil = (customerId: Sql, now: Temporal.Instant): Sql => sql`
  select locked_until from login_attempt
  where subject = ${factorSubject}::text || ${customerId} and locked_until > ${now}::timestamptz`;

/** Returns when the last of these waits ends; null if no subject has to wait. */
export async function lockedUntil(
  on: Queryable,
  limits: readonly Pick<Limit, "subject">[],
  now: Temporal.Instant,
): Promise<Temporal.Instant | null> {
  const subjects = limits.map(({ subject }) => subject);
  const row = await first<{ until: Temporal.Instant }>(
    on,
    sql`select locked_until as until from login_attempt
      where subject = any(${subjects}::text[]) and locked_until > ${now}
      order by locked_until desc limit 1`,
  );
  return row?.until ?? null;
}

/** The limits under which attempts are stored, and when the last wait of each ends or has ended. */
export const readAttempts = (
  on: Queryable,
  limits: readonly Limit[],
): Promise<{ subject: string; lockedUntil: Temporal.Instant }[]> =>
  on.query(sql`
    select subject, locked_until as "lockedUntil" from login_attempt
    where subject = any(${limits.map(({ subject }) => subject)}::text[])`);

/** Releases the places without counting a wrong attempt. */
async function settle(
  { database, clock }: Deps,
  limits: readonly Limit[],
  result: "right" | "unjudged",
): Promise<void> {
  const statement = settlement(limits, result, clock.now());
  // losing a reset leaves the stricter count
  await database.query(sql`${statement} returning ${unflushed}`);
}

/** Releases the places and counts a wrong attempt. Returns what the strictest limit leaves. */
async function countWrong({ database, clock }: Deps, limits: readonly Limit[]): Promise<Wrong> {
  const now = clock.now();
  const rows = await database.query<{ left: number; until: Temporal.Instant }>(sql`
    ${settlement(limits, "wrong", now)}
    returning greatest(l.allowed - a.failures, 0) as "left", a.locked_until as "until"`);
  const until = rows
    .map((row) => row.until)
    .toSorted(Temporal.Instant.compare)
    .at(-1);
  const isLocked = until !== undefined && Temporal.Instant.compare(until, now) > 0;
  return { left: Math.min(...rows.map(({ left }) => left)), until: isLocked ? until : null };
}

/** Makes the statement that resets the counts, for callers that know of a right attempt. */
export const resetting = (limits: readonly Limit[], now: Temporal.Instant): Sql =>
  settlement(limits, "right", now);

/**
 * Makes the statement that forgets wrong attempts, and ends the wait that the last one of them has
 * caused: for what counts as wrong until the customer has answered it.
 */
export const forgetting = (limits: readonly Limit[]): Sql => sql`
  update login_attempt set failures = 0, locked_until = ${never}::timestamptz
  where subject = any(${limits.map(({ subject }) => subject)}::text[])`;

function settlement(
  limits: readonly Limit[],
  result: "right" | "wrong" | "unjudged",
  now: Temporal.Instant,
): Sql {
  const subjects = limits.map(({ subject }) => subject);
  // locked in the same order as when the places were taken
  return sql`
    update login_attempt a set pending = greatest(a.pending - 1, 0),
      failures = case ${result} when 'wrong' then a.failures + 1 when 'right' then 0
        else a.failures end,
      locked_until = case when ${result} <> 'wrong' or a.failures + 1 < l.allowed
        then a.locked_until else ${now}::timestamptz + least(${longestWait}::interval,
          ${firstWait}::interval * power(2, least(a.failures + 1 - l.allowed, 10))) end
    from (
      select own.subject, l.allowed from login_attempt own
      join json_to_recordset(${JSON.stringify(limits)}::json)
        as l(subject text, allowed integer) on l.subject = own.subject
      where own.subject = any(${subjects}::text[])
      order by own.subject for update of own
    ) l
    where a.subject = l.subject
      and a.subject = any(${subjects}::text[])`;
}

/** Deletes attempts that are more than a day old. */
export const purgeAttempts = (on: Queryable, now: Temporal.Instant): Promise<number> => {
  const dayAgo = now.subtract({ hours: 24 });
  return inBatches(
    on,
    (limit) => sql`
      delete from login_attempt where ctid = any(array(
        select ctid from login_attempt
        where pending_until <= ${dayAgo} and locked_until <= ${dayAgo}
        limit ${limit} for update skip locked))
      returning subject`,
  );
};

import { setTimeout as sleep } from "node:timers/promises";
import { purge } from "#src/auth/purge.ts";
import type { Clock } from "#src/lib/clock.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The subject of a count, and how many wrong tries in a row it allows before there is a wait. */
export type Limit = { subject: string; allowed: number };

/** The result of an attempt; `wait` means that it was not checked. */
export type Judged<T> =
  | { state: "right"; value: T }
  | { state: "wrong" }
  | { state: "wait"; until: Temporal.Instant };

const firstWait = "15 minutes";
const longestWait = "24 hours";
// An attempt in flight is forgotten after this time: the process that judged it may have ended.
const flightSeconds = 30;
// The lock time of a subject that was never locked: earlier than the clock of any process.
const never = Temporal.Instant.fromEpochMilliseconds(0);
const pollMs = 50;
const pollsAtMost = 200;

type Deps = { database: Database; clock: Clock };

class NotTaken extends Error {}

/**
 * Checks one attempt within its limits, which apply across all processes. An attempt in progress
 * uses a place of the limit, so that simultaneous attempts are all counted. If no place is free,
 * the attempt waits for one. A right attempt resets the count. An attempt that could not be checked
 * does not count. Each wrong attempt beyond the limit doubles the wait.
 */
export async function judgeAttempt<T>(
  deps: Deps,
  limits: readonly Limit[],
  judge: () => Promise<T | null>,
): Promise<Judged<T>> {
  // in one order, so that two attempts cannot wait for each other
  const sorted = limits.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
  const until = await takePlaces(deps, sorted);
  if (until !== null) return { state: "wait", until };
  let value: T | null;
  try {
    value = await judge();
  } catch (error) {
    // the customer is not to blame for an attempt that could not be checked
    await settle(deps, sorted, "unjudged").catch(() => undefined);
    throw error;
  }
  if (value === null) {
    await settle(deps, sorted, "wrong");
    return { state: "wrong" };
  }
  await settle(deps, sorted, "right");
  return { state: "right", value };
}

/** Takes a place in every limit; returns the end of the wait if there is one. */
async function takePlaces(
  { database, clock }: Deps,
  limits: readonly Limit[],
): Promise<Temporal.Instant | null> {
  for (let poll = 0; poll < pollsAtMost; poll += 1) {
    const now = clock.now();
    try {
      await database.transaction(async (on) => {
        for (const limit of limits) if (!(await take(on, limit, now))) throw new NotTaken();
      });
      return null;
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
    }
    const until = await lockedUntil(database, limits, now);
    if (until) return until;
    await sleep(pollMs);
  }
  throw new Unavailable("login", "too many attempts at one login are in progress", {});
}

async function take(on: Queryable, limit: Limit, now: Temporal.Instant): Promise<boolean> {
  const rows = await on.query(sql`
    insert into login_attempt as a (subject, pending, pending_until, locked_until)
    values (${limit.subject}, 1, ${now.add({ seconds: flightSeconds })}, ${never})
    on conflict (subject) do update set pending_until = excluded.pending_until,
      pending = case when a.pending_until <= ${now} then 1 else a.pending + 1 end
    where a.locked_until <= ${now} and (a.pending = 0 or a.pending_until <= ${now}
      or a.failures + a.pending < ${limit.allowed})
    returning subject`);
  return rows.length === 1;
}

async function lockedUntil(
  on: Queryable,
  limits: readonly Limit[],
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

async function settle(
  { database, clock }: Deps,
  limits: readonly Limit[],
  result: "right" | "wrong" | "unjudged",
): Promise<void> {
  const now = clock.now();
  for (const { subject, allowed } of limits) {
    if (result === "wrong") {
      await database.query(sql`
        update login_attempt set pending = greatest(pending - 1, 0), failures = failures + 1,
          locked_until = case when failures + 1 < ${allowed} then locked_until
            else ${now}::timestamptz + least(${longestWait}::interval,
              ${firstWait}::interval * power(2, least(failures + 1 - ${allowed}, 10))) end
        where subject = ${subject}`);
    } else {
      await database.query(sql`
        update login_attempt set pending = greatest(pending - 1, 0),
          failures = case when ${result === "right"} then 0 else failures end
        where subject = ${subject}`);
    }
  }
}

/** Deletes attempts that are more than a day old. */
export const purgeAttempts = (on: Queryable, now: Temporal.Instant): Promise<void> => {
  const dayAgo = now.subtract({ hours: 24 });
  return purge(
    on,
    (limit) => sql`
      delete from login_attempt where subject in (
        select subject from login_attempt
        where pending_until <= ${dayAgo} and locked_until <= ${dayAgo}
        limit ${limit} for update skip locked)
      returning subject`,
  );
};

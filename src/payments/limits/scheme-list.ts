import type { SchemeStanding } from "#src/clients/vrp-contracts.ts";
import { byBank } from "#src/history/change.ts";
import { parseJsonObject } from "#src/http/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-request.ts";
import type { Clock } from "#src/lib/clock.ts";
import { schemeStatuses } from "#src/standard/shared/vrp-types.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { applySchemeStatuses } from "./scheme-standing.ts";

type SchemeListDeps = {
  database: Database;
  fetcher: Fetcher;
  /** Where the list is; undefined if the bank reads none. */
  url: string | undefined;
  everyMinutes: number;
  /** The bank's clock, for the history of clients. */
  clock: Clock;
  /** The machine's clock. */
  machineClock: Clock;
  /** Called if the list cannot be read; every TPP keeps its status. */
  onFailure(url: string, reason: string): void;
};

/** Keeps the statuses of TPPs in the commercial scheme as the scheme's list has them. */
export type SchemeList = {
  /** Reads the list if it is due. Processes share the work. */
  sweep(): Promise<void>;
  /** When the list was last read; null if the bank has never read it. */
  lastReading(): Promise<{ at: Temporal.Instant | null }>;
};

/**
 * Makes the regular reading of the scheme's list of participants. An organisation that is not in
 * the list keeps its status, because a list that has lost entries must not shut out a TPP. After a
 * failure, the bank waits longer each time. Source: CV-15, CV-16.
 */
export function createSchemeList(deps: SchemeListDeps): SchemeList {
  const { database, machineClock, url } = deps;
  return {
    async sweep() {
      const failures = url === undefined ? null : await takeIfDue(deps, url);
      if (url === undefined || failures === null) return;
      const fetched = await deps.fetcher.get(url);
      const list: Listed | Unreadable = fetched.body === null ? fetched : standingsOf(fetched.body);
      if ("reason" in list) {
        const seconds = Math.ceil(secondsToWait(deps, failures, list.retryAfter ?? null));
        const next = machineClock.now().add({ seconds });
        await database.query(sql`
          update scheme_list set failures = failures + 1, due_at = ${next} where url = ${url}`);
        return deps.onFailure(url, list.reason);
      }
      await applySchemeStatuses(database, list.standings, byBank(deps.clock.now()));
      await database.query(sql`
        update scheme_list set read_at = ${machineClock.now()}, failures = 0 where url = ${url}`);
      if (list.unusable > 0) deps.onFailure(url, `${list.unusable} of its entries are unusable`);
    },

    async lastReading() {
      const found = await first<{ at: Temporal.Instant | null }>(
        database,
        sql`select read_at as at from scheme_list where url = ${url ?? ""}`,
      );
      return found ?? { at: null };
    },
  };
}

/**
 * Takes the reading if it is due: another process does not take it before the next one. Returns how
 * often the list could not be read since it was last read; null if it is not due.
 */
async function takeIfDue(
  { database, machineClock, everyMinutes }: SchemeListDeps,
  url: string,
): Promise<number | null> {
  const now = machineClock.now();
  const next = now.add({ minutes: everyMinutes });
  const row = await first<{ failures: number }>(
    database,
    sql`insert into scheme_list as l (url, due_at) values (${url}, ${next})
      on conflict (url) do update set due_at = excluded.due_at where l.due_at <= ${now}
      returning failures`,
  );
  return row?.failures ?? null;
}

const slowestMinutes = 60;
const longestSeconds = 86_400;

/**
 * How long to wait after a failure: the usual time, which doubles with each further failure up to
 * an hour, and at least the directory's Retry-After, up to a day.
 */
function secondsToWait(
  { machineClock, everyMinutes }: SchemeListDeps,
  earlier: number,
  retryAfter: string | null,
): number {
  const most = Math.max(everyMinutes, slowestMinutes);
  const usual = Math.min(everyMinutes * 2 ** Math.min(earlier, 10), most) * 60;
  return Math.max(usual, Math.min(retrySeconds(retryAfter, machineClock.now()), longestSeconds));
}

/** The seconds of a Retry-After: a number or a date. Source: RFC 9110 section 10.2.3. */
function retrySeconds(header: string | null, now: Temporal.Instant): number {
  if (header === null) return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : (at - now.epochMilliseconds) / 1000;
}

type Listed = { standings: SchemeStanding[]; unusable: number };
type Unreadable = { reason: string; retryAfter?: string | null };

/** The statuses that a list gives, or why the document is not such a list. Source: CV-12. */
function standingsOf(body: Buffer): Listed | Unreadable {
  try {
    const { Data } = parseJsonObject(body, (why) => new Error(`the document ${why}`));
    if (!Array.isArray(Data)) return { reason: "the document has no list" };
    if (Data.length === 0) return { reason: "the list is empty" };
    const statuses = new Map<string, SchemeStanding>();
    let unusable = 0;
    for (const entry of Data) {
      const organisationId: unknown = entry?.OBOrganisationId;
      const status = schemeStatuses.find((one) => one === entry?.MLAStatus);
      if (typeof organisationId === "string" && status !== undefined) {
        statuses.set(organisationId, { organisationId, status });
      } else unusable += 1;
    }
    return { standings: [...statuses.values()], unusable };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

import type { SchemeStanding } from "#src/clients/vrp-contracts.ts";
import { byBank } from "#src/history/change.ts";
import { parseJsonObject } from "#src/http/body/json-object.ts";
import type { Fetcher } from "#src/http/outgoing/guarded-get.ts";
import type { Clock } from "#src/lib/clock.ts";
import { schemeStatuses } from "#src/standard/shared/vrp-types.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { applySchemeStatuses } from "./scheme-standing.ts";

/** The dependencies of the reading of the scheme's list. */
export type SchemeListDeps = {
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
};

/**
 * Makes the regular reading of the scheme's list of participants. An organisation that is not in
 * the list keeps its status, because a list that has lost entries must not shut out a TPP.
 */
export function createSchemeList(deps: SchemeListDeps): SchemeList {
  const { database, machineClock, url } = deps;
  return {
    async sweep() {
      if (url === undefined || !(await takeIfDue(deps, url))) return;
      const fetched = await deps.fetcher.get(url);
      const list = fetched.body === null ? fetched : standingsOf(fetched.body);
      if ("reason" in list) return deps.onFailure(url, list.reason ?? "it has no body");
      await applySchemeStatuses(database, list.standings, byBank(deps.clock.now()));
      await database.query(sql`
        update scheme_list set read_at = ${machineClock.now()} where url = ${url}`);
      if (list.unusable > 0) deps.onFailure(url, `${list.unusable} of its entries are unusable`);
    },
  };
}

/** Takes the reading if it is due: another process does not take it before the next one. */
async function takeIfDue(
  { database, machineClock, everyMinutes }: SchemeListDeps,
  url: string,
): Promise<boolean> {
  const now = machineClock.now();
  const next = now.add({ minutes: everyMinutes });
  const row = await first(
    database,
    sql`insert into scheme_list as l (url, due_at) values (${url}, ${next})
      on conflict (url) do update set due_at = excluded.due_at where l.due_at <= ${now}
      returning url`,
  );
  return row !== undefined;
}

type Listed = { standings: SchemeStanding[]; unusable: number };

/** The statuses that a list gives, or why the document is not such a list. Source: CV-12. */
function standingsOf(body: Buffer): Listed | { reason: string } {
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

import { batched } from "#src/lib/batched.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { Connection } from "./connection.ts";
import { first, type Queryable } from "./database.ts";
import type { Hosts } from "./database-url.ts";
import { type Sql, sql } from "./sql.ts";

/** How far a server has got: the end of its log in bytes, on one timeline of the primaries. */
export type Position = { end: bigint; timeline: string };

/** What a standby must know of its primary. */
export type PrimaryFacts = {
  /**
   * The position of everything that was acknowledged before the call. Calls at the same time share
   * a statement. Throws Unavailable.
   */
  position(): Promise<Position>;
  /** Tells this database apart from those of every other PostgreSQL server but its standbys. */
  identity(): Promise<string>;
};

/**
 * Makes the check that a server is the primary. Of several servers that accept writes, only the one
 * that was promoted last is: once it has been checked, an older one is refused.
 */
export function checkPrimary({ hosts, mustWrite }: Hosts) {
  let newest: Tenure | null = null;
  return async (connection: Connection): Promise<void> => {
    const row = await first<{ readsOnly: boolean }>(
      connection,
      sql`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
        as "readsOnly"`,
    );
    if (row?.readsOnly && mustWrite) throw new Error("it is read-only: it is a standby");
    if (row?.readsOnly || hosts.length === 1) return;
    // where a server does not say it, nothing is compared
    const own = (await loadTenure(connection).catch(() => null)) ?? newest;
    if (newest && own?.system === newest.system && own.timeline < newest.timeline) {
      throw new Error("it is an old primary: another server was promoted later");
    }
    newest = own;
  };
}

/** The timeline that a primary has begun, of those of its database system. */
type Tenure = { system: string; timeline: string };

const loadTenure = (on: Queryable): Promise<Tenure | undefined> =>
  first<Tenure>(
    on,
    sql`select system_identifier::text as system,
      substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) as timeline
      from pg_control_system()`,
  );

/** SQL: a place in the log as a number of bytes. */
export const bytes = (place: Sql): Sql => sql`(${place} - '0/0'::pg_lsn)::bigint`;

/** SQL: the same on a primary and its standbys. */
export const identity = sql`(select system_identifier from pg_control_system()) || '/' ||
  (select oid from pg_database where datname = current_database())`;

/** Reads facts of the primary, on which `on` runs statements. */
export function readPrimary(on: Queryable): PrimaryFacts {
  let known: Promise<string> | null = null;
  const position = batched<null, Position>({ asks: 10_000, batches: 2 }, async (asks) => {
    const found = await loadPosition(on);
    return asks.map(() => found);
  });
  return {
    position: () => position(null),
    identity() {
      known ??= loadIdentity(on).catch((error) => {
        known = null;
        throw error;
      });
      return known;
    },
  };
}

/**
 * A standby that has left the common log, because another one was promoted at an earlier place, may
 * be past the new primary's position and lack its changes. So a primary first stores its timeline,
 * and a standby is used only if it has that row.
 */
async function loadPosition(on: Queryable): Promise<Position> {
  for (const isLast of [false, true]) {
    const row = await first<Position & { stored: string }>(
      on,
      // what is committed without a flush is acknowledged only if every commit is
      sql`select ${bytes(sql`case current_setting('synchronous_commit')
          when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end`)}
          as "end",
        substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) as timeline, stored.timeline
          as stored
        from primary_timeline stored`,
    );
    if (row && row.timeline === row.stored) return { end: row.end, timeline: row.timeline };
    if (row && !isLast) await on.query(sql`update primary_timeline set timeline = ${row.timeline}`);
  }
  throw new Unavailable("database", "the primary cannot store its timeline", {});
}

async function loadIdentity(on: Queryable): Promise<string> {
  const row = await first<{ identity: string }>(on, sql`select ${identity} as identity`);
  return row?.identity ?? "";
}

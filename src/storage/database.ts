import type { Sql } from "./sql.ts";

/**
 * Runs statements. Rows are objects with these types: `bigint` columns are bigint, `timestamptz`
 * Temporal.Instant, `date` Temporal.PlainDate, `numeric` text; `json` and `jsonb` are parsed.
 * Parameters may have the same types. Pass objects and arrays of objects as JSON text
 * (`${JSON.stringify(x)}::json`), and arrays of text, bigint and Instant as arrays.
 */
export type Queryable = {
  /** Runs one statement and returns its rows. */
  query<Row>(statement: Sql): Promise<Row[]>;
};

/** Work that only one process on a database may do at a time. */
export type SolePurpose = "schema" | "seed" | "worlds";

/** A standby that answers reads, as this process sees it. */
export type StandbyReport = {
  /** `db2.example:5432` */
  name: string;
  state: "in use" | "behind" | "not answering";
  /** Why this process does not use the server; null if it does, or has not asked it yet. */
  reason: string | null;
  /** How many reads it has answered. */
  reads: number;
  /** How many bytes of the primary's log it lacked when it was last asked. */
  bytesBehind: number;
};

/** How the reads that standbys may answer have been answered. */
export type StandbyUse = {
  standbys: readonly StandbyReport[];
  /** How many of them the primary has answered. */
  readsOnPrimary: number;
};

/** One database: PGlite in a folder, or a PostgreSQL server. */
export type Database = Queryable & {
  readonly kind: "pglite" | "postgres";
  /**
   * Like `query`, for reads that many requests make at the same time. The statement must only read,
   * and must not have array parameters. Concurrent calls may share one execution.
   */
  read<Row>(statement: Sql): Promise<Row[]>;
  /**
   * Like `read`, but a standby may run the statement. It shows everything that was committed before
   * the call, because a standby that has not got so far is passed over.
   */
  readOnStandby<Row>(statement: Sql): Promise<Row[]>;
  /** What has become of the reads of `readOnStandby`; null without standbys. */
  standbyUse(): StandbyUse | null;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** Runs several statements without values. For migrations only. */
  execute(text: string): Promise<void>;
  /**
   * Runs `work` while no other process of the database does work of that purpose. Its statements
   * run on one connection, without a time limit. `onWaiting` is called if another process is doing
   * such work, with a description of that process.
   */
  alone<T>(
    purpose: SolePurpose,
    work: (database: Database) => Promise<T>,
    onWaiting?: (holder: string) => void,
  ): Promise<T>;
  /** Resolves when the database answers, which takes seconds at most; throws Unavailable. */
  probe(): Promise<void>;
  close(): Promise<void>;
};

/** The first row, or undefined. */
export async function first<Row>(on: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await on.query<Row>(statement))[0];
}

/** SQLSTATE of a database error, even if it caused an outage; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const state = code ?? cause?.code;
  // a code of the operating system (EPIPE) may also have five characters, but begins with E
  return typeof state === "string" && /^(?!E)[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

import type { Sql } from "./sql.ts";

/**
 * What runs statements. Rows come as objects; `bigint` columns as bigint, `timestamptz` as
 * Temporal.Instant, `date` as Temporal.PlainDate, `numeric` as text, `json` and `jsonb` parsed.
 * As parameters the same types are taken; objects and arrays of objects go in as JSON text
 * (`${JSON.stringify(x)}::json`), arrays of text, bigint and Instant as arrays.
 */
export type Queryable = {
  /** Runs one statement and gives its rows. */
  query<Row>(statement: Sql): Promise<Row[]>;
};

/** One database: PGlite in a folder, or a PostgreSQL server. */
export type Database = Queryable & {
  readonly kind: "pglite" | "postgres";
  /**
   * As `query`, for what many requests ask at the same time: a statement that only reads, and takes
   * parameters but no arrays. Those of one moment may be answered by one execution.
   */
  read<Row>(statement: Sql): Promise<Row[]>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** Runs text of several statements without values: for migrations only. */
  execute(text: string): Promise<void>;
  /**
   * Runs `work` while no other process of the database does work of that purpose. Its statements
   * run on one connection, without a time limit. `onWaiting` is called if another process is doing
   * such work, with a description of that process.
   */
  alone<T>(
    purpose: "schema" | "seed",
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

/** SQLSTATE of a database error, also one that caused an outage; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const state = code ?? cause?.code;
  // five characters that a code of the system (EPIPE) could have too: theirs begin with an E
  return typeof state === "string" && /^(?!E)[0-9A-Z]{5}$/.test(state) ? state : undefined;
}

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
  close(): Promise<void>;
};

/** The first row, or undefined. */
export async function first<Row>(on: Queryable, statement: Sql): Promise<Row | undefined> {
  return (await on.query<Row>(statement))[0];
}

/** SQLSTATE of a database error, or undefined when it is none. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

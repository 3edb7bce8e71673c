import { type Sql, sql } from "#src/storage/sql.ts";

/** SQL: an instant in the format of facts, `2026-11-22T09:30:00Z`; null stays null. */
export const instant = (column: Sql): Sql =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** SQL: the same, with the fraction of the second if there is one. */
export const exactInstant = (column: Sql): Sql =>
  sql`rtrim(rtrim(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.')
    || 'Z'`;

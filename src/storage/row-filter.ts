import { type Sql, sql } from "./sql.ts";

/**
 * SQL: a condition on rows that the statement finds by their key. The server cannot use an index
 * for it. While a table is nearly empty, an index for a sweep (on the time at which a row expires,
 * or of the rows that are still open) looks as good to the server as the key. The server would then
 * keep a plan with that index until it has new statistics, and read more and more rows.
 */
export const rowFilter = (condition: Sql): Sql =>
  sql`case when ${condition} then true else false end`;

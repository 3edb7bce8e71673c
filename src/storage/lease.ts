import { type Sql, sql } from "./sql.ts";

/**
 * Whether a lease is over that ends at a time of the database's clock, or none was taken. A lease
 * that ends much later than one that begins now is over too: the clock was ahead when it was taken,
 * as after a failover from a server with a wrong clock, and nobody must wait for that time. Whoever
 * takes such a lease may work beside its holder, as after any lease that has run out.
 */
export const isOver = (until: Sql, longestSeconds: number): Sql =>
  sql`(${until} is null or ${until} <= clock_timestamp()
    or ${until} > clock_timestamp() + make_interval(secs => ${2 * longestSeconds}::float8))`;

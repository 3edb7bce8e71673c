import { sql } from "./sql.ts";

/**
 * Makes a write cheaper: with `returning ${unflushed}`, the server answers before the write is on
 * disk. Use it only for a statement outside a transaction. If the write matters, the request must
 * write again before it answers. A flush writes everything that any connection committed before it,
 * so the request's last write makes the first one durable too. If the server crashes before that
 * flush, both writes are lost, but the request has not been answered. PostgreSQL's manual calls
 * this an asynchronous commit.
 */
export const unflushed = sql`set_config('synchronous_commit', 'off', true)`;

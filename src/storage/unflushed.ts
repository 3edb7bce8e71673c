import { sql } from "./sql.ts";

/**
 * Makes a write cheaper: `returning ${unflushed}` lets the server answer before the write is on
 * disk. Only for a statement outside of a transaction, whose request writes again before it answers
 * if the first write matters. A flush writes everything that was committed before it, on whichever
 * connection, so the last write of the request makes the first one durable as well. If the server
 * crashes in between, both are lost, and nobody has had an answer to either. PostgreSQL's manual
 * calls this an asynchronous commit.
 */
export const unflushed = sql`set_config('synchronous_commit', 'off', true)`;

import { Unavailable } from "#src/lib/unavailable.ts";
import { Connection, type PostgresLimits } from "./connection.ts";
import { type Database, first, type SolePurpose } from "./database.ts";
import type { ServerWatch } from "./server-watch.ts";
import { sql } from "./sql.ts";

const keys: Record<SolePurpose, number> = { schema: 704_211, seed: 704_212, worlds: 704_214 };
const pauseMs = 250;
const patienceSeconds = 1800;

/**
 * Runs `work` on the connection that holds the purpose's lock, so that the work ends if the
 * connection is lost. Its statements have no time limit; waiting for locks has one.
 */
export async function workAlone<T>(
  on: { database: Database; primary: ServerWatch; limits: PostgresLimits },
  purpose: SolePurpose,
  work: (database: Database) => Promise<T>,
  onWaiting: (holder: string) => void = () => undefined,
): Promise<T> {
  const limits = { ...on.limits, statementSeconds: 0, transactionSeconds: 0 };
  const { primary } = on;
  const onLost = (lost: Connection) => primary.forget(lost);
  const connection = await Connection.connect(primary.host, limits, { onLost });
  primary.watch(connection);
  try {
    await takeLock(connection, keys[purpose], onWaiting);
    return await work(databaseOn(connection, on.database));
  } finally {
    await connection.close();
  }
}

// The lock is requested repeatedly, because waiting in the server for a lock that is held for
// minutes would exceed the time limit for locks.
async function takeLock(
  connection: Connection,
  key: number,
  onWaiting: (holder: string) => void,
): Promise<void> {
  const deadline = performance.now() + patienceSeconds * 1000;
  for (let isFirst = true; ; isFirst = false) {
    const row = await first<{ taken: boolean }>(
      connection,
      sql`select pg_try_advisory_lock(${key}::bigint) as taken`,
    );
    if (row?.taken) return;
    const holder = await describeHolder(connection, key);
    if (isFirst) onWaiting(holder);
    if (performance.now() > deadline) {
      throw new Unavailable("database", `waited ${patienceSeconds} s for ${holder}`, {});
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function describeHolder(connection: Connection, key: number): Promise<string> {
  const row = await first<{ pid: number; name: string; address: string | null }>(
    connection,
    sql`select a.pid, a.application_name as name, host(a.client_addr) as address
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.objid = ${key}::bigint and l.granted
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
      limit 1`,
  );
  if (!row) return "a session that has just ended";
  const { pid, name, address } = row;
  return `session ${pid} (${name || "no name"}${address ? ` from ${address}` : ""})`;
}

/** The database as one connection sees it. */
function databaseOn(connection: Connection, whole: Database): Database {
  let last: Promise<unknown> = Promise.resolve();
  // one at a time, because another caller's statement must not run inside a transaction
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
  const query: Database["query"] = (statement) => inTurn(() => connection.query(statement));
  const database: Database = {
    kind: "postgres",
    query,
    read: query,
    readOnStandby: query,
    standbyUse: () => null,
    transaction: (work) => inTurn(() => connection.transaction(work)),
    execute: (text) => inTurn(async () => void (await connection.run(text))),
    alone: (_purpose, work) => work(database),
    probe: () => whole.probe(),
    close: async () => undefined,
  };
  return database;
}

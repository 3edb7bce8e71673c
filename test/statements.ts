import { AsyncLocalStorage } from "node:async_hooks";
import diagnostics from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { Database, Queryable } from "#src/storage/database.ts";

/** A statement that this process's bank ran for a request. */
export type RanStatement = {
  /** The request without ids and query: `3 GET /journey` is the third request of the recording. */
  request: string;
  /** `begin` and `commit` count as statements. */
  text: string;
};

/** Records the statements that requests run. */
export type StatementRecord = {
  start(): void;
  /** Ends the recording. Returns the statements since `start`. */
  stop(): RanStatement[];
};

const uid = /\/(journey|auth)\/[^/]+$/;

/**
 * Makes a database record its statements. Call it before the bank is opened on the database. Only
 * statements of HTTP requests are recorded, not those of sweeps and polls.
 */
export function recordStatements(database: Database): StatementRecord {
  const current = new AsyncLocalStorage<string | null>();
  let ran: RanStatement[] | null = null;
  let requests = 0;
  diagnostics.subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    if (!ran) return current.enterWith(null);
    requests += 1;
    const path = (request.url ?? "").split("?")[0] ?? "";
    const name = path.replace(uid, "/$1").replace("/api/open-banking", "");
    current.enterWith(`${String(requests).padStart(2)} ${request.method} ${name}`);
  });
  const note = (text: string): void => {
    const request = current.getStore();
    // the regular look at the schema may run in what a request has begun
    if (ran && request && !text.includes("from migration")) ran.push({ request, text });
  };
  const noting = (on: Queryable["query"]): Queryable["query"] => {
    return (statement) => {
      note(statement.text);
      return on(statement);
    };
  };
  const { query, read, readOnStandby, transaction } = database;
  database.query = noting(query);
  database.read = noting(read);
  database.readOnStandby = noting(readOnStandby);
  database.transaction = async (work) => {
    note("begin");
    const result = await transaction((on) =>
      work({ query: noting((statement) => on.query(statement)) }),
    );
    note("commit");
    return result;
  };
  return {
    start() {
      requests = 0;
      ran = [];
    },
    stop() {
      const all = ran ?? [];
      ran = null;
      return all;
    },
  };
}

const part = /\b(insert into|update|delete from|from|join|select)\s+(?!\()([a-z_]+)/gi;

/** Describes a statement in a few words, such as `update journey` or `select consent`. */
export function describeStatement(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (/^(begin|commit|rollback)/.test(flat)) return flat;
  const writes: string[] = [];
  const reads: string[] = [];
  for (const [, verb = "", table = ""] of flat.matchAll(part)) {
    if (/insert|update|delete/i.test(verb)) writes.push(`${verb.split(" ")[0]} ${table}`);
    else if (/from|join/i.test(verb)) reads.push(table);
  }
  const all = (names: string[]) => [...new Set(names)].slice(0, 4).join(", ");
  return writes.length > 0 ? all(writes) : `select ${all(reads)}`;
}

/** Counts by key: one line per key, most frequent first. */
export function tally(keys: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([key, count]) => `${String(count).padStart(5)}  ${key}`)
    .join("\n");
}

import pg from "pg";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import type { Database, Queryable } from "./database.ts";
import { sharedReadLimits, shareReads } from "./shared-reads.ts";
import type { Sql } from "./sql.ts";
import { columnParsers, toParameter } from "./values.ts";

const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    columnParsers[oid] ?? pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

const names = new Map<string, string>();

function named({ text, values }: Sql): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    name = sha256(text).slice(0, 24);
    names.set(text, name);
  }
  return { name, text, values: values.map(toParameter) };
}

const on = (runner: Pick<pg.ClientBase, "query">): Queryable => ({
  async query<Row>(statement: Sql): Promise<Row[]> {
    return (await runner.query(named(statement))).rows as Row[];
  },
});

/**
 * Opens a PostgreSQL server. Single statements go down a few pipelined connections (measured at
 * five times a plain pool on point reads), shared reads down some more; transactions each take a
 * connection of their own.
 */
export async function openPostgres(url: string, connections = 4): Promise<Database> {
  const config = { connectionString: url, types, application_name: "aldgate" };
  const pool = new pg.Pool({ ...config, max: connections });
  // the next use reconnects: an idle connection's loss is no fault
  pool.on("error", () => undefined);
  const pipelined = { ...config, pipeline: true } as pg.ClientConfig;
  const lines = new PipelinedLines(pipelined, connections);
  // a plan that knows how many asks there are looks cheaper than one that serves all: the server
  // would plan at every execution, which takes ten times as long as the execution
  const readLines = new PipelinedLines(pipelined, Math.min(connections, sharedReadLimits.batches), [
    "set plan_cache_mode = force_generic_plan",
  ]);
  await Promise.all([lines.open(), readLines.open()]);
  const readOn: Queryable = { query: (statement) => on(readLines.next()).query(statement) };
  return {
    kind: "postgres",
    query: <Row>(statement: Sql) => on(lines.next()).query<Row>(statement),
    read: shareReads(readOn, (text) => loadParameterTypes(pool, text)),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await work(on(client));
        await client.query("commit");
        client.release();
        return result;
      } catch (error) {
        await client.query("rollback").then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    },
    execute: async (text) => void (await pool.query(text)),
    async close() {
      await Promise.all([lines.close(), readLines.close(), pool.end()]);
    },
  };
}

/** The types of a statement's parameters, in the server's names for them. */
async function loadParameterTypes(pool: pg.Pool, text: string): Promise<string[]> {
  // several statements in one message are answered by as many results
  const results = (await pool.query(`prepare parameters as ${text};
    select parameter_types::text[] as types from pg_prepared_statements where name = 'parameters';
    deallocate parameters`)) as unknown as pg.QueryResult<{ types: string[] }>[];
  return present(results[1]?.rows[0], "the statement that was prepared").types;
}

/** A ring of pipelined connections; one that is lost is replaced at its next turn. */
class PipelinedLines {
  readonly #config: pg.ClientConfig;
  readonly #clients: (pg.Client | undefined)[];
  readonly #settings: readonly string[];
  readonly #connecting = new Set<number>();
  #turn = 0;
  #closed = false;

  constructor(config: pg.ClientConfig, size: number, settings: readonly string[] = []) {
    this.#config = config;
    this.#settings = settings;
    this.#clients = new Array(size).fill(undefined);
  }

  async open(): Promise<void> {
    await Promise.all(this.#clients.map((_, slot) => this.#connect(slot)));
  }

  next(): pg.Client {
    this.#turn = (this.#turn + 1) % this.#clients.length;
    const client = this.#clients[this.#turn];
    if (client) return client;
    void this.#reconnect(this.#turn);
    const other = this.#clients.find((candidate) => candidate !== undefined);
    if (!other) throw new Error("the database is not reachable");
    return other;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#clients.map((client) => client?.end()));
  }

  async #connect(slot: number): Promise<void> {
    const client = new pg.Client(this.#config);
    client.on("error", () => {
      if (this.#clients[slot] !== client) return;
      this.#clients[slot] = undefined;
      setTimeout(() => void this.#reconnect(slot), 100).unref();
    });
    await client.connect();
    for (const setting of this.#settings) await client.query(setting);
    if (this.#closed) await client.end();
    else this.#clients[slot] = client;
  }

  /** Connects a slot unless that has been done, or is being done: it has one connection. */
  async #reconnect(slot: number): Promise<void> {
    if (this.#clients[slot] || this.#connecting.has(slot) || this.#closed) return;
    this.#connecting.add(slot);
    try {
      await this.#connect(slot);
    } catch {
      setTimeout(() => void this.#reconnect(slot), 500).unref();
    } finally {
      this.#connecting.delete(slot);
    }
  }
}

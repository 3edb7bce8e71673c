import type { Socket } from "node:net";
import pg from "pg";
import { sha256 } from "#src/lib/hash.ts";
import type { Database, Queryable } from "./database.ts";
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
 * five times a plain pool on point reads); transactions each take a connection of their own.
 */
export async function openPostgres(url: string, connections = 4): Promise<Database> {
  const config = { connectionString: url, types, application_name: "aldgate" };
  const pool = new pg.Pool({ ...config, max: connections });
  // the next use reconnects: an idle connection's loss is no fault
  pool.on("error", () => undefined);
  const lines = new PipelinedLines({ ...config, pipeline: true } as pg.ClientConfig, connections);
  await lines.open();
  return {
    kind: "postgres",
    query: <Row>(statement: Sql) => on(lines.next()).query<Row>(statement),
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
      await Promise.all([lines.close(), pool.end()]);
    },
  };
}

/**
 * A ring of pipelined connections; one that is lost is replaced at its next turn. The statements of
 * one turn of the event loop go down a connection in one write.
 */
class PipelinedLines {
  readonly #config: pg.ClientConfig;
  readonly #clients: (pg.Client | undefined)[];
  readonly #gathering = new Set<pg.Client>();
  #turn = 0;
  #closed = false;

  constructor(config: pg.ClientConfig, size: number) {
    this.#config = config;
    this.#clients = new Array(size).fill(undefined);
  }

  async open(): Promise<void> {
    await Promise.all(this.#clients.map((_, slot) => this.#connect(slot)));
  }

  next(): pg.Client {
    this.#turn = (this.#turn + 1) % this.#clients.length;
    const client = this.#clients[this.#turn];
    if (client) return this.#gather(client);
    void this.#connect(this.#turn).catch(() => undefined);
    const other = this.#clients.find((candidate) => candidate !== undefined);
    if (!other) throw new Error("the database is not reachable");
    return other;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#clients.map((client) => client?.end()));
  }

  #gather(client: pg.Client): pg.Client {
    if (this.#gathering.has(client)) return client;
    this.#gathering.add(client);
    // not in the driver's types, though its documentation shows it
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    setImmediate(() => {
      this.#gathering.delete(client);
      stream.uncork();
    });
    return client;
  }

  async #connect(slot: number): Promise<void> {
    const client = new pg.Client(this.#config);
    client.on("error", () => {
      if (this.#clients[slot] === client) this.#clients[slot] = undefined;
      if (!this.#closed) setTimeout(() => void this.#reconnect(slot), 100).unref();
    });
    await client.connect();
    this.#clients[slot] = client;
  }

  async #reconnect(slot: number): Promise<void> {
    if (this.#clients[slot] || this.#closed) return;
    await this.#connect(slot).catch(() => {
      setTimeout(() => void this.#reconnect(slot), 500).unref();
    });
  }
}

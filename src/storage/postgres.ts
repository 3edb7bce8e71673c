import pg from "pg";
import { present } from "#src/lib/assert.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import {
  Connection,
  clientConfig,
  closeMs,
  defaultLimits,
  type PostgresLimits,
} from "./connection.ts";
import type { Database } from "./database.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { asOutage } from "./outage.ts";
import { PipelinedConnections } from "./pipelined-connections.ts";
import { checkPrimary, readPrimary } from "./primary.ts";
import { ServerWatch } from "./server-watch.ts";
import { sharedReadLimits, shareReads } from "./shared-reads.ts";
import { workAlone } from "./sole-session.ts";
import { StandbyReads } from "./standby-reads.ts";

// The maximum number of transactions waiting for a connection, per connection.
const manyWaiting = 250;

// a plan for a known number of calls looks cheaper than a generic plan, so the server would plan
// at every execution, which takes ten times as long as the execution
const sharedSettings = [
  "set plan_cache_mode = force_generic_plan",
  // otherwise, the plan of a join with a nearly empty table could read the whole table
  "set enable_mergejoin = off",
];

/**
 * Opens a PostgreSQL server, or the primary of several. Single statements share a few pipelined
 * connections (measured at five times the throughput of a plain pool on point reads), and reads
 * that several requests share have a few more. Each transaction uses a separate connection.
 * `readUrl` names the standbys for `readOnStandby`, which need not be there yet. Throws Unavailable
 * if no server is available, and DatabaseUrlError.
 */
export async function openPostgres(
  url: string,
  connections = 4,
  given: Partial<PostgresLimits> = {},
  readUrl?: string,
): Promise<Database> {
  const limits = { ...defaultLimits, ...given };
  const hosts = parseDatabaseUrl(url);
  const wanted = { hosts: hosts.hosts, check: checkPrimary(hosts) };
  const primary = new ServerWatch(wanted, limits, () => {
    single.refill();
    shared.refill();
  });
  const single = new PipelinedConnections(primary, limits, connections);
  const readers = Math.min(connections, sharedReadLimits.batches);
  const shared = new PipelinedConnections(primary, limits, readers, sharedSettings);
  const transactions = new TransactionConnections(primary, limits, connections);
  const standbys = openStandbys(readUrl, single, limits, { connections, readers });
  const close = async (): Promise<void> => {
    const parts = [single.close(), shared.close(), transactions.close(), standbys?.close()];
    await Promise.all([...parts, primary.close()]);
  };
  try {
    await primary.open();
    await Promise.all([single.open(), shared.open()]);
  } catch (error) {
    await close();
    throw error;
  }
  standbys?.open();
  const loadTypes = (text: string) =>
    transactions.use((connection) => loadParameterTypes(connection, text));
  const read = shareReads({ alone: single, shared }, loadTypes);
  const database: Database = {
    kind: "postgres",
    query: (statement) => single.query(statement),
    read,
    readOnStandby: standbys
      ? shareReads(
          { alone: standbys.on("alone", single), shared: standbys.on("shared", shared) },
          loadTypes,
          standbys.limits,
        )
      : read,
    standbyUse: () => standbys?.use ?? null,
    transaction: (work) => transactions.use((connection) => connection.transaction(work)),
    execute: (text) => transactions.use(async (connection) => void (await connection.run(text))),
    alone: (purpose, work, onWaiting) =>
      workAlone({ database, primary, limits }, purpose, work, onWaiting),
    probe: () => primary.probe(),
    close,
  };
  return database;
}

function openStandbys(
  url: string | undefined,
  primary: PipelinedConnections,
  limits: PostgresLimits,
  { connections, readers }: { connections: number; readers: number },
): StandbyReads | undefined {
  if (url === undefined) return undefined;
  return new StandbyReads(parseDatabaseUrl(url, "reads").hosts, readPrimary(primary), limits, {
    alone: { size: connections },
    shared: { size: readers, settings: sharedSettings },
  });
}

/** The types of a statement's parameters, in the server's names for them. */
async function loadParameterTypes(connection: Connection, text: string): Promise<string[]> {
  // several statements in one message have several results
  const results = (await connection.run(`prepare parameters as ${text};
    select parameter_types::text[] as types from pg_prepared_statements where name = 'parameters';
    deallocate parameters`)) as unknown as pg.QueryResult<{ types: string[] }>[];
  return present(results[1]?.rows[0], "the statement that was prepared").types;
}

/** Connections that each serve one caller at a time. */
class TransactionConnections {
  readonly #primary: ServerWatch;
  readonly #pool: pg.Pool;
  readonly #connections = new Map<pg.PoolClient, Connection>();
  readonly #most: number;

  constructor(primary: ServerWatch, limits: PostgresLimits, size: number) {
    this.#primary = primary;
    this.#most = size * manyWaiting;
    // the pool knows one server, which may be replaced
    class PrimaryClient extends pg.Client {
      readonly server = primary.host;
      constructor() {
        super(clientConfig(primary.host, limits));
      }
    }
    this.#pool = new pg.Pool({
      max: size,
      connectionTimeoutMillis: limits.waitSeconds * 1000,
      Client: PrimaryClient as unknown as new () => pg.Client,
    } as pg.PoolConfig);
    // losing an idle connection is not an error: the next use opens another one
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      const { server } = client as unknown as PrimaryClient;
      const onLost = (lost: Connection) => {
        this.#connections.delete(client);
        primary.forget(lost);
      };
      const connection = new Connection(client as unknown as pg.Client, server, limits, { onLost });
      this.#connections.set(client, connection);
      primary.watch(connection);
    });
  }

  /** Runs `work` on a connection that nobody else uses. Throws Unavailable if none is free. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#pool.waitingCount >= this.#most) {
      throw new Unavailable("database", "too many transactions are waiting for a connection", {
        retryAfterSeconds: 1,
      });
    }
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw asOutage(error, true);
    });
    const connection = this.#connections.get(client);
    try {
      if (!connection) throw this.#primary.absence(); // it was lost immediately
      return await work(connection);
    } finally {
      client.release(connection?.isLost ?? true);
    }
  }

  /** Closes every connection, and cuts those that the server does not close. */
  async close(): Promise<void> {
    const timer = setTimeout(() => {
      for (const connection of this.#connections.values())
        connection.giveUp("the database is closed");
    }, closeMs);
    await this.#pool.end();
    clearTimeout(timer);
  }
}

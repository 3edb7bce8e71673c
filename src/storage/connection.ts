import pg from "pg";
import { sha256 } from "#src/lib/hash.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { Host } from "./database-url.ts";
import { asOutage, isStandby } from "./outage.ts";
import type { Sql } from "./sql.ts";
import { KnownColumns, StatementQuery } from "./statement-query.ts";
import { columnParsers } from "./values.ts";

/** How long the database may take; in seconds, 0 for no limit. */
export type PostgresLimits = {
  /** For a server to accept a connection, and to answer a probe. At least 1. */
  connectSeconds: number;
  /** For one statement. */
  statementSeconds: number;
  /** For one transaction, from its begin to the answer to its commit. */
  transactionSeconds: number;
  /** For a lock that another session holds. */
  lockSeconds: number;
  /** For a free connection. At least 1. */
  waitSeconds: number;
  /** Between two probes of idle connections. At least 1. */
  probeSeconds: number;
};

/** The limits unless the configuration has others. */
export const defaultLimits: PostgresLimits = {
  connectSeconds: 5,
  statementSeconds: 30,
  transactionSeconds: 300,
  lockSeconds: 10,
  waitSeconds: 10,
  probeSeconds: 5,
};

// The maximum number of statements waiting for one connection: more would only fill memory.
const manyUnanswered = 2000;

const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    columnParsers[oid] ?? pg.types.getTypeParser(oid, format as "text"),
} as pg.CustomTypesConfig;

// The server makes the plan of a statement once for each connection. A plan that it made while a
// table was nearly empty reads the whole table, and stays until the server has new statistics. So
// plans use indexes wherever there is one. Plans without an index look expensive because of this
// setting, so the server would compile them: the compiler is off.
const planner = { enable_seqscan: "off", jit: "off" };

/** What a server sets for a connection: also a limit of 0, because its role may have another. */
const sessionOptions = (limits: PostgresLimits): string =>
  Object.entries({
    ...planner,
    statement_timeout: limits.statementSeconds * 1000,
    lock_timeout: limits.lockSeconds * 1000,
    idle_in_transaction_session_timeout: limits.transactionSeconds * 1000,
  })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** The driver's settings for a connection to a server. */
export const clientConfig = ({ url }: Host, limits: PostgresLimits): pg.ClientConfig => ({
  connectionString: url,
  types,
  application_name: "aldgate",
  options: sessionOptions(limits),
  connectionTimeoutMillis: limits.connectSeconds * 1000,
  keepAlive: true,
  keepAliveInitialDelayMillis: limits.probeSeconds * 1000,
});

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = sha256(text).slice(0, 24);
    names.set(text, name);
  }
  return name;
}

/** The purpose of a connection. */
type ConnectionOptions = {
  /** Whether statements are sent before earlier ones are answered. */
  pipeline?: boolean;
  /** Called once, when the connection is lost, given up or closed. */
  onLost?: (connection: Connection) => void;
};

/**
 * One connection and its state. It never emits an error. If the connection is lost or does not
 * respond, its waiting statements fail with Unavailable.
 */
export class Connection {
  readonly host: Host;
  readonly #client: pg.Client;
  readonly #limits: PostgresLimits;
  readonly #pipeline: boolean;
  readonly #onLost: (connection: Connection) => void;
  readonly #columns = new KnownColumns();
  #unanswered = 0;
  /** The time of its last response, or the time at which the oldest waiting statement was sent. */
  #progressAt = 0;
  #probes = 0;
  #transactionAt: number | null = null;
  #isLost = false;

  constructor(
    client: pg.Client,
    host: Host,
    limits: PostgresLimits,
    options: ConnectionOptions = {},
  ) {
    this.#client = client;
    this.host = host;
    this.#limits = limits;
    this.#pipeline = options.pipeline ?? false;
    this.#onLost = options.onLost ?? (() => undefined);
    // without a listener an error would end the process
    client.on("error", () => this.#lose());
    client.on("end", () => this.#lose());
  }

  /** Connects to a server within the time limit. Throws Unavailable. */
  static async connect(
    host: Host,
    limits: PostgresLimits,
    options: ConnectionOptions = {},
  ): Promise<Connection> {
    const { pipeline = false } = options;
    const config = { ...clientConfig(host, limits), pipeline } as pg.ClientConfig;
    const client = new pg.Client(config);
    const connection = new Connection(client, host, limits, options);
    try {
      await client.connect();
    } catch (error) {
      streamOf(client).destroy();
      throw asOutage(error, true);
    }
    return connection;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether no statement waits for its answer. */
  get isIdle(): boolean {
    return this.#unanswered === 0;
  }

  // Every statement of every request runs through these two functions, so they create as few
  // promises as possible.

  /** Runs a statement and returns its rows. */
  async query<Row>({ text, values }: Sql): Promise<Row[]> {
    const named = { name: nameOf(text), text, values };
    this.#begin();
    try {
      const { rows } = await new Promise<pg.QueryResult>((resolve, reject) => {
        const query = new StatementQuery(named, this.#columns, (error, result) =>
          error ? reject(error) : resolve(result),
        );
        this.#client.query(query as unknown as pg.Submittable);
      });
      return rows as Row[]; // the caller knows what it selects
    } catch (error) {
      // the stack leads to the socket, and should lead to the caller
      if (error instanceof Error) Error.captureStackTrace(error);
      throw this.#fault(error);
    } finally {
      this.#end();
    }
  }

  /** Runs text of one statement or several, without values. */
  async run(text: string): Promise<pg.QueryResult> {
    this.#begin();
    try {
      return await this.#client.query(text);
    } catch (error) {
      throw this.#fault(error);
    } finally {
      this.#end();
    }
  }

  #begin(): void {
    if (this.#unanswered >= manyUnanswered) throw tooMuch();
    if (this.#unanswered === 0) this.#progressAt = performance.now();
    this.#unanswered += 1;
  }

  #end(): void {
    this.#unanswered -= 1;
    this.#progressAt = performance.now();
  }

  #fault(error: unknown): unknown {
    if (isStandby(error)) this.giveUp("the server is read-only: it is not the primary");
    return asOutage(error, this.#isLost);
  }

  /**
   * Runs `work` between begin and commit. If the response to the commit is lost, throws
   * Unavailable.
   */
  async transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#transactionAt = performance.now();
    try {
      await this.run("begin");
      const result = await work(this);
      await this.run("commit");
      return result;
    } catch (error) {
      // a connection that could not be rolled back is not used again, so it commits nothing
      if (!this.#isLost) {
        await this.run("rollback").catch(() =>
          this.giveUp("the transaction cannot be rolled back"),
        );
      }
      throw error;
    } finally {
      this.#transactionAt = null;
    }
  }

  /**
   * Resolves when the server responds. If it does not respond in time, `judge` gives up the
   * connection.
   */
  async probe(): Promise<void> {
    this.#probes += 1;
    try {
      await this.run("select 1");
    } finally {
      this.#probes -= 1;
    }
  }

  /** Probes a pipelined connection that has nothing else to do. */
  probeIdle(): void {
    if (this.#isLost || !this.#pipeline || this.#unanswered > 0) return;
    this.probe().catch(() => undefined);
  }

  /** Gives up the connection if it has not answered for too long. */
  judge(): void {
    const { connectSeconds, statementSeconds, transactionSeconds } = this.#limits;
    const now = performance.now();
    // the server enforces the time limit of a statement; this is for a server that does not
    const silence = this.#probes > 0 ? connectSeconds : statementSeconds && statementSeconds + 1;
    if (this.#unanswered > 0 && isPast(now, this.#progressAt, silence)) {
      this.giveUp(`no answer within ${silence} s`);
    } else if (
      this.#transactionAt !== null &&
      isPast(now, this.#transactionAt, transactionSeconds)
    ) {
      this.giveUp(`a transaction took longer than ${transactionSeconds} s`);
    }
  }

  /**
   * Cuts the connection. Its waiting statements fail, and the server rolls back what is not
   * committed.
   */
  giveUp(reason: string): void {
    if (this.#isLost) return;
    this.#lose();
    streamOf(this.#client).destroy(new Error(`${this.host.name}: ${reason}`));
  }

  /** Closes the connection properly, or cuts it if the server does not cooperate. */
  async close(): Promise<void> {
    const timer = setTimeout(() => streamOf(this.#client).destroy(), closeMs);
    await this.#client.end().catch(() => undefined);
    clearTimeout(timer);
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#onLost(this);
  }
}

/** How long a server may take to close a connection. */
export const closeMs = 2000;

const isPast = (now: number, since: number, seconds: number): boolean =>
  seconds > 0 && now - since > seconds * 1000;

const tooMuch = (): Unavailable =>
  new Unavailable("database", "too many statements are waiting for the database", {
    retryAfterSeconds: 1,
  });

// The driver's types hide the socket, and it has no other way to end a connection without asking
// the server.
const streamOf = (client: pg.ClientBase): { destroy(error?: Error): void } =>
  (client as unknown as { connection: { stream: { destroy(error?: Error): void } } }).connection
    .stream;

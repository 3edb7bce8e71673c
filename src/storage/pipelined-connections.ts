import { Connection, type PostgresLimits } from "./connection.ts";
import type { ServerWatch } from "./server-watch.ts";
import type { Sql } from "./sql.ts";

const pauseMs = 500;

/** A ring of pipelined connections. A lost connection is replaced immediately. */
export class PipelinedConnections {
  readonly #server: ServerWatch;
  readonly #limits: PostgresLimits;
  readonly #connections: (Connection | undefined)[];
  readonly #settings: readonly string[];
  readonly #connecting = new Map<number, Promise<void>>();
  #turn = 0;
  #closed = false;

  /** `settings` are statements that each connection begins with. */
  constructor(
    server: ServerWatch,
    limits: PostgresLimits,
    size: number,
    settings: readonly string[] = [],
  ) {
    this.#server = server;
    this.#limits = limits;
    this.#settings = settings;
    this.#connections = new Array(size).fill(undefined);
  }

  /** Connects every slot that has no connection. Throws Unavailable. */
  async open(): Promise<void> {
    await Promise.all(this.#connections.map((_, slot) => this.#connect(slot)));
  }

  /** Runs a statement. Rejects with Unavailable when there is no connection. */
  query<Row>(statement: Sql): Promise<Row[]> {
    const connection = this.pick();
    return connection ? connection.query<Row>(statement) : Promise.reject(this.#server.absence());
  }

  /**
   * The connection for the next statement: the first idle one, or the next one if all are busy.
   * Taking turns while one connection would do costs more: each of the server's processes then
   * finds its own plans and catalogue out of the processor's cache.
   */
  pick(): Connection | undefined {
    return this.#connections.find((each) => each?.isIdle) ?? this.#next();
  }

  #next(): Connection | undefined {
    this.#turn = (this.#turn + 1) % this.#connections.length;
    return this.#connections[this.#turn] ?? this.#connections.find((other) => other !== undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#connections.map((connection) => connection?.close()));
  }

  /** Replaces lost connections once the server is known. */
  refill(): void {
    for (const slot of this.#connections.keys()) this.#replace(slot);
  }

  #replace(slot: number): void {
    if (this.#closed || !this.#server.isKnown) return;
    this.#connect(slot).catch(() => setTimeout(() => this.#replace(slot), pauseMs).unref());
  }

  /** Connects a slot, unless it is connected or connecting already. */
  #connect(slot: number): Promise<void> {
    if (this.#connections[slot] || this.#closed) return Promise.resolve();
    let connecting = this.#connecting.get(slot);
    if (!connecting) {
      connecting = this.#fill(slot).finally(() => this.#connecting.delete(slot));
      this.#connecting.set(slot, connecting);
    }
    return connecting;
  }

  async #fill(slot: number): Promise<void> {
    const onLost = (connection: Connection) => {
      this.#server.forget(connection);
      if (this.#connections[slot] !== connection) return;
      this.#connections[slot] = undefined;
      this.#replace(slot);
    };
    const { host } = this.#server;
    const connection = await Connection.connect(host, this.#limits, { pipeline: true, onLost });
    this.#server.watch(connection);
    for (const setting of this.#settings) await connection.run(setting);
    if (connection.isLost) throw this.#server.absence();
    if (this.#closed) await connection.close();
    else this.#connections[slot] = connection;
  }
}

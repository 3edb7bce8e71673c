import { Connection, type PostgresLimits } from "./connection.ts";
import type { Primary } from "./primary.ts";
import type { Sql } from "./sql.ts";

const pauseMs = 500;

/** A ring of pipelined connections. A lost connection is replaced immediately. */
export class PipelinedConnections {
  readonly #primary: Primary;
  readonly #limits: PostgresLimits;
  readonly #connections: (Connection | undefined)[];
  readonly #settings: readonly string[];
  readonly #connecting = new Map<number, Promise<void>>();
  #turn = 0;
  #closed = false;

  /** `settings` are statements that each connection begins with. */
  constructor(
    primary: Primary,
    limits: PostgresLimits,
    size: number,
    settings: readonly string[] = [],
  ) {
    this.#primary = primary;
    this.#limits = limits;
    this.#settings = settings;
    this.#connections = new Array(size).fill(undefined);
  }

  /** Connects every slot that has no connection. Throws Unavailable. */
  async open(): Promise<void> {
    await Promise.all(this.#connections.map((_, slot) => this.#connect(slot)));
  }

  /**
   * Runs a statement on the first idle connection, or on the next one if all are busy. Rejects with
   * Unavailable when there is none. Taking turns while one connection would do costs more: each of
   * the server's processes then finds its own plans and catalogue out of the processor's cache.
   */
  query<Row>(statement: Sql): Promise<Row[]> {
    const connection = this.#connections.find((each) => each?.isIdle) ?? this.#next();
    return connection ? connection.query<Row>(statement) : Promise.reject(this.#primary.absence());
  }

  #next(): Connection | undefined {
    this.#turn = (this.#turn + 1) % this.#connections.length;
    return this.#connections[this.#turn] ?? this.#connections.find((other) => other !== undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#connections.map((connection) => connection?.close()));
  }

  /** Replaces lost connections once a primary is known. */
  refill(): void {
    for (const slot of this.#connections.keys()) this.#replace(slot);
  }

  #replace(slot: number): void {
    if (this.#closed || !this.#primary.isKnown) return;
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
      this.#primary.forget(connection);
      if (this.#connections[slot] !== connection) return;
      this.#connections[slot] = undefined;
      this.#replace(slot);
    };
    const { host } = this.#primary;
    const connection = await Connection.connect(host, this.#limits, { pipeline: true, onLost });
    this.#primary.watch(connection);
    for (const setting of this.#settings) await connection.run(setting);
    if (connection.isLost) throw this.#primary.absence();
    if (this.#closed) await connection.close();
    else this.#connections[slot] = connection;
  }
}

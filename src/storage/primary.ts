import { Unavailable } from "#src/lib/unavailable.ts";
import { Connection, type PostgresLimits } from "./connection.ts";
import type { Host, Hosts } from "./database-url.ts";
import { sql } from "./sql.ts";

const pauseMs = 500;
const judgeMs = 1000;

/**
 * Knows which server is the primary, and watches every connection to it. A pulse on a dedicated
 * connection distinguishes a silent server from a long statement. If the primary is lost, it
 * searches for another one until it succeeds, and cuts the connections to the old one.
 */
export class Primary {
  readonly #hosts: Hosts;
  readonly #limits: PostgresLimits;
  readonly #onFound: () => void;
  readonly #connections = new Set<Connection>();
  /** The server that was found last. */
  #host: Host;
  #pulse: Connection | null = null;
  #reason = "the search has not begun";
  #search: Promise<void> | null = null;
  #beats: NodeJS.Timeout[] = [];
  #closed = false;

  /** `onFound` is called whenever a primary is found again. */
  constructor(hosts: Hosts, limits: PostgresLimits, onFound: () => void) {
    this.#hosts = hosts;
    this.#limits = limits;
    this.#onFound = onFound;
    [this.#host] = hosts.hosts;
  }

  /** Finds the primary and watches it. Throws Unavailable with what each server said. */
  async open(): Promise<void> {
    await this.#find();
    const { probeSeconds } = this.#limits;
    const beats = [
      setInterval(() => this.#beat(), probeSeconds * 1000),
      judgeRegularly(() => {
        this.#pulse?.judge();
        for (const connection of this.#connections) connection.judge();
      }),
    ];
    for (const beat of beats) beat.unref();
    this.#beats = beats;
  }

  /** The server to connect to: the primary, or the last known one. */
  get host(): Host {
    return this.#host;
  }

  /** Whether a primary is known. */
  get isKnown(): boolean {
    return this.#pulse !== null;
  }

  /** The error of a call that needs the primary while there is none. */
  absence(): Unavailable {
    return new Unavailable("database", `the database cannot be reached: ${this.#reason}`, {
      retryAfterSeconds: this.#limits.connectSeconds,
    });
  }

  /** Watches a connection until it is lost. */
  watch(connection: Connection): void {
    if (connection.isLost) return;
    this.#connections.add(connection);
    // the search may have ended while this one was connecting
    if (this.isKnown && connection.host !== this.#host)
      connection.giveUp("it is no longer the primary");
  }

  /** Forgets a connection. A lost connection may mean that the primary has changed. */
  forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#beat();
  }

  /** Resolves if the primary answers in time; throws Unavailable. */
  async probe(): Promise<void> {
    if (!this.#pulse) throw this.absence();
    await this.#pulse.probe();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const beat of this.#beats) clearInterval(beat);
    await Promise.all([this.#pulse?.close(), this.#search]);
  }

  #beat(): void {
    this.#pulse?.probeIdle();
    for (const connection of this.#connections) connection.probeIdle();
  }

  #lose(): void {
    this.#pulse = null;
    this.#reason = `${this.#host.name} was lost`;
    if (!this.#closed) void this.#lookUntilFound();
  }

  // Connections to the old primary may still work during the search: losing one connection does not
  // mean that the others are lost.
  async #lookUntilFound(): Promise<void> {
    this.#search ??= (async () => {
      while (!this.#closed && !this.#pulse) {
        await this.#find().catch(() => this.#cut());
        if (!this.#pulse) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      this.#search = null;
    })();
    await this.#search;
  }

  async #find(): Promise<void> {
    const reasons: string[] = [];
    const asked = this.#hosts.hosts.map((host) =>
      this.#ask(host).catch((error: Error) => {
        const { message } = error.cause instanceof Error ? error.cause : error;
        reasons.push(`${host.name}: ${message}`);
        return null;
      }),
    );
    // all servers are asked at the same time; the first in the list that can serve is chosen
    const found = await firstOf(asked);
    void Promise.all(asked).then((all) => {
      for (const connection of all) if (connection && connection !== found) void connection.close();
    });
    if (!found) {
      this.#reason = reasons.join("; ");
      throw this.absence();
    }
    if (this.#closed) return found.close();
    this.#host = found.host;
    this.#pulse = found;
    if (found.isLost) return this.#lose();
    this.#cut();
    this.#onFound();
  }

  /** Cuts every connection that is not to the primary. */
  #cut(): void {
    for (const connection of this.#connections) {
      if (!this.#pulse || connection.host !== this.#host) connection.giveUp("the primary was lost");
    }
  }

  async #ask(host: Host): Promise<Connection> {
    const connection = await Connection.connect(host, this.#limits, {
      pipeline: true,
      onLost: (lost) => {
        if (lost === this.#pulse) this.#lose();
      },
    });
    const timer = judgeRegularly(() => connection.judge());
    try {
      const asked = connection.query<{ readsOnly: boolean }>(sql`
        select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean
          as "readsOnly"`);
      const [row] = await asked;
      if (row?.readsOnly && this.#hosts.mustWrite) {
        throw new Error("it is read-only: it is a standby");
      }
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
}

/**
 * Judges connections at intervals. After a pause of the process, timers run before it reads the
 * answers that arrived during the pause. So each judgement waits until the answers have been read.
 */
const judgeRegularly = (judge: () => void): NodeJS.Timeout =>
  setInterval(() => setImmediate(judge), judgeMs);

/** Returns the first server in the list that responds, as soon as those before it have failed. */
async function firstOf<T>(asked: readonly Promise<T | null>[]): Promise<T | null> {
  for (const one of asked) {
    const answer = await one;
    if (answer) return answer;
  }
  return null;
}

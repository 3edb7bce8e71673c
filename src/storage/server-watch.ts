import { Unavailable } from "#src/lib/unavailable.ts";
import { Connection, type PostgresLimits } from "./connection.ts";
import type { Host } from "./database-url.ts";

const pauseMs = 500;
const judgeMs = 1000;

/** The servers among which one is searched for. */
type Search = {
  hosts: readonly [Host, ...Host[]];
  /** Throws if the server of a connection is not the wanted one. The message says why. */
  check(connection: Connection): Promise<void>;
};

/**
 * Knows which server to use, such as the primary, and watches every connection to it. A pulse on a
 * dedicated connection distinguishes a silent server from a long statement. If the server is lost,
 * it searches for another one until it succeeds, and cuts the connections to the old one.
 */
export class ServerWatch {
  readonly #wanted: Search;
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

  /** `onFound` is called whenever a server is found. */
  constructor(wanted: Search, limits: PostgresLimits, onFound: () => void) {
    this.#wanted = wanted;
    this.#limits = limits;
    this.#onFound = onFound;
    [this.#host] = wanted.hosts;
  }

  /** Finds the server and watches it. Throws Unavailable with what each server said. */
  async open(): Promise<void> {
    await this.#find();
    this.#begin();
  }

  /** Searches for the server until it is found, and watches it. */
  openLater(): void {
    this.#begin();
    void this.#lookUntilFound();
  }

  #begin(): void {
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

  /** The server to connect to: the one in use, or the last known one. */
  get host(): Host {
    return this.#host;
  }

  /** Whether a server has been found and not lost. */
  get isKnown(): boolean {
    return this.#pulse !== null;
  }

  /** Why no server is in use. */
  get reason(): string {
    return this.#reason;
  }

  /** The error of a call that needs the server while there is none. */
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
      connection.giveUp("another server is in use");
  }

  /** Forgets a connection. A lost connection may mean that the server is lost. */
  forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#beat();
  }

  /** Leaves the server in use, and searches again. */
  leave(reason: string): void {
    this.#pulse?.giveUp(reason);
  }

  /** Resolves if the server answers in time; throws Unavailable. */
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

  // Connections to the old server may still work during the search: losing one connection does not
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
    const asked = this.#wanted.hosts.map((host) =>
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

  /** Cuts every connection that is not to the server in use. */
  #cut(): void {
    for (const connection of this.#connections) {
      if (!this.#pulse || connection.host !== this.#host) connection.giveUp("the server was lost");
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
      await this.#wanted.check(connection);
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

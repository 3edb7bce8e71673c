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
  /** The servers that cannot serve, with their reasons, since the one in use was lost. */
  readonly #failed = new Map<Host, string>();
  #reason = "the search has not begun";
  /** The servers that are asked again and again. */
  readonly #looking = new Map<Host, Promise<void>>();
  #comparing: Promise<void> | undefined;
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
    const asked = this.#wanted.hosts.map(async (host) => {
      if (!(await this.#try(host))) throw new Error(`${host.name} cannot serve`);
    });
    await Promise.any(asked).catch(() => {
      throw this.absence();
    });
    this.#begin();
  }

  /** Searches for the server until it is found, and watches it. */
  openLater(): void {
    this.#begin();
    this.#look();
  }

  #begin(): void {
    const { probeSeconds } = this.#limits;
    const beats = [
      setInterval(() => {
        this.#beat();
        this.#comparing ??= this.#compare().finally(() => {
          this.#comparing = undefined;
        });
      }, probeSeconds * 1000),
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
    await Promise.all([this.#pulse?.close(), this.#comparing, ...this.#looking.values()]);
  }

  #beat(): void {
    this.#pulse?.probeIdle();
    for (const connection of this.#connections) connection.probeIdle();
  }

  /** Asks the other servers whether one of them has taken the place of the one in use. */
  async #compare(): Promise<void> {
    for (const host of this.#wanted.hosts) {
      const pulse = this.#pulse;
      if (!pulse || this.#closed || host === pulse.host) continue;
      const other = await this.#ask(host).catch(() => null);
      if (!other) continue;
      void other.close();
      await this.#wanted.check(pulse).catch((error) => pulse.giveUp((error as Error).message));
    }
  }

  #lose(): void {
    this.#pulse = null;
    this.#failed.clear();
    this.#reason = `${this.#host.name} was lost`;
    this.#look();
  }

  #look(): void {
    for (const host of this.#wanted.hosts) {
      if (this.#closed || this.#looking.has(host)) continue;
      const looking = this.#lookAt(host).finally(() => this.#looking.delete(host));
      this.#looking.set(host, looking);
    }
  }

  // Each server is asked again in its own time, so that a silent one delays nobody. Connections to
  // the old server may still work during the search: losing one connection does not mean that the
  // others are lost.
  async #lookAt(host: Host): Promise<void> {
    while (!this.#closed && !this.#pulse) {
      if (await this.#try(host)) continue;
      if (this.#failed.size === this.#wanted.hosts.length) this.#cut();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Asks a server. If it is the first that can serve, it is used. */
  async #try(host: Host): Promise<boolean> {
    try {
      const found = await this.#ask(host);
      if (this.#closed || this.#pulse) await found.close();
      else this.#take(found);
      return true;
    } catch (error) {
      const { cause = error } = error as Error;
      this.#failed.set(host, `${host.name}: ${(cause as Error).message}`);
      if (!this.#pulse) this.#reason = [...this.#failed.values()].join("; ");
      return false;
    }
  }

  #take(found: Connection): void {
    this.#host = found.host;
    this.#pulse = found;
    if (found.isLost) {
      this.#lose();
      return;
    }
    this.#failed.clear();
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

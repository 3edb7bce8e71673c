import { connect, type Socket } from "node:net";

// Sends requests on few connections, and reads only the status and length of each response, so that
// the load costs little beside the bank.

const headEnd = Buffer.from("\r\n\r\n");
const reconnectAfter = 50;

type Waiting = { request: string; done(status: number): void };

/** Connections to a port on loopback that share a queue of requests. */
export class RawRequests {
  readonly #port: number;
  readonly #queue: Waiting[] = [];
  readonly #idle = new Set<Connection>();
  readonly #open = new Set<Connection>();
  #isClosed = false;

  /**
   * Opens so many connections, and opens them again when they are lost. They come from so many
   * addresses on loopback in turns, for which only Linux has more than one.
   */
  constructor(port: number, connections: number, addresses = 1) {
    this.#port = port;
    for (let number = 0; number < connections; number += 1) {
      this.#connect(`127.0.0.${1 + (number % addresses)}`);
    }
  }

  /** Whether the port accepts connections. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Sends a request when a connection is free. Resolves to the status, 0 if there is no answer. */
  send(request: string): Promise<number> {
    return new Promise((done) => {
      const [free] = this.#idle;
      if (!free) return void this.#queue.push({ request, done });
      this.#idle.delete(free);
      free.send({ request, done });
    });
  }

  /** Gives up the requests that wait for a connection. */
  giveUp(): void {
    for (const { done } of this.#queue.splice(0)) done(0);
  }

  close(): void {
    this.#isClosed = true;
    for (const connection of this.#open) connection.socket.destroy();
  }

  #connect(localAddress: string): void {
    if (this.#isClosed) return;
    const socket = connect({ port: this.#port, host: "127.0.0.1", localAddress });
    const connection = new Connection(socket, () => {
      const next = this.#queue.shift();
      if (next) connection.send(next);
      else this.#idle.add(connection);
    });
    connection.socket.on("connect", () => this.#open.add(connection));
    connection.socket.on("close", () => {
      this.#open.delete(connection);
      this.#idle.delete(connection);
      if (!this.isOpen) this.giveUp();
      setTimeout(() => this.#connect(localAddress), reconnectAfter);
    });
  }
}

/** One connection, with at most one request in progress. */
class Connection {
  readonly socket: Socket;
  readonly #free: () => void;
  #done: ((status: number) => void) | null = null;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #missing = -1;

  constructor(socket: Socket, free: () => void) {
    this.socket = socket;
    this.#free = free;
    socket.setNoDelay(true);
    socket.on("connect", free);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => undefined); // `close` follows
    socket.on("close", () => this.#finish(0));
  }

  send({ request, done }: Waiting): void {
    this.#done = done;
    this.#missing = -1;
    this.#head = Buffer.alloc(0);
    this.socket.write(request);
  }

  #finish(status: number): void {
    const done = this.#done;
    this.#done = null;
    done?.(status);
  }

  #receive(chunk: Buffer): void {
    if (this.#missing >= 0) {
      this.#missing -= chunk.length;
    } else {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(headEnd);
      if (end < 0) return;
      const text = this.#head.toString("latin1", 0, end);
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      if (length === undefined) return void this.socket.destroy(new Error("no content-length"));
      this.#status = Number(text.slice(9, 12));
      this.#missing = Number(length) - (this.#head.length - end - headEnd.length);
    }
    if (this.#missing > 0) return;
    this.#finish(this.#status);
    this.#free();
  }
}

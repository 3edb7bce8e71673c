import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";

/** The number of connections that the listeners keep open together and for each address. */
export type ConnectionLimits = { total: number; perAddress: number };

/**
 * The time that a peer has for its part of an exchange. Nothing here limits the time that the bank
 * itself needs for an answer.
 */
export type ConnectionTimes = {
  /** For the TLS handshake. */
  handshakeSeconds: number;
  /** For a whole request head, counted from the handshake or from the first byte. */
  headSeconds: number;
  /** For the next request on a connection that has served one. */
  idleSeconds: number;
  /** Without a single byte, while the bank waits for a body or for its answer to be read. */
  stallSeconds: number;
  /** For a whole body or answer, besides the time that its bytes take at `bytesPerSecond`. */
  graceSeconds: number;
  bytesPerSecond: number;
  /** How often pace is checked. */
  checkSeconds: number;
};

/** Times that let slow but honest peers finish: 7 MB at 150 kB/s need 47 s, and have 1,738. */
export const defaultTimes: ConnectionTimes = {
  handshakeSeconds: 10,
  headSeconds: 15,
  idleSeconds: 72,
  stallSeconds: 15,
  graceSeconds: 30,
  bytesPerSecond: 4096,
  checkSeconds: 1,
};

/** How many connections are open, and how many were closed or refused because of a limit. */
export type ConnectionCounts = { open: number; dropped: number };

// Answers wait in memory while an earlier answer on their connection is sent, and 64 kB can contain
// the heads of 1,800 requests. Browsers and common HTTP clients send one request at a time.
const pipelineLimit = 32;

/** The body of a request did not arrive in time. `message` says what the bank allows. */
export class SlowBody extends Error {
  readonly statusCode = 408;

  constructor({ stallSeconds, graceSeconds, bytesPerSecond }: ConnectionTimes) {
    super(
      "The rest of the body did not arrive in time. The bank waits at most " +
        `${stallSeconds} seconds for the next byte, and ${graceSeconds} seconds plus 1 second ` +
        `per ${bytesPerSecond.toLocaleString("en")} bytes for the whole body. Send the request ` +
        "again.",
    );
  }
}

type RequestInProgress = {
  /** Kept here: a request that was given up does not have it any more. */
  socket: Socket;
  request: IncomingMessage;
  response: ServerResponse;
  /** Bytes of the connection when the exchange began. */
  readAt: number;
  writtenAt: number;
  /** When the bank began to wait for the peer; null while the peer waits for the bank. */
  waitingSince: number | null;
  /** Whether the application has been told that the body did not arrive in time. */
  isRefused: boolean;
};

type CallerConnection = {
  socket: Socket;
  key: string;
  origin: Origin;
  exchanges: Set<RequestInProgress>;
  /** Bytes read when the last exchange ended: more means that a request head has begun. */
  readAt: number;
};

/**
 * One address with its connections, by what the bank would lose with them. Those that have never
 * sent a request are the first to be closed, then those that have, then those whose peer keeps the
 * bank waiting for a body or does not read an answer.
 */
type Origin = { open: number } & Record<(typeof closable)[number], Set<CallerConnection>>;
const closable = ["unused", "kept", "waiting"] as const;

/**
 * Guards the listeners' connections: keeps their number within limits, and closes those whose peer
 * does not do its part. At a limit, the oldest connection for which the bank does no work makes
 * room for the new one, of the address that has most such connections. If the bank works for every
 * connection, the new one is refused.
 */
export class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  readonly #times: ConnectionTimes;
  readonly #refuseSlow: (socket: Socket) => void;
  readonly #open = new Map<string, CallerConnection>();
  readonly #origins = new Map<string, Origin>();
  readonly #connectionOf = new WeakMap<Socket, CallerConnection>();
  readonly #check: NodeJS.Timeout;
  #dropped = 0;

  /** `refuseSlow` answers a request that did not arrive in time, and closes its connection. */
  constructor(
    limits: ConnectionLimits,
    times: ConnectionTimes,
    refuseSlow: (socket: Socket) => void,
  ) {
    this.#limits = limits;
    this.#times = times;
    this.#refuseSlow = refuseSlow;
    this.#check = setInterval(() => this.#checkPace(), times.checkSeconds * 1000);
    this.#check.unref();
  }

  /** Admits or refuses a connection that has just been accepted, before any TLS. */
  admit(socket: Socket): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return void socket.destroy();
    const network = networkOf(remoteAddress);
    const origin = this.#origins.get(network) ?? newOrigin();
    const { total, perAddress } = this.#limits;
    if (
      (origin.open >= perAddress && !this.#makeRoom([origin])) ||
      (this.#open.size >= total && !this.#makeRoom(this.#origins.values()))
    ) {
      this.#dropped += 1;
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const former = this.#open.get(key);
    if (former) this.#forget(former); // closed already: its event is still to come
    const connection = { socket, key, origin, exchanges: new Set<RequestInProgress>(), readAt: 0 };
    this.#origins.set(network, origin);
    this.#open.set(key, connection);
    this.#connectionOf.set(socket, connection);
    origin.open += 1;
    origin.unused.add(connection);
    socket.once("close", () => {
      this.#forget(connection);
      if (origin.open === 0 && this.#origins.get(network) === origin) this.#origins.delete(network);
    });
  }

  /** Records that a TLS socket has finished its handshake on an admitted connection. */
  secured(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection) this.#connectionOf.set(socket, connection);
  }

  /** Whether a socket can carry an answer: its connection is admitted and its handshake done. */
  canAnswer(socket: Socket): boolean {
    return this.#connectionOf.has(socket) && socket.writable;
  }

  /**
   * Follows a request until its body has arrived and its answer has been sent. False if it must not
   * be answered: its connection is closed, because its peer sends requests and reads no answers.
   */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    if (socket.destroyed) return false; // what was parsed before the connection was closed
    const connection = this.#connectionOf.get(socket);
    if (!connection) return true;
    if (connection.exchanges.size >= pipelineLimit) {
      this.#dropped += 1;
      socket.destroy();
      return false;
    }
    const { bytesRead: readAt, bytesWritten: writtenAt } = socket;
    const exchange: RequestInProgress = {
      socket,
      request,
      response,
      readAt,
      writtenAt,
      waitingSince: null,
      isRefused: false,
    };
    connection.exchanges.add(exchange);
    for (const state of closable) connection.origin[state].delete(connection);
    let isLate = false;
    const end = (): void => {
      if (!response.closed) return;
      if (!request.complete) {
        // Node waits as long as for a new request, but the rest of this body is still to come
        isLate = true;
        socket.setTimeout(this.#times.stallSeconds * 1000);
        return;
      }
      if (!connection.exchanges.delete(exchange)) return;
      connection.readAt = socket.bytesRead;
      connection.origin.waiting.delete(connection);
      if (connection.exchanges.size > 0 || this.#open.get(connection.key) !== connection) return;
      if (isLate) socket.setTimeout(this.#times.idleSeconds * 1000);
      connection.origin.kept.add(connection);
    };
    response.once("close", end);
    request.once("close", end);
    return true;
  }

  /** Closes a silent connection, unless its peer is waiting for the bank. */
  silent(socket: Socket): void {
    const connection = this.#connectionOf.get(socket);
    if (!connection) return void socket.destroy();
    const [exchange] = connection.exchanges;
    if (exchange) {
      if (waitsForPeer(exchange)) this.#cut(exchange);
    } else if (socket.bytesRead > connection.readAt) {
      this.#refuseSlow(socket);
    } else {
      socket.destroy();
    }
  }

  /** Closes the connections that have no request in flight. */
  closeWaiting(): void {
    for (const { socket, exchanges } of this.#open.values()) {
      if (exchanges.size === 0) socket.destroy();
    }
  }

  /** Closes every connection, whatever is in flight. */
  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  /** Stops checking pace. */
  stop(): void {
    clearInterval(this.#check);
  }

  /** The numbers of open and of dropped connections. */
  get counts(): ConnectionCounts {
    return { open: this.#open.size, dropped: this.#dropped };
  }

  // an attacker's connections go first: those of others are few
  #makeRoom(origins: Iterable<Origin>): boolean {
    const all = [...origins];
    for (const state of closable) {
      const most = Math.max(...all.map((origin) => origin[state].size));
      const victim = firstOf(all.find((origin) => origin[state].size === most)?.[state]);
      if (!victim) continue;
      this.#dropped += 1;
      this.#forget(victim);
      victim.socket.destroy();
      return true;
    }
    return false;
  }

  #forget(connection: CallerConnection): void {
    const { key, origin } = connection;
    if (this.#open.get(key) !== connection) return;
    this.#open.delete(key);
    origin.open -= 1;
    for (const state of closable) origin[state].delete(connection);
  }

  #checkPace(): void {
    const now = performance.now();
    const { graceSeconds, bytesPerSecond } = this.#times;
    for (const connection of this.#open.values()) {
      const [exchange] = connection.exchanges;
      if (!exchange) continue;
      const { socket } = exchange;
      if (!waitsForPeer(exchange)) {
        exchange.waitingSince = null;
        connection.origin.waiting.delete(connection);
        continue;
      }
      exchange.waitingSince ??= now;
      connection.origin.waiting.add(connection);
      const read = socket.bytesRead - exchange.readAt;
      const written = socket.bytesWritten - exchange.writtenAt;
      const bytes = exchange.request.complete ? written : read;
      const allowed = (graceSeconds + bytes / bytesPerSecond) * 1000;
      if (now - exchange.waitingSince > allowed) this.#cut(exchange);
    }
  }

  #cut(exchange: RequestInProgress): void {
    const { socket, request, response } = exchange;
    if (response.headersSent) socket.destroy();
    else if (request.complete || request.listenerCount("error") === 0) this.#refuseSlow(socket);
    else {
      // whoever reads the body refuses the request in the form of its endpoint
      exchange.isRefused = true;
      response.shouldKeepAlive = false;
      request.emit("error", new SlowBody(this.#times));
    }
  }
}

/** The oldest of these connections for which the bank does no work, as far as it has been seen. */
function firstOf(connections: Set<CallerConnection> | undefined): CallerConnection | undefined {
  for (const connection of connections ?? []) {
    const [exchange] = connection.exchanges;
    if (!exchange || waitsForPeer(exchange)) return connection;
    // since the last check, its body has arrived, or its answer has been read
    connections?.delete(connection);
  }
  return undefined;
}

const newOrigin = (): Origin => ({
  open: 0,
  unused: new Set(),
  kept: new Set(),
  waiting: new Set(),
});

/** The bank has read all that came of a body, or has written what the peer has not yet read. */
function waitsForPeer({ socket, request, response, isRefused }: RequestInProgress): boolean {
  if (request.complete || isRefused) return socket.writableLength > 0;
  return request.readableLength === 0 || response.closed;
}

// a TLS socket and the one below it have the same peer; no two open connections do
const keyOf = ({ localPort, remoteAddress, remotePort }: Socket): string =>
  `${localPort} ${remoteAddress} ${remotePort}`;

/** An IPv4 address, or the /64 network of an IPv6 one: a single caller often has all of it. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [withoutZone = ""] = address.split("%");
  const [left = "", right] = withoutZone.split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right ? right.split(":") : [];
  const zeros = right === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

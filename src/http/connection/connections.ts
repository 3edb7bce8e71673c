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

type RequestInProgress = {
  request: IncomingMessage;
  response: ServerResponse;
  /** Bytes of the connection when the exchange began. */
  readAt: number;
  writtenAt: number;
  /** When the bank began to wait for the peer; null while the peer waits for the bank. */
  waitingSince: number | null;
};

type CallerConnection = {
  socket: Socket;
  key: string;
  origin: Origin;
  exchanges: Set<RequestInProgress>;
  /** Bytes read when the last exchange ended: more means that a request head has begun. */
  readAt: number;
};

/** One address with its connections; those without a request are the first to be closed. */
type Origin = { open: number; unused: Set<CallerConnection>; kept: Set<CallerConnection> };

/**
 * Guards the listeners' connections: keeps their number within limits, and closes those whose peer
 * does not do its part. At a limit, the oldest connection without a request makes room for the new
 * one, of the address that has most such connections. One that has never sent a request goes before
 * one that has. If every connection has a request in flight, the new one is refused.
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
    const origin = this.#origins.get(network) ?? { open: 0, unused: new Set(), kept: new Set() };
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
      request,
      response,
      readAt,
      writtenAt,
      waitingSince: null,
    };
    connection.exchanges.add(exchange);
    connection.origin.unused.delete(connection);
    connection.origin.kept.delete(connection);
    const end = (): void => {
      if (!request.complete || !response.closed || !connection.exchanges.delete(exchange)) return;
      connection.readAt = socket.bytesRead;
      if (connection.exchanges.size > 0 || this.#open.get(connection.key) !== connection) return;
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
      if (waitsForPeer(exchange)) this.#cut(socket, exchange);
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
    for (const state of ["unused", "kept"] as const) {
      const most = Math.max(...all.map((origin) => origin[state].size));
      const [victim] = all.find((origin) => origin[state].size === most)?.[state] ?? [];
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
    origin.unused.delete(connection);
    origin.kept.delete(connection);
  }

  #checkPace(): void {
    const now = performance.now();
    const { graceSeconds, bytesPerSecond } = this.#times;
    for (const { exchanges } of this.#open.values()) {
      const [exchange] = exchanges;
      if (!exchange) continue;
      const { socket } = exchange.request;
      if (!waitsForPeer(exchange)) {
        exchange.waitingSince = null;
        continue;
      }
      exchange.waitingSince ??= now;
      const read = socket.bytesRead - exchange.readAt;
      const written = socket.bytesWritten - exchange.writtenAt;
      const bytes = exchange.request.complete ? written : read;
      const allowed = (graceSeconds + bytes / bytesPerSecond) * 1000;
      if (now - exchange.waitingSince > allowed) this.#cut(socket, exchange);
    }
  }

  #cut(socket: Socket, { response }: RequestInProgress): void {
    if (response.headersSent) socket.destroy();
    else this.#refuseSlow(socket);
  }
}

/** The bank has read all that came of a body, or has written what the peer has not yet read. */
const waitsForPeer = ({ request, response }: RequestInProgress): boolean =>
  request.complete
    ? request.socket.writableLength > 0
    : request.readableLength === 0 || response.closed;

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

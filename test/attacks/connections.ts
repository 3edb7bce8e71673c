import * as http from "node:http";
import * as https from "node:https";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { patienceMs } from "#test/until.ts";

/** How a hostile connection behaves. */
export type HostileSort =
  | "silent"
  | "slowHead"
  | "slowBody"
  | "halfHandshake"
  | "neverReading"
  | "pipelining"
  | "reset";

/** An attack with hostile connections on both listeners of a bank. */
export type ConnectionAttack = {
  publicPort: number;
  /** Whether the public port uses TLS too. The other port always does. */
  publicTls?: boolean;
  mtlsPort: number;
  counts: Record<HostileSort, number>;
  /** Decides the order of the connections and their ports. */
  seed: number;
  /** The loopback addresses that the connections come from, in turn. */
  from: readonly string[];
  /** The most connections that the attacker has open at the same time. */
  atOnce: number;
  /**
   * How many connections are opened per second at the start, unless the legitimate calls are too
   * slow for that.
   */
  perSecond: number;
  /** How long each connection is held if the bank does not close it. */
  holdSeconds: number;
  /** A larger document, which the connections that never read request. */
  path: string;
  /** The address of the legitimate calls during the attack. */
  honestFrom: string;
};

/** What an attack did, and how the legitimate calls fared meanwhile. */
export type ConnectionReport = {
  opened: number;
  /** Connections that the bank closed before the attacker did. */
  closedByBank: number;
  honest: { answered: number; failures: string[]; slowestMilliseconds: number };
};

/**
 * Attacks a bank with hostile connections, and makes legitimate calls until the last one is gone.
 */
export async function attackConnections(attack: ConnectionAttack): Promise<ConnectionReport> {
  const report: ConnectionReport = {
    opened: 0,
    closedByBank: 0,
    honest: { answered: 0, failures: [], slowestMilliseconds: 0 },
  };
  const jobs = shuffledJobs(attack);
  const over = new AbortController();
  const pace = createPace();
  const honest = callHonestly(attack, report, over.signal, pace.onCall);
  const length = Math.min(attack.atOnce, jobs.length);
  const attackers = Array.from({ length }, async (_, index) => {
    await sleep((index / attack.perSecond) * 1000);
    for (let job = jobs.pop(); job; job = jobs.pop()) {
      await pace.next();
      report.opened += 1;
      if (await holdConnection(attack, job)) report.closedByBank += 1;
    }
  });
  await Promise.all(attackers);
  over.abort();
  await honest;
  return report;
}

/** The most connections that are opened between two legitimate calls. */
export const connectionsPerCall = 100;

/**
 * Allows `connectionsPerCall` further connections each time a legitimate call ends. On a busy
 * machine, the attack then slows down with the bank, so that as many calls are made during it.
 */
function createPace(): { next(): Promise<void>; onCall(): void } {
  let free = connectionsPerCall;
  const waiting: (() => void)[] = [];
  return {
    async next() {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
    },
    onCall() {
      const begun = waiting.splice(0, connectionsPerCall);
      for (const begin of begun) begin();
      free = connectionsPerCall - begun.length;
    },
  };
}

type Job = { sort: HostileSort; secure: boolean; port: number; from: string };

function shuffledJobs(attack: ConnectionAttack): Job[] {
  const random = randomOf(attack.seed);
  const { publicPort, mtlsPort, publicTls = false, from } = attack;
  const jobs = Object.entries(attack.counts).flatMap(([sort, count]) =>
    Array.from({ length: count }, (_, index): Job => {
      const overMtls = index % 2 === 0;
      return {
        sort: sort as HostileSort, // safe: the keys of a record of sorts
        secure: overMtls || publicTls,
        port: overMtls ? mtlsPort : publicPort,
        from: from[index % from.length] ?? "127.0.0.1",
      };
    }),
  );
  for (let at = jobs.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [jobs[at], jobs[other]] = [jobs[other] as Job, jobs[at] as Job]; // both indexes are in the list
  }
  return jobs;
}

/** Returns a generator of numbers from 0 to 1; a seed always gives the same (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Opens one hostile connection and holds it. Returns true if the bank closed it first. */
function holdConnection(attack: ConnectionAttack, job: Job): Promise<boolean> {
  return new Promise((resolve) => {
    const where = { host: "127.0.0.1", port: job.port, localAddress: job.from };
    const speaks = job.sort !== "silent" && job.sort !== "halfHandshake";
    const raw = connect(where);
    const socket: Socket =
      job.secure && speaks ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw;
    let held = true;
    const timers: NodeJS.Timeout[] = [];
    const hold = setTimeout(() => {
      held = false;
      socket.destroy();
      raw.destroy();
    }, attack.holdSeconds * 1000);
    for (const one of new Set([raw, socket])) one.on("error", () => undefined);
    raw.once("close", () => {
      clearTimeout(hold);
      for (const timer of timers) clearInterval(timer);
      resolve(held);
    });
    const ready = job.secure && speaks ? "secureConnect" : "connect";
    socket.once(ready, () => behave[job.sort](socket, attack.path, timers));
    if (job.sort === "reset") socket.once(ready, () => setTimeout(() => raw.resetAndDestroy(), 50));
    if (job.sort !== "neverReading") socket.resume();
  });
}

const everySecond = (timers: NodeJS.Timeout[], work: () => void): void =>
  void timers.push(setInterval(work, 1000));

// the first bytes of a ClientHello that announces more bytes than are sent
const halfHello = Buffer.from("160301020001000001fc0303", "hex");

const behave: Record<
  HostileSort,
  (socket: Socket, path: string, timers: NodeJS.Timeout[]) => void
> = {
  silent: () => undefined,
  slowHead(socket, path, timers) {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-slow: `);
    everySecond(timers, () => socket.write("a"));
  },
  slowBody(socket, _path, timers) {
    socket.write("POST /token HTTP/1.1\r\nhost: a\r\ncontent-length: 50000\r\n");
    socket.write("content-type: application/x-www-form-urlencoded\r\n\r\ngrant_type=");
    everySecond(timers, () => socket.write("a"));
  },
  halfHandshake: (socket) => void socket.write(halfHello),
  neverReading(socket, path) {
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(20));
  },
  pipelining: (socket) => void socket.write("GET /jwks HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000)),
  reset: (socket, path) => void socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n`),
};

const honestPauseMilliseconds = 100;

async function callHonestly(
  attack: ConnectionAttack,
  { honest }: ConnectionReport,
  over: AbortSignal,
  onCall: () => void,
): Promise<void> {
  const ports: [number, boolean][] = [
    [attack.publicPort, attack.publicTls ?? false],
    [attack.mtlsPort, true],
  ];
  do {
    for (const [port, secure] of ports) {
      const startedAt = performance.now();
      const failure = await callOnce(port, secure, attack.honestFrom);
      const took = performance.now() - startedAt;
      honest.slowestMilliseconds = Math.max(honest.slowestMilliseconds, took);
      if (failure === null) honest.answered += 1;
      else honest.failures.push(failure);
      onCall();
    }
    await sleep(honestPauseMilliseconds);
  } while (!over.aborted);
}

/** Makes a call on a new connection. Returns null, or what went wrong. */
function callOnce(port: number, secure: boolean, localAddress: string): Promise<string | null> {
  return new Promise((resolve) => {
    const path = "/.well-known/openid-configuration";
    const options = { host: "127.0.0.1", port, path, localAddress, agent: false } as const;
    const request = secure
      ? https.request({ ...options, rejectUnauthorized: false })
      : http.request(options);
    request.setTimeout(patienceMs, () => request.destroy(new Error("no answer")));
    request.on("error", (error) => resolve(`${port}: ${error.message}`));
    request.on("response", (response) => {
      response.resume();
      response.on("close", () =>
        resolve(response.statusCode === 200 ? null : `${port}: ${response.statusCode}`),
      );
    });
    request.end();
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import * as http from "node:http";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import fastify from "fastify";
import { appOptions } from "#src/http/connection/app-options.ts";
import { type ConnectionTimes, networkOf } from "#src/http/connection/connections.ts";
import { type Listeners, openListeners } from "#src/http/connection/listeners.ts";
import { sendDocument } from "#src/http/document.ts";
import { present } from "#src/lib/assert.ts";
import { makePlace, skipReason } from "#test/cli/running-bank.ts";
import { type Authority, makeAuthority, type Pair } from "#test/http/certificates.ts";
import { startBank } from "./bank-process.ts";
import { attackConnections, connectionsPerCall, type HostileSort } from "./connections.ts";

let ca: Authority;
let server: Pair;
before(async () => {
  ca = await makeAuthority("Test CA");
  server = await ca.issue("localhost");
});

const shortTimes: ConnectionTimes = {
  handshakeSeconds: 2,
  headSeconds: 2,
  idleSeconds: 1.5,
  stallSeconds: 1.5,
  graceSeconds: 2,
  bytesPerSecond: 100_000,
  checkSeconds: 0.1,
};
let handled = 0;
let held = 0;
const released = Promise.withResolvers<void>();
const document = Buffer.alloc(32_000_000, "x");
let documentSocket: Socket | null = null;
const large = "x".repeat(8_000_000);

type Options = Partial<Parameters<typeof openListeners>[0]>;
async function open(options: Options = {}): Promise<Listeners> {
  const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 10_000_000 }));
  app.get("/", async () => "fine");
  app.get("/large", async () => large);
  app.get("/document", (request, reply) => {
    documentSocket = request.raw.socket;
    return sendDocument(reply, document);
  });
  app.get("/counted", async () => {
    handled += 1;
    await sleep(100);
    return "counted";
  });
  app.get("/held", async () => {
    held += 1;
    await released.promise;
    return "held";
  });
  app.get("/thinking", async () => {
    await sleep(3500);
    return "thought";
  });
  app.addContentTypeParser("text/plain", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  app.post<{ Body: Buffer }>("/", async ({ body }) => String(body.length));
  return openListeners({
    app,
    host: "127.0.0.1",
    publicPort: 0,
    mtlsPort: 0,
    publicTls: null,
    mtls: { ...server, ca: ca.cert },
    times: shortTimes,
    ...options,
  });
}

/** Connects, runs `act`, and returns what was received until the bank closed the connection. */
async function untilClosed(
  port: number,
  act: (socket: Socket) => void,
  options: { secure?: boolean; reads?: boolean } = {},
): Promise<string> {
  const where = { host: "127.0.0.1", port };
  const socket = options.secure ? connectTls({ ...where, ca: ca.cert }) : connect(where);
  let said = "";
  socket.on("error", () => undefined);
  if (options.reads !== false) {
    socket.on("data", (chunk) => {
      said += chunk;
    });
  }
  await once(socket, options.secure ? "secureConnect" : "connect");
  act(socket);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const late = AbortSignal.timeout(20_000);
  await Promise.race([closed, once(late, "abort").then(() => assert.fail("still open"))]);
  return said;
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    assert.ok(tries < 400, `not within 20 s: ${what}`);
    await sleep(50);
  }
}

const untilNone = (listeners: Listeners): Promise<void> =>
  until(() => listeners.counts().open === 0, "all connections are closed");

describe("a peer that leaves the handshake or the request unfinished", () => {
  let listeners: Listeners;
  before(async () => {
    listeners = await open();
  });
  after(() => listeners.close(0));

  test("silent connections on both ports are closed and release their descriptors", async () => {
    const descriptors = () => readdirSync("/proc/self/fd").length;
    const before = process.platform === "linux" ? descriptors() : null;
    const ends = [listeners.publicPort, listeners.mtlsPort].flatMap((port) =>
      Array.from({ length: 20 }, () => untilClosed(port, () => undefined)),
    );
    await Promise.all(ends);
    await untilNone(listeners);
    if (before !== null) assert.ok(descriptors() <= before + 2);
  });

  test("a connection whose peer left during the handshake is closed", async () => {
    const socket = connect({ host: "127.0.0.1", port: listeners.mtlsPort });
    await once(socket, "connect");
    await sleep(2300);
    socket.destroy();
    await untilNone(listeners);
  });

  test("bytes that are not TLS, and half a handshake, end the connection", async () => {
    for (const bytes of ["GET / HTTP/1.1\r\n\r\n", Buffer.from("16030102000100", "hex")]) {
      await untilClosed(listeners.mtlsPort, (socket) => socket.write(bytes));
    }
  });
});

// Only the limit for idle connections is short. If the other limits were short too, a busy machine
// might not serve the request before the connection is closed.
const shortIdle = { ...shortTimes, handshakeSeconds: 20, headSeconds: 20, stallSeconds: 20 };

describe("a slow peer", { concurrency: true }, () => {
  let listeners: Listeners;
  let patient: Listeners;
  before(async () => {
    listeners = await open();
    patient = await open({ times: shortIdle });
  });
  after(() => Promise.all([listeners, patient].map((one) => one.close(0))));

  for (const secure of [false, true]) {
    const over = secure ? "over TLS" : "in the open";
    const port = (): number => (secure ? listeners.mtlsPort : listeners.publicPort);

    test(`a request head that never ends gets 408 and is closed, ${over}`, async () => {
      const said = await untilClosed(
        port(),
        (socket) => {
          socket.write("GET / HTTP/1.1\r\nhost: a\r\nx-slow: ");
          const drip = setInterval(() => socket.write("a"), 100);
          socket.on("close", () => clearInterval(drip));
        },
        { secure },
      );
      assert.match(said, /^HTTP\/1\.1 408 .*x-fapi-interaction-id: /s);
    });

    test(`a body that stalls or drips gets 408 and is closed, ${over}`, async () => {
      for (const dripping of [false, true]) {
        const said = await untilClosed(
          port(),
          (socket) => {
            socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\n");
            socket.write("content-length: 1000\r\n\r\na");
            if (!dripping) return;
            const drip = setInterval(() => socket.write("a"), 100);
            socket.on("close", () => clearInterval(drip));
          },
          { secure },
        );
        assert.match(said, /^HTTP\/1\.1 408 /);
      }
    });

    test(`a peer that never reads is disconnected, ${over}`, async () => {
      await untilClosed(
        port(),
        (socket) => {
          socket.pause();
          socket.write("GET /large HTTP/1.1\r\nhost: a\r\n\r\n".repeat(10));
          // the socket notices the end only if it reads
          setTimeout(() => socket.resume(), 5000);
        },
        { secure, reads: false },
      );
    });

    test(`a peer that sends hundreds of requests without reading is disconnected, ${over}`, async () => {
      await untilClosed(
        port(),
        (socket) => socket.write("GET /counted HTTP/1.1\r\nhost: a\r\n\r\n".repeat(500)),
        { secure },
      );
      // the limit applies to both listeners together
      assert.ok(handled > 0 && handled <= 100, `${handled} requests were handled`);
    });

    test(`a kept-alive connection that stays silent is closed, ${over}`, async () => {
      const said = await untilClosed(
        secure ? patient.mtlsPort : patient.publicPort,
        (socket) => socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
        { secure },
      );
      assert.match(said, /^HTTP\/1\.1 200 .*fine$/s);
    });

    test(`a slow but steady peer, and a peer that pauses, are served, ${over}`, async () => {
      const posting = untilClosed(
        port(),
        (socket) => {
          socket.write("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n");
          socket.write("content-type: text/plain\r\ncontent-length: 600000\r\n\r\n");
          let sent = 0;
          const send = setInterval(() => {
            socket.write("x".repeat(50_000));
            sent += 50_000;
            if (sent === 600_000) clearInterval(send);
          }, 300);
        },
        { secure },
      );
      const waiting = untilClosed(
        port(),
        (socket) => socket.write("GET /thinking HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"),
        { secure },
      );
      assert.match(await posting, /^HTTP\/1\.1 200 .*600000$/s);
      assert.match(await waiting, /^HTTP\/1\.1 200 .*thought$/s);
    });
  }
});

test("a document for a TLS peer that never reads is kept in pieces, not whole", async () => {
  const listeners = await open({ times: {} });
  const socket = connectTls({ host: "127.0.0.1", port: listeners.mtlsPort, ca: ca.cert });
  try {
    await once(socket, "secureConnect");
    socket.pause();
    socket.write("GET /document HTTP/1.1\r\nhost: a\r\n\r\n");
    const waiting = (): number => documentSocket?.writableLength ?? 0;
    await until(() => waiting() > 0, "the document is being sent");
    await sleep(1000);
    assert.ok(waiting() > 0 && waiting() < 1_000_000, `${waiting()} bytes wait`);
    socket.resume();
    let read = 0;
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
    });
    await until(() => read >= document.length, "the document is read");
  } finally {
    socket.destroy();
    await listeners.close(0);
  }
});

describe("connection limits", () => {
  const many = (port: number, count: number, from: string): Promise<Socket[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect({ host: "127.0.0.1", port, localAddress: from });
        socket.on("error", () => undefined);
        await once(socket, "connect");
        return socket;
      }),
    );
  const get = (port: number, agent: http.Agent): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = http.get({ host: "127.0.0.1", port, agent }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      request.on("error", reject);
    });

  test("an address at its limit loses its oldest unused connection, not one that has been used", async () => {
    const listeners = await open({
      limits: { total: 100, perAddress: 10 },
      times: { checkSeconds: 0.1 },
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    try {
      assert.equal(await get(listeners.publicPort, agent), 200);
      const silent = await many(listeners.publicPort, 30, "127.0.0.1");
      await until(() => listeners.counts().dropped >= 21, "connections are dropped");
      assert.deepEqual(listeners.counts(), { open: 10, dropped: 21 });
      assert.equal(await get(listeners.publicPort, agent), 200);
      assert.equal(await get(listeners.publicPort, new http.Agent()), 200);
      for (const socket of silent) socket.destroy();
    } finally {
      agent.destroy();
      await listeners.close(0);
    }
  });

  test("at the limit, connections with a request in flight stay open and a new connection is refused", async () => {
    const limits = { total: 3, perAddress: 3 };
    const listeners = await open({ limits, times: { checkSeconds: 0.1 } });
    try {
      const port = listeners.publicPort;
      const get = "GET /held HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
      const busy = [1, 2, 3].map(() => untilClosed(port, (socket) => socket.write(get)));
      await until(() => held === 3, "three requests are in flight");
      assert.equal(await untilClosed(port, (socket) => socket.write(get)), "");
      released.resolve();
      for (const said of await Promise.all(busy)) assert.match(said, /held$/);
    } finally {
      await listeners.close(0);
    }
  });

  test("an IPv6 caller is counted by its /64 network", () => {
    assert.equal(networkOf("::ffff:192.0.2.7"), "192.0.2.7");
    assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert.equal(networkOf("2001:db8::6"), networkOf("2001:db8:0:0:9::"));
    assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  });
});

test("closing the bank does not wait for silent connections, and ends all others", async () => {
  const listeners = await open({ times: {} });
  const ends = [listeners.publicPort, listeners.mtlsPort].map((port) =>
    untilClosed(port, () => undefined),
  );
  const busy = untilClosed(listeners.mtlsPort, (socket) => socket.write("GET / HT"), {
    secure: true,
  });
  await sleep(100);
  const startedAt = performance.now();
  await listeners.close(60);
  assert.ok(performance.now() - startedAt < 50_000);
  await Promise.all([...ends, busy]);
});

const counts: Record<HostileSort, number> = {
  silent: 500,
  slowHead: 100,
  slowBody: 100,
  halfHandshake: 500,
  neverReading: 100,
  pipelining: 100,
  reset: 100,
};

const skip =
  process.platform === "linux" ? skipReason : "descriptors are counted in /proc, which is Linux's";

test("1,500 hostile connections do not affect legitimate calls, descriptors or SIGTERM", {
  skip,
}, async () => {
  const place = await makePlace();
  const bank = await startBank(place.folder, {}, { descriptors: 1024 });
  const descriptors = (): number => present(bank.holdings(), "open descriptors").descriptors;
  try {
    const before = descriptors();
    const report = await attackConnections({
      publicPort: Number(new URL(bank.publicUrl).port),
      mtlsPort: Number(new URL(bank.mtlsUrl).port),
      counts,
      seed: 20_260_721,
      from: ["127.0.1.1", "127.0.1.2", "127.0.1.3"],
      atOnce: 1500,
      perSecond: 400,
      holdSeconds: 3,
      path: "/docs",
      honestFrom: "127.0.0.1",
    });
    assert.equal(report.opened, 1500);
    assert.deepEqual(report.honest.failures, []);
    const { answered } = report.honest;
    assert.ok(answered >= 1500 / connectionsPerCall - 1, `${answered} calls`);
    for (let tries = 0; descriptors() > before + 10; tries++) {
      assert.ok(tries < 100, `${descriptors()} descriptors are open, ${before} were before`);
      await sleep(100);
    }
    assert.equal(await bank.close(), 0);
  } finally {
    await bank.kill();
    place.remove();
  }
});

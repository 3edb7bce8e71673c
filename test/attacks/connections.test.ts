import assert from "node:assert/strict";
import { once } from "node:events";
import * as http from "node:http";
import { connect, type Socket } from "node:net";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { FastifyInstance } from "fastify";
import { networkOf } from "#src/http/connection/connections.ts";
import type { Listeners } from "#src/http/connection/listeners.ts";
import { sendDocument } from "#src/http/document.ts";
import { present } from "#src/lib/assert.ts";
import { makePlace, skipReason } from "#test/cli/running-bank.ts";
import { patienceMs, until } from "#test/until.ts";
import { startBank } from "./bank-process.ts";
import { attackConnections, connectionsPerCall, type HostileSort } from "./connections.ts";
import { type ListenersBed, longTimes, makeListenersBed } from "./listeners-bed.ts";

let bed: ListenersBed;
before(async () => {
  bed = await makeListenersBed();
});

let held = 0;
const released = Promise.withResolvers<void>();
const document = Buffer.alloc(32_000_000, "x");
let documentSocket: Socket | null = null;

function addRoutes(app: FastifyInstance): void {
  app.get("/document", (request, reply) => {
    documentSocket = request.raw.socket;
    return sendDocument(reply, document);
  });
  app.get("/held", async () => {
    held += 1;
    await released.promise;
    return "held";
  });
}

const open = (options: Parameters<ListenersBed["open"]>[0]): Promise<Listeners> =>
  bed.open(options, addRoutes);

test("a document for a TLS peer that never reads is kept in pieces, not whole", async () => {
  const listeners = await open({ times: {} });
  const socket = connectTls({ host: "127.0.0.1", port: listeners.mtlsPort, ca: bed.ca });
  try {
    await once(socket, "secureConnect");
    socket.pause();
    socket.write("GET /document HTTP/1.1\r\nhost: a\r\n\r\n");
    const waiting = (): number => documentSocket?.writableLength ?? 0;
    await until(waiting, (bytes) => bytes > 0);
    await sleep(1000);
    assert.ok(waiting() > 0 && waiting() < 1_000_000, `${waiting()} bytes wait`);
    socket.resume();
    let read = 0;
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
    });
    await until(
      () => read,
      (bytes) => bytes >= document.length,
    );
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
      const { dropped, open: left } = await until(listeners.counts, (now) => now.dropped >= 21);
      assert.deepEqual([left, dropped], [10, 21]);
      assert.equal(await get(listeners.publicPort, agent), 200);
      assert.equal(await get(listeners.publicPort, new http.Agent()), 200);
      for (const socket of silent) socket.destroy();
    } finally {
      agent.destroy();
      await listeners.close(0);
    }
  });

  test("when all addresses together are at the limit, the one with most unused connections loses its oldest", {
    skip: process.platform === "linux" ? false : "only Linux has every loopback address open",
  }, async () => {
    const limits = { total: 20, perAddress: 15 };
    const listeners = await open({ limits, times: longTimes });
    const port = listeners.publicPort;
    const [honest] = await many(port, 1, "127.0.0.1");
    const hostile: Socket[] = [];
    try {
      // each of these would push out the oldest connection of all
      for (let round = 1; round <= 3; round += 1) {
        hostile.push(
          ...(await many(port, 10, "127.0.1.1")),
          ...(await many(port, 10, "127.0.1.2")),
        );
        await until(listeners.counts, (now) => now.dropped + now.open === 1 + 20 * round);
      }
      assert.ok(listeners.counts().open <= 20);
      let said = "";
      honest?.on("data", (chunk) => {
        said += chunk;
      });
      honest?.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
      await until(
        () => said,
        (text) => text.endsWith("fine"),
      );
    } finally {
      for (const socket of [...hostile, honest]) socket?.destroy();
      await listeners.close(0);
    }
  });

  test("at the limit, connections with a request in flight stay open and a new connection is refused", async () => {
    const limits = { total: 3, perAddress: 3 };
    const listeners = await open({ limits, times: { checkSeconds: 0.1 } });
    try {
      const port = listeners.publicPort;
      const get = "GET /held HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
      const busy = [1, 2, 3].map(() => bed.untilClosed(port, (socket) => socket.write(get)));
      await until(
        () => held,
        (count) => count === 3,
      );
      assert.equal(await bed.untilClosed(port, (socket) => socket.write(get)), "");
      released.resolve();
      for (const said of await Promise.all(busy)) assert.match(said, /held$/);
    } finally {
      await listeners.close(0);
    }
  });

  for (const secure of [false, true]) {
    const over = secure ? "over TLS" : "without TLS";

    test(`at the limit, a connection whose body does not come makes room, ${over}`, async () => {
      const limits = { total: 3, perAddress: 3 };
      const listeners = await open({ limits, times: longTimes });
      const port = secure ? listeners.mtlsPort : listeners.publicPort;
      try {
        // the bank waits for the body of the first, and has answered the others
        for (const method of ["POST", "GET", "GET"]) {
          const head = `${method} / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n`;
          void bed.untilClosed(port, (socket) => socket.write(head), { secure });
        }
        await until(listeners.counts, ({ open: count }) => count === 3);
        const get = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        await until(
          () => bed.untilClosed(port, (socket) => socket.write(get), { secure }).catch(String),
          (said) => said.endsWith("fine"),
        );
      } finally {
        await listeners.close(0);
      }
    });
  }

  test("an IPv6 caller is counted by its /64 network", () => {
    assert.equal(networkOf("::ffff:192.0.2.7"), "192.0.2.7");
    assert.equal(networkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    assert.equal(networkOf("2001:db8::6"), networkOf("2001:db8:0:0:9::"));
    assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  });
});

test("closing the bank does not wait for silent connections, and ends all others", {
  timeout: patienceMs,
}, async () => {
  const listeners = await open({ times: longTimes });
  const ends = [listeners.publicPort, listeners.mtlsPort].map((port) =>
    bed.untilClosed(port, () => undefined),
  );
  const busy = bed.untilClosed(listeners.mtlsPort, (socket) => socket.write("GET / HT"), {
    secure: true,
  });
  await until(listeners.counts, ({ open }) => open === 3);
  // neither the grace period nor a time limit of the connections ends during the test
  await listeners.close(600);
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

test("the connections of an attacker leave enough descriptors for those of others", {
  skip,
}, async () => {
  const place = await makePlace();
  const bank = await startBank(place.folder, {}, { descriptors: 640 });
  const hostile: Socket[] = [];
  try {
    const port = Number(new URL(bank.publicUrl).port);
    for (let count = 0; count < 1000; count += 1) {
      const localAddress = `127.0.1.${1 + (count % 3)}`;
      const socket = connect({ host: "127.0.0.1", port, localAddress });
      socket.on("error", () => undefined);
      await once(socket, "connect");
      hostile.push(socket);
    }
    for (let call = 0; call < 20; call += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/health/live`, {
        headers: { connection: "close" },
      });
      assert.equal(answer.status, 200);
      await answer.text();
    }
  } finally {
    for (const socket of hostile) socket.destroy();
    await bank.kill();
    place.remove();
  }
});

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
      path: "/openapi/pisp-v4.0.json",
      honestFrom: "127.0.0.1",
    });
    assert.equal(report.opened, 1500);
    assert.deepEqual(report.honest.failures, []);
    const { answered } = report.honest;
    assert.ok(answered >= 1500 / connectionsPerCall - 1, `${answered} calls`);
    await until(descriptors, (open) => open <= before + 10);
    assert.equal(await bank.close(), 0);
  } finally {
    await bank.kill();
    place.remove();
  }
});

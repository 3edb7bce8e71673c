import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Listeners } from "#src/http/connection/listeners.ts";
import { patienceMs, until } from "#test/until.ts";
import { type ListenersBed, longTimes, makeListenersBed, shortTimes } from "./listeners-bed.ts";

let bed: ListenersBed;
before(async () => {
  bed = await makeListenersBed();
});

let handled = 0;
const large = "x".repeat(8_000_000);

function addRoutes(app: FastifyInstance): void {
  app.get("/large", async () => large);
  app.get("/counted", async () => {
    handled += 1;
    await sleep(100);
    return "counted";
  });
  app.get<{ Querystring: { ms: string } }>("/thinking", async ({ query }) => {
    await sleep(Number(query.ms));
    return "thought";
  });
  app.addContentTypeParser("text/plain", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  app.post<{ Body: Buffer }>("/", async ({ body }) => String(body.length));
}

const untilNone = (listeners: Listeners): Promise<unknown> =>
  until(
    () => listeners.counts().open,
    (open) => open === 0,
  );

describe("a peer that leaves the handshake or the request unfinished", () => {
  let listeners: Listeners;
  before(async () => {
    listeners = await bed.open({ times: shortTimes });
  });
  after(() => listeners.close(0));

  test("silent connections on both ports are closed and release their descriptors", async () => {
    const descriptors = () => readdirSync("/proc/self/fd").length;
    const before = process.platform === "linux" ? descriptors() : null;
    const ends = [listeners.publicPort, listeners.mtlsPort].flatMap((port) =>
      Array.from({ length: 20 }, () => bed.untilClosed(port, () => undefined)),
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
      await bed.untilClosed(listeners.mtlsPort, (socket) => socket.write(bytes));
    }
  });
});

/**
 * Runs an attack on listeners with short limits. This process is both the bank and its peer. If the
 * process pauses for half of a limit, the peer may not behave as intended. So if the attack fails
 * after such a pause, it is repeated with `factor` doubled: at half the speed, with limits that are
 * twice as long.
 */
async function withShortTimes(
  attack: (listeners: Listeners, factor: number) => Promise<void>,
): Promise<void> {
  for (let factor = 1; ; factor *= 2) {
    const times = Object.entries(shortTimes)
      .filter(([name]) => name.endsWith("Seconds") && name !== "checkSeconds")
      .map(([name, seconds]) => [name, seconds * factor]);
    const listeners = await bed.open(
      { times: { ...shortTimes, ...Object.fromEntries(times) } },
      addRoutes,
    );
    const delays = monitorEventLoopDelay({ resolution: 20 });
    delays.enable();
    try {
      return await attack(listeners, factor);
    } catch (error) {
      const stoodStillSeconds = delays.max / 1e9;
      if (stoodStillSeconds < (shortTimes.stallSeconds * factor) / 2) throw error;
    } finally {
      delays.disable();
      await listeners.close(0);
    }
  }
}

describe("a slow peer", { concurrency: true, timeout: 5 * patienceMs }, () => {
  let idle: Listeners;
  before(async () => {
    const times = { ...longTimes, idleSeconds: shortTimes.idleSeconds };
    idle = await bed.open({ times }, addRoutes);
  });
  after(() => idle.close(0));

  for (const secure of [false, true]) {
    const over = secure ? "over TLS" : "without TLS";
    const portOf = ({ mtlsPort, publicPort }: Listeners) => (secure ? mtlsPort : publicPort);

    test(`a request head that never ends gets 408 and is closed, ${over}`, () =>
      withShortTimes(async (listeners) => {
        const said = await bed.untilClosed(
          portOf(listeners),
          (socket) => {
            socket.write("GET / HTTP/1.1\r\nhost: a\r\nx-slow: ");
            const drip = setInterval(() => socket.write("a"), 100);
            socket.on("close", () => clearInterval(drip));
          },
          { secure },
        );
        assert.match(said, /^HTTP\/1\.1 408 .*x-fapi-interaction-id: /s);
      }));

    for (const dripping of [false, true]) {
      test(`a body that ${dripping ? "drips" : "stalls"} gets 408 and is closed, ${over}`, () =>
        withShortTimes(async (listeners) => {
          const said = await bed.untilClosed(
            portOf(listeners),
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
        }));
    }

    test(`a peer that does not send the body of an answered request is disconnected, ${over}`, async () => {
      const times = { ...longTimes, stallSeconds: shortTimes.stallSeconds };
      const listeners = await bed.open({ times }, addRoutes);
      try {
        const head = "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n";
        const act = (socket: Socket) => socket.write(head);
        assert.match(await bed.untilClosed(portOf(listeners), act, { secure }), /fine$/);
      } finally {
        await listeners.close(0);
      }
    });

    test(`a peer that never reads is disconnected, ${over}`, () =>
      withShortTimes(async (listeners, factor) => {
        await bed.untilClosed(
          portOf(listeners),
          (socket) => {
            socket.pause();
            socket.write("GET /large HTTP/1.1\r\nhost: a\r\n\r\n".repeat(10));
            // the socket notices the end only if it reads
            setTimeout(() => socket.resume(), 5000 * factor);
          },
          { secure, reads: false },
        );
      }));

    test(`a peer that sends hundreds of requests without reading is disconnected, ${over}`, async () => {
      await bed.untilClosed(
        portOf(idle),
        (socket) => socket.write("GET /counted HTTP/1.1\r\nhost: a\r\n\r\n".repeat(500)),
        { secure },
      );
      // the limit applies to both listeners together
      assert.ok(handled > 0 && handled <= 100, `${handled} requests were handled`);
    });

    test(`a kept-alive connection that stays silent is closed, ${over}`, async () => {
      const said = await bed.untilClosed(
        portOf(idle),
        (socket) => socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
        { secure },
      );
      assert.match(said, /^HTTP\/1\.1 200 .*fine$/s);
    });

    test(`a slow but steady peer, and a peer that pauses, are served, ${over}`, () =>
      withShortTimes(async (listeners, factor) => {
        const posting = bed.untilClosed(
          portOf(listeners),
          (socket) => {
            socket.write("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n");
            socket.write("content-type: text/plain\r\ncontent-length: 600000\r\n\r\n");
            let sent = 0;
            const send = setInterval(() => {
              socket.write("x".repeat(50_000));
              sent += 50_000;
              if (sent === 600_000) clearInterval(send);
            }, 300 * factor);
            socket.on("close", () => clearInterval(send));
          },
          { secure },
        );
        const waiting = bed.untilClosed(
          portOf(listeners),
          (socket) => {
            socket.write(`GET /thinking?ms=${3500 * factor} HTTP/1.1\r\n`);
            socket.write("host: a\r\nconnection: close\r\n\r\n");
          },
          { secure },
        );
        const [posted, thought] = await Promise.all([posting, waiting]);
        assert.match(posted, /^HTTP\/1\.1 200 .*600000$/s);
        assert.match(thought, /^HTTP\/1\.1 200 .*thought$/s);
      }));
  }
});

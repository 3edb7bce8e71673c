import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import fastify, { type FastifyInstance } from "fastify";
import type { ConnectionTimes } from "#src/http/connection/connections.ts";
import { appOptions, type Listeners, openListeners } from "#src/http/connection/listeners.ts";
import { makeAuthority } from "#test/http/certificates.ts";

/** Short limits, for the tests of the limits. */
export const shortTimes: ConnectionTimes = {
  handshakeSeconds: 2,
  headSeconds: 2,
  idleSeconds: 1.5,
  stallSeconds: 1.5,
  graceSeconds: 2,
  bytesPerSecond: 100_000,
  checkSeconds: 0.1,
};

/** Limits that no test reaches, not even on a busy machine. */
export const longTimes: ConnectionTimes = {
  ...shortTimes,
  handshakeSeconds: 600,
  headSeconds: 600,
  idleSeconds: 600,
  stallSeconds: 600,
  graceSeconds: 600,
};

/** Opens listeners and connects to them. */
export type ListenersBed = {
  /** The authority of the listeners' certificate. */
  ca: string;
  /** Opens both listeners, with these routes and with `/`, which answers `fine`. */
  open(options: Options, addRoutes?: (app: FastifyInstance) => void): Promise<Listeners>;
  /** Connects, runs `act`, and returns what was received until the bank closed the connection. */
  untilClosed(
    port: number,
    act: (socket: Socket) => void,
    options?: { secure?: boolean; reads?: boolean },
  ): Promise<string>;
};

type Options = Partial<Parameters<typeof openListeners>[0]>;

/** Makes the certificates, and the functions that open listeners with them. */
export async function makeListenersBed(): Promise<ListenersBed> {
  const authority = await makeAuthority("Test CA");
  const server = await authority.issue("localhost");
  const ca = authority.cert;
  return {
    ca,
    async open(options, addRoutes = () => undefined) {
      const app = fastify(appOptions({ logLevel: "silent", bodyLimit: 10_000_000 }));
      app.get("/", async () => "fine");
      addRoutes(app);
      return openListeners({
        app,
        host: "127.0.0.1",
        publicPort: 0,
        mtlsPort: 0,
        publicTls: null,
        mtls: { ...server, ca },
        ...options,
      });
    },
    async untilClosed(port, act, { secure = false, reads = true } = {}) {
      const where = { host: "127.0.0.1", port };
      const socket = secure ? connectTls({ ...where, ca }) : connect(where);
      let said = "";
      socket.on("error", () => undefined);
      if (reads) {
        socket.on("data", (chunk) => {
          said += chunk;
        });
      }
      const closed = new Promise((resolve) => socket.on("close", resolve));
      const ready = once(socket, secure ? "secureConnect" : "connect");
      const tooEarly = closed.then(() => assert.fail("the connection closed before it opened"));
      await Promise.race([ready, tooEarly]);
      act(socket);
      await closed;
      return said;
    },
  };
}

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Config } from "#src/config/config.ts";
import type { Door, Doors } from "#src/http/connection/listeners.ts";

/** The two listening sockets of a world, which stay open while its bank is closed. */
export type WorldDoors = Doors & {
  /** The number of connections that are open or wait for the bank. */
  connections(): number;
  /** When a connection was last opened or closed (`performance.now`). */
  usedAt(): number;
  /** Cuts the connections that wait for the bank. */
  cutWaiting(): void;
  /** Stops listening, and cuts the connections that wait for the bank. */
  close(): Promise<void>;
};

/** The ports of a world; 0 takes any. */
type Ports = { publicPort: number; mtlsPort: number };

const tries = 50;

/**
 * Opens the doors of a world on its ports or, if it has none or another program has taken them, on
 * other ones of WORLD_PORTS. A connection to a bank that is closed waits, and `onWaiting` is called
 * to open the bank.
 */
export async function openFreeDoors(
  { PUBLIC_HOST: host, WORLD_PORTS: range }: Pick<Config, "PUBLIC_HOST" | "WORLD_PORTS">,
  wanted: Ports,
  onWaiting: () => void,
): Promise<WorldDoors> {
  const [first = 0, last = first] = range.split("-").map(Number);
  const pairs = Math.floor((last - first + 1) / 2);
  let failure: unknown;
  for (let left = tries; left > 0; left -= 1) {
    const port = first + 2 * Math.floor(Math.random() * pairs);
    const isWanted = left === tries && wanted.publicPort !== 0;
    try {
      return await openDoors(
        host,
        isWanted ? wanted : { publicPort: port, mtlsPort: port + 1 },
        onWaiting,
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      failure = error;
    }
  }
  throw new Error(`no two ports of WORLD_PORTS (${range}) are free`, { cause: failure });
}

async function openDoors(
  host: string,
  { publicPort, mtlsPort }: Ports,
  onWaiting: () => void,
): Promise<WorldDoors> {
  const traffic: Traffic = { sockets: new Set(), usedAt: performance.now(), onWaiting };
  const first = await openDoor({ host, port: publicPort }, traffic);
  const second = await openDoor({ host, port: mtlsPort }, traffic).catch(async (error) => {
    await first.close();
    throw error;
  });
  return {
    public: first,
    mtls: second,
    connections: () => traffic.sockets.size,
    usedAt: () => traffic.usedAt,
    cutWaiting() {
      first.cutWaiting();
      second.cutWaiting();
    },
    async close() {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/** The connections of both doors. */
type Traffic = { sockets: Set<Socket>; usedAt: number; onWaiting(): void };

// a world is open again before there are as many
const mostWaiting = 100;

async function openDoor(
  { host, port }: { host: string; port: number },
  traffic: Traffic,
): Promise<Door & { cutWaiting(): void; close(): Promise<void> }> {
  const waiting = new Set<Socket>();
  let handle: ((socket: Socket) => void) | null = null;
  const ignore = (): void => undefined; // a peer that leaves while it waits
  // as Node's HTTP servers set up their sockets
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    traffic.sockets.add(socket);
    traffic.usedAt = performance.now();
    socket.once("close", () => {
      traffic.sockets.delete(socket);
      traffic.usedAt = performance.now();
      waiting.delete(socket);
    });
    if (handle) return void handle(socket);
    if (waiting.size >= mostWaiting) return void socket.destroy();
    socket.on("error", ignore);
    waiting.add(socket);
    traffic.onWaiting();
  });
  server.listen(port, host);
  await once(server, "listening");
  const cutWaiting = (): void => {
    for (const socket of waiting) socket.destroy();
  };
  return {
    port,
    cutWaiting,
    receive(given) {
      handle = given;
      if (given === null) return;
      for (const socket of waiting) {
        socket.off("error", ignore);
        given(socket);
      }
      waiting.clear();
    },
    async close() {
      cutWaiting();
      await closeServer(server);
    },
  };
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));

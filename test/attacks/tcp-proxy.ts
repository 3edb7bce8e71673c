import { connect as connectTo, createServer, type Socket } from "node:net";

/** Stands between a bank and a server, and can fall silent without closing anything. */
export type TcpProxy = {
  /** The URL with this proxy in place of the server. */
  url(server: string): string;
  host: string;
  /** From now on no byte gets through; connections are still accepted, and stay open. */
  silence(): void;
  /** Lets no answer through any more once this text has gone to the server. */
  loseAnswersTo(text: string): void;
  /** Lets bytes through again, but none of connections that were there before. */
  resume(): void;
  /** Local ports of the connections to the server. */
  ports(): number[];
  close(): Promise<void>;
};

/**
 * Opens a proxy on a free loopback port. `target` gives the server (`host:port`) of each new
 * connection; without one the connection is closed.
 */
export async function openProxy(target: () => string): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const upstreams = new Set<Socket>();
  let isSilent = false;
  let isMute = false;
  let muteAt: string | null = null;
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  // a host that is silent does not answer the end of a connection either
  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    if (isSilent) {
      client.pause();
      return;
    }
    const { hostname, port } = new URL(`tcp://${target() || "127.0.0.1:1"}`);
    const upstream = connectTo(Number(port), hostname);
    track(upstream);
    upstreams.add(upstream);
    client.on("data", (chunk: Buffer) => {
      if (isSilent) return;
      if (muteAt !== null && chunk.includes(muteAt)) isMute = true;
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => void (isSilent || isMute || client.write(chunk)));
    // a silent host passes no end of a connection on either
    client.on("end", () => void (isSilent || upstream.end()));
    client.on("close", () => void (isSilent || upstream.destroy()));
    upstream.on("close", () => {
      upstreams.delete(upstream);
      if (!isSilent) client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return {
    host,
    url: (url) => url.replace(/(?<=[@/])[^@/?]+(?=\/[^/]*$)/, host),
    silence() {
      isSilent = true;
    },
    loseAnswersTo(text) {
      muteAt = text;
    },
    resume() {
      for (const socket of sockets) socket.destroy();
      isSilent = false;
      isMute = false;
      muteAt = null;
    },
    ports: () => [...upstreams].flatMap(({ localPort }) => localPort ?? []),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

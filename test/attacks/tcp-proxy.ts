import { connect as connectTo, createServer, type Socket } from "node:net";

/** A proxy between a bank and a server that can fall silent without closing a connection. */
export type TcpProxy = {
  /** Returns the URL with the address of this proxy instead of the server. */
  url(server: string): string;
  host: string;
  /** Stops all bytes. Connections are still accepted, and stay open. */
  silence(): void;
  /** Stops all responses once this text has been sent to the server. */
  loseAnswersTo(text: string): void;
  /** Lets bytes through again, but only on new connections. */
  resume(): void;
  /** Returns the local ports of the connections to the server. */
  ports(): number[];
  close(): Promise<void>;
};

/**
 * Opens a proxy on a free loopback port. `target` returns the server (`host:port`) for each new
 * connection. If it returns an empty string, the connection is closed.
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
  // a silent host does not respond to the end of a connection either
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
    // a silent host does not forward the end of a connection either
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

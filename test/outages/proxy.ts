import { connect as connectTo, createServer, type Socket } from "node:net";

/** Stands between a bank and a server, and can fall silent without closing anything. */
export type TcpProxy = {
  /** The URL with this proxy in place of the server. */
  url(server: string): string;
  host: string;
  /** From now on no byte gets through; connections are still accepted, and stay open. */
  silence(): void;
  /** Lets bytes through again, but none of connections that were there before. */
  resume(): void;
  /** Local ports of the connections to the server. */
  ports(): number[];
  close(): Promise<void>;
};

/** Opens a proxy of a server (`host:port`) on a free loopback port. */
export async function openProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const sockets = new Set<Socket>();
  const upstreams = new Set<Socket>();
  let isSilent = false;
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    track(client);
    if (isSilent) {
      client.pause();
      return;
    }
    const upstream = connectTo(Number(port), hostname);
    track(upstream);
    upstreams.add(upstream);
    client.on("data", (chunk) => void (isSilent || upstream.write(chunk)));
    upstream.on("data", (chunk) => void (isSilent || client.write(chunk)));
    // a silent host passes no end of a connection on either
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
    resume() {
      for (const socket of sockets) socket.destroy();
      isSilent = false;
    },
    ports: () => [...upstreams].flatMap(({ localPort }) => localPort ?? []),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

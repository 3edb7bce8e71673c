import { type AddressInfo, createServer } from "node:net";

/** A port that is free now: for configurations with port 0, whose URLs must be known first. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo; // it listens on a port, not a pipe
      server.close(() => resolve(port));
    });
  });
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Opens a server that only sends these bytes: the cost of bare node:http. */
export async function serveBytes(bytes: Buffer): Promise<{ port: number; close(): void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

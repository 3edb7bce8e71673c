import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { callbackPath, newestEventVersion } from "#src/events/event-versions.ts";

/** A callback URL on this machine, to which a bank sends events. */
export type EventListener = {
  url: string;
  /** Returns the next event that has not been returned yet: a SET. */
  next(): Promise<string>;
  close(): void;
};

const path = callbackPath(newestEventVersion);

/** Listens on a free port of loopback until it is closed, and accepts every event. */
export async function listenForEvents(): Promise<EventListener> {
  const arrived: string[] = [];
  const waiting: ((set: string) => void)[] = [];
  const server = createServer(async (request, response) => {
    let set = "";
    for await (const chunk of request.setEncoding("utf8")) set += chunk;
    const id = request.headers["x-fapi-interaction-id"] ?? "";
    response.writeHead(202, { "x-fapi-interaction-id": id }).end();
    const resolve = waiting.shift();
    if (resolve) resolve(set);
    else arrived.push(set);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, not a pipe
  return {
    url: `http://localhost:${port}${path}`,
    next() {
      const set = arrived.shift();
      if (set !== undefined) return Promise.resolve(set);
      return new Promise((resolve) => waiting.push(resolve));
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

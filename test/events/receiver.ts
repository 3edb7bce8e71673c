import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

export const notifications = "/open-banking/v4.0/event-notifications";

/** A request that a TPP's endpoint received. */
export type Received = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
};

/** Returns an endpoint's answer to a request; null means that the endpoint never answers. */
export type Answering = (
  received: Received,
) => { status: number; headers?: Record<string, string>; body?: string } | null;

/** A TPP's endpoint on this machine. */
export type Receiver = {
  url: string;
  /** All requests so far. */
  received: Received[];
  answer: Answering;
  /** Resolves when there have been this many requests. */
  arrived(count: number): Promise<Received[]>;
  /** Requests without an answer. */
  open: Set<ServerResponse>;
  /** Returns the number of connections so far. */
  connections(): number;
  /** Closes the idle connections. */
  closeConnections(): Promise<void>;
  close(): Promise<void>;
};

/** The answer that accepts an event, as the standard requires. */
export const accepted: Answering = ({ headers }) => ({
  status: 202,
  headers: { "x-fapi-interaction-id": String(headers["x-fapi-interaction-id"]) },
});

/** Opens an endpoint; with TLS if it has a key and a certificate. */
export async function openReceiver(
  answer: Answering = accepted,
  pair?: { key: string; cert: string },
): Promise<Receiver> {
  const waiting: { count: number; resolve(): void }[] = [];
  const receiver: Receiver = {
    url: "",
    received: [],
    answer,
    open: new Set(),
    async arrived(count) {
      if (receiver.received.length < count) {
        await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      }
      return receiver.received;
    },
    connections: () => connections,
    async closeConnections() {
      server.closeAllConnections();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  let connections = 0;
  const server = pair ? createSecureServer(pair) : createServer();
  server.on("connection", () => {
    connections++;
  });
  server.on("request", async (request, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body };
    const given = receiver.answer(received);
    receiver.received.push(received);
    if (given) response.writeHead(given.status, given.headers).end(given.body);
    else receiver.open.add(response);
    response.on("close", () => receiver.open.delete(response));
    for (const { count, resolve } of waiting) if (receiver.received.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  receiver.url = `${pair ? "https" : "http"}://localhost:${port}${notifications}`;
  return receiver;
}

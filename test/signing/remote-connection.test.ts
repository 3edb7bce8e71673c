import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { NotSent, openConnections } from "#src/signing/remote-connection.ts";

// A service that answers "/works" and cuts the connection of "/cut" when it has the whole body.
let server: Server;
let url: string;
const arrived: string[] = [];
before(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request); // the whole body has come
    arrived.push(request.url ?? "");
    if (request.url === "/cut") request.socket.resetAndDestroy();
    else response.end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const limits = { connectMs: 5000, totalMs: 5000, mostBytes: 100, tooLarge: "too large" };
const request = (path: string) =>
  ({ method: "POST", path, headers: {}, body: Buffer.from("{}"), limits }) as const;

test("a request that waited for a connection and is cut off counts as sent", async () => {
  const connections = openConnections({ url, connections: 1 });
  const first = connections.exchange(request("works"));
  const cut = connections.exchange(request("cut"));
  await first;
  await assert.rejects(cut, (error) => !(error instanceof NotSent));
  assert.ok(arrived.includes("/cut"), "the service has received it");
  connections.close();
});

test("a request to a place where nothing listens counts as not sent", async () => {
  const connections = openConnections({ url: "http://127.0.0.1:1", connections: 1 });
  await assert.rejects(connections.exchange(request("works")), NotSent);
  connections.close();
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { deadlineHeader, NotSent, openConnections } from "#src/signing/remote-connection.ts";

// A service that answers "/works", cuts the connection of "/cut" when it has the whole body, and
// that of "/half" in its answer.
let server: Server;
let url: string;
const arrived: string[] = [];
const deadlines: unknown[] = [];
before(async () => {
  server = createServer(async (request, response) => {
    for await (const _ of request); // the whole body has come
    arrived.push(request.url ?? "");
    if (request.url === "/cut") deadlines.push(request.headers[deadlineHeader]);
    if (request.url === "/half") {
      response.writeHead(200, { "content-length": 10 });
      return void response.write("{", () => request.socket.resetAndDestroy());
    }
    if (request.url === "/cut") request.socket.resetAndDestroy();
    else response.end("{}");
    return undefined;
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

const timesOf = (path: string): number => arrived.filter((one) => one === path).length;

test("a request that is cut off on a kept connection is repeated once, with the time that is left", async () => {
  const connections = openConnections({ url, connections: 1 });
  const before = timesOf("/cut");
  deadlines.length = 0;
  await connections.exchange(request("works"));
  const given = { ...request("cut"), headers: { [deadlineHeader]: "5000" } };
  await assert.rejects(connections.exchange(given), (error) => !(error instanceof NotSent));
  assert.equal(timesOf("/cut") - before, 2);
  assert.equal(deadlines[0], "5000");
  assert.ok(Number(deadlines[1]) < 5000, `${deadlines[1]} ms`);
  connections.close();
});

test("a request whose answer has begun is not repeated", async () => {
  const connections = openConnections({ url, connections: 1 });
  await connections.exchange(request("works"));
  await assert.rejects(
    connections.exchange(request("half")),
    (error) => !(error instanceof NotSent),
  );
  assert.equal(timesOf("/half"), 1);
  connections.close();
});

// Anybody can call the address on which a TPP hears from its bank. Nothing that is sent there may
// end the TPP's process.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { listenerOf } from "#packages/client/src/listener.ts";

type Answer = Parameters<typeof listenerOf>[1];

/** Runs a listener, and returns what it sends to the bytes of a request. */
async function sending(answer: Answer, bytes: string, isAborted = false): Promise<string> {
  const listener = listenerOf(10, answer);
  const settled = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.on("close", settled.resolve);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  if (isAborted) {
    await new Promise<void>((resolve) => server.once("request", () => resolve()));
    socket.destroy();
  } else await once(socket, "close");
  await settled.promise;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return text.split("\r\n", 1)[0] ?? "";
}

const post = (length: number, body: string): string =>
  `POST /decided HTTP/1.1\r\nHost: tpp.example\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${body}`;

test("the answer is that of the function", async () => {
  const seen: string[] = [];
  const answer: Answer = async (body) => {
    seen.push(body);
    return { status: 204 };
  };
  assert.equal(await sending(answer, post(3, "abc")), "HTTP/1.1 204 No Content");
  assert.deepEqual(seen, ["abc"]);
});

test("a body that is too long gets 413, although its rest never arrives", async () => {
  const answer: Answer = () => assert.fail("the body was taken");
  const got = await sending(answer, post(1000, "x".repeat(11)));
  assert.equal(got, "HTTP/1.1 413 Payload Too Large");
});

test("a caller that leaves in the middle of the body does no harm", async () => {
  const answer: Answer = () => assert.fail("the body was taken");
  assert.equal(await sending(answer, post(100, "abc"), true), "");
});

test("a function that fails gives 500, so the bank tells it again", async () => {
  const answer: Answer = () => Promise.reject(new Error("the database is down"));
  assert.equal(await sending(answer, post(3, "abc")), "HTTP/1.1 500 Internal Server Error");
});

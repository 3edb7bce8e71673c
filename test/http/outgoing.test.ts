import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import { createAddressGuard } from "#src/http/outgoing/address-guard.ts";
import { createSender, type PostReply } from "#src/http/outgoing/guarded-request.ts";
import { createStatusFetch } from "#src/http/outgoing/status-fetch.ts";
import { openReceiver } from "#test/events/receiver.ts";
import { freePort } from "#test/free-port.ts";

const none = new BlockList();
const production = createAddressGuard(false, none);
const sandbox = createAddressGuard(true, none);

const publicAddresses = ["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.169.0.1", "2606:4700::1111"];
const special = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a00:1",
  "2001:db8::1",
  "2002:a00:1::",
  "fc00::1",
  "fd12::1",
  "fe80::1",
  "ff02::1",
];
const loopback = ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"];

test("EV-03: in production, the bank connects only to public addresses", () => {
  for (const address of publicAddresses) assert.ok(production.allows(address), address);
  for (const address of [...special, ...loopback]) assert.ok(!production.allows(address), address);
});

test("EV-03: a sandbox also connects to its own machine, but not to private addresses", () => {
  for (const address of [...publicAddresses, ...loopback]) assert.ok(sandbox.allows(address));
  for (const address of special) assert.ok(!sandbox.allows(address), address);
});

test("EV-03: EVENT_RECEIVER_NETWORKS names the private networks that the bank connects to", () => {
  const networks = new BlockList();
  networks.addSubnet("10.1.0.0", 16, "ipv4");
  const guard = createAddressGuard(false, networks);
  assert.ok(guard.allows("10.1.2.3"));
  assert.ok(!guard.allows("10.2.0.1"));
  assert.ok(!guard.allows("127.0.0.1"));
});

const post = async (guard: typeof sandbox, url: string): Promise<PostReply> => {
  const sender = createSender(guard, "");
  try {
    return await sender.post({ url, body: "event", headers: {} }, new AbortController().signal);
  } finally {
    sender.close();
  }
};

test("EV-03: the bank sends nothing to a URL that leads to its own machine, however it is written", async () => {
  const receiver = await openReceiver();
  const { port } = new URL(receiver.url);
  const hosts = ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"];
  for (const host of [...hosts, "localhost."]) {
    for (const scheme of ["http", "https"]) {
      const reply = await post(production, `${scheme}://${host}:${port}/`);
      assert.equal(reply.status, null, host);
    }
  }
  assert.deepEqual(receiver.received, []);
  await receiver.close();
});

test("EV-19: a response is read no further than needed, and a lost idle connection is replaced", async () => {
  const receiver = await openReceiver(() => ({ status: 202, body: "x".repeat(1_000_000) }));
  const sender = createSender(sandbox, "");
  const { signal } = new AbortController();
  const request = { url: receiver.url, body: "event", headers: {} };
  for (let sent = 0; sent < 3; sent++) {
    const reply = await sender.post(request, signal);
    assert.equal(reply.status, 202);
  }
  receiver.answer = () => ({ status: 202 });
  assert.equal((await sender.post(request, signal)).status, 202);
  await receiver.closeConnections();
  assert.equal((await sender.post(request, signal)).status, 202);
  sender.close();
  await receiver.close();
});

test("EV-19: requests to one host use the same connection one after another", async () => {
  const receiver = await openReceiver(() => ({ status: 202, body: "received" }));
  const sender = createSender(sandbox, "");
  const { signal } = new AbortController();
  for (let sent = 0; sent < 5; sent++) {
    const reply = await sender.post({ url: receiver.url, body: "event", headers: {} }, signal);
    assert.equal(reply.status, 202);
  }
  assert.equal(receiver.connections(), 1);
  sender.close();
  await receiver.close();
});

test("EV-19: a request that is aborted, or that reaches no server, has a reason in place of a status", async () => {
  const receiver = await openReceiver(() => null);
  const sender = createSender(sandbox, "");
  const stop = new AbortController();
  const request = { url: receiver.url, body: "event", headers: {} };
  const waiting = sender.post(request, stop.signal);
  await receiver.arrived(1);
  stop.abort();
  assert.equal((await waiting).status, null);
  await receiver.close();
  const reply = await sender.post(request, new AbortController().signal);
  assert.ok(reply.status === null && reply.reason.length > 0);
  sender.close();
});

test("the failure to fetch a certificate's status says why, also if a name has two addresses", async () => {
  const fetchStatus = createStatusFetch(sandbox, "");
  const url = `http://localhost:${await freePort()}/ocsp`;
  await assert.rejects(fetchStatus(url, null), /ECONNREFUSED/);
});

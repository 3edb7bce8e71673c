import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ShownWorld } from "#src/sandbox/controls/world-shapes.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { firstOfFree } from "#test/free-port.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Host, newTpp, openWorldsHost } from "./worlds-bed.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-forks-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(server));
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));

/** Connects to a port as soon as somebody listens there, and returns the issuer. */
async function firstVisit(port: number): Promise<string> {
  for (;;) {
    const url = `http://localhost:${port}/.well-known/openid-configuration`;
    const answer = await fetch(url, { headers: { connection: "close" } }).catch((error) => {
      if (error.cause?.code === "ECONNREFUSED") return null;
      throw error;
    });
    if (answer) return ((await answer.json()) as { issuer: string }).issuer;
    await setImmediate();
  }
}

/** Certifies another key of a TPP, which the bank finds if it asks the world's own directory. */
async function useNewKey(host: Host, world: ShownWorld, { tpp }: TppClient): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const path = `/directory/software/${tpp.softwareId}/keys`;
  const request = {
    use: "signing",
    publicKeyPem: publicKey.export({ type: "spki", format: "pem" }),
  };
  const { kid } = await host.control<{ kid: string }>("POST", path, request, world.publicUrl);
  const signing = {
    ...tpp.signing,
    kid,
    privateKeyPem: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
  const later = new TppClient({ ...world, operations: host.operations }, { ...tpp, signing });
  await lodgeAccess(later);
  later.close();
}

test("a fork answers nobody before its data have its own addresses", async () => {
  const first = await firstOfFree(4); // the ports of two worlds
  const host = await openWorldsHost({ WORLD_PORTS: `${first}-${first + 3}` });
  try {
    const original = await host.world("original");
    const client = await newTpp(host, original);
    client.close();
    const taken = Number(new URL(original.publicUrl).port);
    const port = taken === first ? first + 2 : first;
    const visit = firstVisit(port);
    const fork = await host.control<ShownWorld>("POST", "/worlds/original/fork", { name: "copy" });
    assert.equal(fork.publicUrl, `http://localhost:${port}`);
    assert.equal(await visit, fork.issuer);
    await useNewKey(host, fork, client);
    await useNewKey(host, original, client);
  } finally {
    await host.close();
  }
});

test("a world that gets other ports reads its TPPs' keys there, also from a snapshot", async () => {
  const first = await firstOfFree(4); // the ports of two worlds
  const settings = { WORLD_PORTS: `${first}-${first + 3}` };
  const before = await openWorldsHost(settings, folder);
  let world: ShownWorld;
  let client: TppClient;
  try {
    world = await before.world("moved");
    client = await newTpp(before, world);
    client.close();
    await before.control("POST", "/worlds/moved/snapshots", { name: "kept" });
  } finally {
    await before.close();
  }
  const other = await listen(Number(new URL(world.publicUrl).port));
  const host = await openWorldsHost(settings, folder);
  try {
    const moved = await host.control<ShownWorld>("GET", "/worlds/moved");
    assert.notEqual(moved.publicUrl, world.publicUrl);
    await useNewKey(host, moved, client);
    await host.control("POST", "/worlds/moved/restore", { snapshot: "kept" });
    await useNewKey(host, moved, client);
  } finally {
    await host.close();
    await close(other);
  }
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { approveIn, type Host, openWorldsHost, tppOf } from "./worlds-bed.ts";

let host: Host;
let red: ShownWorld;
let blue: ShownWorld;
before(async () => {
  host = await openWorldsHost();
  [red, blue] = await Promise.all([host.world("red"), host.world("blue")]);
});
after(() => host?.close());

const refusalOf = async (answer: Promise<Response>): Promise<[number, string]> => {
  const response = await answer;
  return [response.status, ((await response.json()) as { message: string }).message];
};

test("a world has its own addresses, issuer, root and keys, and the same customers", async () => {
  const urls = [host.publicUrl, red.publicUrl, blue.publicUrl, red.mtlsUrl, blue.mtlsUrl];
  assert.equal(new Set(urls).size, urls.length);
  const discovered = await fetch(`${red.publicUrl}/.well-known/openid-configuration`);
  assert.equal(((await discovered.json()) as { issuer: string }).issuer, red.issuer);
  assert.notEqual(red.caPem, blue.caPem);
  assert.deepEqual(red.customers, blue.customers);
  assert.ok(red.customers.length >= 9);
  for (const { signing, transport } of red.tpps) {
    for (const { privateKeyFile, certificateFile } of [signing, transport]) {
      assert.ok(existsSync(privateKeyFile) && existsSync(certificateFile));
    }
  }
});

test("a TPP of one world pays there, and its client is unknown to the others", async () => {
  const client = tppOf(host, red);
  const stranger = tppOf(host, { ...red, publicUrl: blue.publicUrl, mtlsUrl: blue.mtlsUrl });
  try {
    const lodged = await lodge(client);
    const tokens = await approveIn(host, red, client, "payments", lodged.consentId);
    const id = await order(client, lodged, tokens.access_token);
    await untilStatus(client, lodged.kind, id, "ACSC", "ACCC");
    await assert.rejects(stranger.clientToken("payments"));
  } finally {
    client.close();
    stranger.close();
  }
});

test("moving the clock of one world leaves a journey and the tokens of another alone", async () => {
  const client = tppOf(host, blue);
  try {
    const consentId = await lodgeAccess(client);
    const url = await client.authorizationUrl({ scope: "accounts", consentId });
    const { now: before } = await host.control<{ now: string }>(
      "GET",
      "/clock",
      undefined,
      blue.publicUrl,
    );
    const moves = Array.from({ length: 5 }, () =>
      host.control("PUT", "/clock", { advance: "P1D" }, red.publicUrl).catch(() => null),
    );
    const { redirectUrl } = await host.control<{ redirectUrl: string }>(
      "POST",
      "/authorisations",
      { authorizationUrl: url, customer: "amara", decision: "approve" },
      blue.publicUrl,
    );
    const tokens = await client.exchangeCode(redirectUrl);
    await Promise.all(moves);
    const read = await client.call({ path: "/v3.1/aisp/accounts", token: tokens.access_token });
    assert.equal(read.status, 200);
    const { now } = await host.control<{ now: string }>("GET", "/clock", undefined, blue.publicUrl);
    const passed = Temporal.Instant.from(now).since(Temporal.Instant.from(before));
    assert.ok(passed.total("days") < 1, `${before} and ${now}`);
  } finally {
    client.close();
  }
});

test("the list has the worlds by name, without keys", async () => {
  const { worlds } = await host.control<{ worlds: WorldSummary[] }>("GET", "/worlds");
  assert.deepEqual(
    worlds.map(({ name, state, publicUrl }) => [name, state, publicUrl]),
    [
      ["blue", "open", blue.publicUrl],
      ["red", "open", red.publicUrl],
    ],
  );
  assert.doesNotMatch(JSON.stringify(worlds), /PRIVATE KEY/);
});

test("a name that is taken, wrong or unknown is refused, and the message says why", async () => {
  assert.deepEqual(await refusalOf(host.call("POST", "/worlds", { name: "red" })), [
    409,
    'There already is a world "red".',
  ]);
  for (const name of ["", "Red", "-red", "red-", "a".repeat(31), "../red", "é"]) {
    const [status] = await refusalOf(host.call("POST", "/worlds", { name }));
    assert.equal(status, 400, name);
  }
  for (const method of ["GET", "DELETE"]) {
    const [status, message] = await refusalOf(host.call(method, "/worlds/green"));
    assert.equal(status, 404);
    assert.match(message, /no world "green"/);
  }
});

test("a world has no worlds of its own", async () => {
  const [status, message] = await refusalOf(host.call("GET", "/worlds", undefined, red.publicUrl));
  assert.equal(status, 409);
  assert.match(message, /a world has none of its own/);
});

test("a deleted world is gone with its data, and its name is free again", async () => {
  const { name, publicUrl } = await host.control<ShownWorld>("POST", "/worlds", {});
  assert.match(name, /^world-/);
  const folder = join(host.folder, "worlds", "banks", name);
  assert.ok(existsSync(folder));
  await host.control("DELETE", `/worlds/${name}`);
  assert.ok(!existsSync(folder));
  await assert.rejects(fetch(publicUrl));
  const again = await host.world(name);
  assert.equal((await fetch(`${again.publicUrl}/health/live`)).status, 200);
});

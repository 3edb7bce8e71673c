import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { approveIn, type Host, newTpp, openWorldsHost, tppOf } from "./worlds-bed.ts";

let host: Host;
before(async () => {
  host = await openWorldsHost();
});
after(() => host?.close());

// on the day on which the history of the lane's database ends, so that nothing is overdue
const frozenAt = Temporal.Now.instant().toString({ smallestUnit: "second" });

const balancesOf = ({ customers }: Pick<ShownWorld, "customers">): (string | null)[] =>
  customers.flatMap(({ accounts }) => accounts.map(({ balance }) => balance));

const act = <T = ShownWorld>(name: string, path: string, body: object = {}): Promise<T> =>
  host.control<T>("POST", `/worlds/${name}/${path}`, body);

const timeOf = async (world: ShownWorld): Promise<string> =>
  (await host.control<{ now: string }>("GET", "/clock", undefined, world.publicUrl)).now;

/** The balances after everything that is due at this time has been done. */
async function balancesIn(world: ShownWorld, duration = "PT0S"): Promise<(string | null)[]> {
  await advance(world, duration);
  return balancesOf(await host.control("GET", "/customers", undefined, world.publicUrl));
}

const advance = (world: ShownWorld, duration: string): Promise<unknown> =>
  host.control("PUT", "/clock", { advance: duration }, world.publicUrl);

/** Pays from Amara's account, so that balances change. */
async function pay(world: ShownWorld): Promise<void> {
  const client = tppOf(host, world);
  try {
    const lodged = await lodge(client);
    const tokens = await approveIn(host, world, client, "payments", lodged.consentId);
    const id = await order(client, lodged, tokens.access_token);
    await untilStatus(client, lodged.kind, id, "ACSC", "ACCC");
  } finally {
    client.close();
  }
}

const seen = async (client: TppClient, consentId: string): Promise<number> => {
  const token = await client.clientToken("accounts");
  return (await client.call({ path: `/v3.1/aisp/account-access-consents/${consentId}`, token }))
    .status;
};

test("a reset returns customers, money and time, and keeps TPPs with their keys", async () => {
  const clock = { start: frozenAt, rate: 0 };
  const world = await host.control<ShownWorld>("POST", "/worlds", { name: "again", clock });
  assert.equal(world.now, frozenAt);
  const begun = await balancesIn(world);
  const tpp = await newTpp(host, world);
  const consentId = await lodgeAccess(tpp);
  await pay(world);
  await advance(world, "P40D");
  assert.notDeepEqual(await balancesIn(world), begun);
  tpp.close();
  const reset = await act("again", "reset");
  assert.deepEqual(await balancesIn(world), begun);
  assert.deepEqual([reset.now, reset.publicUrl], [world.now, world.publicUrl]);
  assert.deepEqual(
    reset.tpps.map(({ clientId, signing }) => [clientId, signing.kid]),
    world.tpps.map(({ clientId, signing }) => [clientId, signing.kid]),
  );
  assert.equal(reset.caPem, world.caPem);
  assert.equal(await seen(tpp, consentId), 400, "the consent is gone");
  await lodgeAccess(tpp);
  await pay(world);
  tpp.close();
});

test("a restored snapshot has its data and time, and the TPPs that came later", async () => {
  const clock = { start: frozenAt, rate: 0 };
  const world = await host.control<ShownWorld>("POST", "/worlds", { name: "snapped", clock });
  await pay(world);
  await advance(world, "P1D");
  const [before, kept] = [await timeOf(world), await balancesIn(world)];
  const { snapshots } = await act<WorldSummary>("snapped", "snapshots", { name: "paid" });
  assert.deepEqual(
    snapshots.map(({ name, now }) => [name, now]),
    [["paid", before]],
  );
  const tpp = await newTpp(host, world);
  const consentId = await lodgeAccess(tpp);
  await pay(world);
  await advance(world, "P10D");
  tpp.close();
  const restored = await act("snapped", "restore");
  assert.deepEqual([restored.now, await timeOf(world)], [before, before]);
  assert.deepEqual(await balancesIn(world), kept);
  assert.equal(await seen(tpp, consentId), 400);
  await lodgeAccess(tpp);
  tpp.close();
  const { snapshots: left } = await host.control<WorldSummary>(
    "DELETE",
    "/worlds/snapped/snapshots/paid",
  );
  assert.deepEqual(left, []);
  const refused = await host.call("POST", "/worlds/snapped/restore", { snapshot: "paid" });
  assert.equal(refused.status, 404);
});

test("a fork has the data and TPPs of its original, and goes its own way", async () => {
  const original = await host.world("original");
  const client = tppOf(host, original);
  const consentId = await lodgeAccess(client);
  await advance(original, "P2D");
  const fork = await act("original", "fork", { name: "copy" });
  assert.notEqual(fork.issuer, original.issuer);
  const apart = Temporal.Instant.from(await timeOf(fork)).since(await timeOf(original));
  assert.ok(Math.abs(apart.total("minutes")) < 30, `${apart}`);
  // the same keys and certificates, at the other address
  const there = new TppClient({ ...fork, operations: host.operations }, client.tpp);
  assert.equal(await seen(there, consentId), 200);
  await pay(fork);
  const [paid, unpaid] = [await balancesIn(fork, "PT1M"), await balancesIn(original, "PT1M")];
  assert.notDeepEqual(paid, unpaid);
  client.close();
  there.close();
});

test("a certificate that is revoked in a world stays good in its copy, and the other way round", async () => {
  const original = await host.world("revoking");
  const [one, other] = [await newTpp(host, original), await newTpp(host, original)];
  const fork = await act("revoking", "fork", { name: "revoking-copy" });
  const isServed = async (world: ShownWorld, { tpp }: Pick<TppClient, "tpp">): Promise<boolean> => {
    const client = new TppClient({ ...world, operations: host.operations }, tpp);
    try {
      return await client.clientToken("accounts").then(
        () => true,
        () => false,
      );
    } finally {
      client.close();
    }
  };
  const revoke = async (world: ShownWorld, { tpp }: Pick<TppClient, "tpp">): Promise<void> => {
    const path = `/tpps/${tpp.clientId}/revocations`;
    await host.control("POST", path, { use: "transport" }, world.publicUrl);
    while (await isServed(world, { tpp })) await delay(100);
  };
  await revoke(original, one);
  await revoke(fork, other);
  assert.ok(await isServed(fork, one), "revoked only in the original");
  assert.ok(await isServed(original, other), "revoked only in the copy");
  for (const client of [one, other]) client.close();
});

test("a clock that begins nowhere is refused, and the message has an example", async () => {
  for (const start of ["yesterday", "2027-13-01T09:00Z", "2027-03-01", "1999-01-01T09:00Z"]) {
    const response = await host.call("POST", "/worlds", { clock: { start } });
    assert.equal(response.status, 400, start);
    assert.match(await response.text(), /2027-03-01T09:00Z/);
  }
});

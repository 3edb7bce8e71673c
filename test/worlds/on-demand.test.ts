import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { ShownWorld, WorldSummary } from "#src/sandbox/controls/world-shapes.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { type Host, openWorldsHost, tppOf } from "./worlds-bed.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-kept-worlds-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const stateOf = async (host: Host, name: string): Promise<string | undefined> => {
  const { worlds } = await host.control<{ worlds: WorldSummary[] }>("GET", "/worlds");
  return worlds.find((world) => world.name === name)?.state;
};

/** The status of an address of a world, over a connection of its own. */
const visit = (url: string, ca: string): Promise<number | undefined> =>
  url.startsWith("http:")
    ? fetch(url, { headers: { connection: "close" } }).then(({ status }) => status)
    : new Promise((resolve, reject) => {
        request(url, { ca, agent: false }, (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode));
        })
          .on("error", reject)
          .end();
      });

test("an idle world is closed, and opens at the first connection to either of its ports", async () => {
  const host = await openWorldsHost({ WORLDS_IDLE_SECONDS: 1 });
  try {
    const world = await host.world("sleeper");
    const urls = [
      `${world.publicUrl}/health/live`,
      `${world.mtlsUrl}/.well-known/openid-configuration`,
    ];
    for (const url of urls) {
      await until(
        () => stateOf(host, "sleeper"),
        (state) => state === "closed",
      );
      const statuses = await Promise.all([1, 2, 3].map(() => visit(url, world.caPem)));
      assert.deepEqual(new Set(statuses), new Set([200]), url);
    }
  } finally {
    await host.close();
  }
});

test("when too many worlds would be open, the one unused for the longest time is closed", async () => {
  const host = await openWorldsHost({ WORLDS_OPEN: 1 });
  try {
    const [first, second] = [await host.world("first"), await host.world("second")];
    assert.deepEqual(
      [await stateOf(host, "first"), await stateOf(host, "second")],
      ["closed", "open"],
    );
    for (const { publicUrl, caPem } of [first, second, first]) {
      assert.equal(await visit(`${publicUrl}/health/live`, caPem), 200);
    }
    // a connection that stays open keeps its world open
    const client = tppOf(host, second);
    await lodgeAccess(client);
    const refused = await host.call("GET", "/worlds/first");
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /WORLDS_OPEN/);
    client.close();
  } finally {
    await host.close();
  }
});

test("worlds, their addresses, data and TPPs outlast the process", async () => {
  let kept: ShownWorld;
  let consentId: string;
  const host = await openWorldsHost({}, folder);
  try {
    kept = await host.world("kept");
    const client = tppOf(host, kept);
    consentId = await lodgeAccess(client);
    client.close();
  } finally {
    await host.close();
  }
  const later = await openWorldsHost({}, folder);
  try {
    assert.equal(await stateOf(later, "kept"), "closed");
    const client = tppOf(later, kept);
    const token = await client.clientToken("accounts");
    const path = `/v3.1/aisp/account-access-consents/${consentId}`;
    assert.equal((await client.call({ path, token })).status, 200);
    client.close();
    assert.deepEqual(
      { ...(await later.control<ShownWorld>("GET", "/worlds/kept")), now: kept.now },
      kept,
    );
  } finally {
    await later.close();
  }
});

test("after a restart, the list has the rate at which the clock of a closed world ran", async () => {
  const kept = mkdtempSync(join(tmpdir(), "aldgate-kept-rate-"));
  const rateOf = async (host: Host): Promise<number | undefined> => {
    const { worlds } = await host.control<{ worlds: WorldSummary[] }>("GET", "/worlds");
    return worlds.find(({ name }) => name === "changed")?.clock.rate;
  };
  try {
    const host = await openWorldsHost({}, kept);
    const clock = { start: "2027-03-01T09:00Z", rate: 0 };
    const world = await host.control<ShownWorld>("POST", "/worlds", { name: "changed", clock });
    await host.control("PUT", "/clock", { rate: 60 }, world.publicUrl);
    await host.close();
    const later = await openWorldsHost({}, kept);
    try {
      assert.equal(await stateOf(later, "changed"), "closed");
      assert.equal(await rateOf(later), 60);
      assert.equal(
        (await later.control<ShownWorld>("POST", "/worlds/changed/reset", {})).clock.rate,
        0,
      );
    } finally {
      await later.close();
    }
  } finally {
    rmSync(kept, { recursive: true, force: true });
  }
});

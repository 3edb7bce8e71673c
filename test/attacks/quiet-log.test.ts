import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import * as https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type BankProcess, startBank } from "./bank-process.ts";
import { floodLogins } from "./login-flood.ts";

let folder: string;
let bank: BankProcess;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-quiet-"));
  const settings = { LOGIN_CONCURRENCY: "2", LOGIN_QUEUE: "4", LOGIN_FAILURES_PER_MINUTE: "0" };
  bank = await startBank(folder, { ...settings, LOG_LEVEL: "warn" });
});
after(async () => {
  await bank?.close();
  rmSync(folder, { recursive: true, force: true });
});

const entries = () =>
  bank.log.map((line) => JSON.parse(line) as { level: number; msg: string; refused?: number });
const errors = () => entries().filter(({ level }) => level >= 50);

/** Sends a request without a certificate. Returns its status. */
function send(url: string, method: string, body: string | null, type: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body === null ? {} : { "content-type": type };
    const options = { method, headers, agent: false as const, rejectUnauthorized: false };
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

test("no anonymous request to an API, an endpoint or a page logs an error", async () => {
  const api = bank.operations.map(({ method, path }) => [method, path] as const);
  const endpoints = ["/auth", "/token", "/request", "/me", "/register", "/register/x"];
  const pages = ["/", "/bank", "/bank/login", "/journey/x", "/docs", "/jwks", "/events", "/%00"];
  const others = [...endpoints, "/token/revocation", "/token/introspection", ...pages].flatMap(
    (path) => ["GET", "POST", "PUT", "DELETE"].map((method) => [method, path] as const),
  );
  let sent = 0;
  for (const [method, path] of [...api, ...others]) {
    const url = `${bank.mtlsUrl}${path.replaceAll(/[:{]\w+}?/g, "x")}`;
    for (const [body, type] of [
      [null, ""],
      ["{", "application/json"],
      ["a=b&a=c&client_id=x&request=x.y.z", "application/x-www-form-urlencoded"],
    ] as const) {
      const status = await send(url, method, method === "GET" ? null : body, type);
      assert.ok(status < 500, `${method} ${path}: ${status}`);
      sent += 1;
    }
  }
  assert.ok(sent > 300, `${sent} requests`);
  assert.deepEqual(errors(), []);
});

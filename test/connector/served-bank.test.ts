// The sandbox bank as a core in a process of its own would be: another Aldgate has its customers,
// its account data and its payments, and there is nothing but HTTP between them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { loadConfig } from "#src/config/config.ts";
import { serveCore } from "#src/connector/serve-core.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openServedBank } from "#src/server/sandbox/served-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { copySeeded, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { until } from "#test/until.ts";

const token = "a-token-of-the-core-that-sends-facts";
let folder: string;
let ofCore: Database;
let served: Awaited<ReturnType<typeof openServedBank>>;
let app: FastifyInstance;
let bank: TestBank;
let client: TppClient;
let accountId: string;
let access: string;
let isWithoutCodes = false;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-served-"));
  ofCore = await copySeeded();
  const config = { ...loadConfig({}), ALDGATE_DATA: folder };
  served = await openServedBank({
    config,
    database: ofCore,
    clock: systemClock,
    onProgress: () => undefined,
  });
  const readTestCode = async (challengeId: string): Promise<string | null> => {
    if (isWithoutCodes) throw new Error("no codes today");
    return served.core.readTestCode?.(challengeId) ?? null;
  };
  app = serveCore({ ...served.core, readTestCode });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  // two banks in one process: on a busy machine, a call may take long
  const patient = { BANK_IDENTIFY_DEADLINE_MS: 60_000, BANK_READ_DEADLINE_MS: 60_000 };
  bank = await openBank({ BANK_URL: url, BANK_TOKEN: token, ...patient }, await openEmpty());
  client = await bank.createTpp();
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  const consentId = await lodgeAccess(client);
  const given = { scope: "accounts", consentId, customer: "amara" } as const;
  access = (await bank.approve(client, { ...given, accounts: [accountId] })).access_token;
});
after(async () => {
  await bank?.close();
  await app?.close();
  await served?.stop();
  await ofCore?.close();
  rmSync(folder, { recursive: true, force: true });
});

type Body = { Data: { Transaction: { TransactionReference?: string }[]; Balance: unknown[] } };
const read = (resource: string) =>
  client.call<Body>({ path: `/v3.1/aisp/accounts/${accountId}/${resource}`, token: access });

test("a sandbox with BANK_URL has the customers of the core, and logs them in", async () => {
  const customers = await bank.customers();
  assert.ok(customers.some(({ login }) => login === "amara"));
  assert.equal(bank.sandbox?.core?.bank, bank.bank);
});

test("the account data of the core arrives by its changes, and none of it is refused", async () => {
  const { body } = await until(
    () => read("transactions"),
    (answer) => answer.status === 200 && answer.body.Data.Transaction.length > 0,
  );
  assert.ok(body.Data.Transaction.length > 5);
  expectStatus(await read("balances"), 200);
  const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  assert.doesNotMatch(metrics, /^aldgate_facts_refused\{/m);
});

test("a payment settles at the core, and its transaction comes back", async () => {
  const lodged = await lodge(client, { amount: "3.21" });
  const given = { scope: "payments", consentId: lodged.consentId, customer: "amara" } as const;
  const { access_token: paying } = await bank.approve(client, { ...given, accounts: [accountId] });
  const orderId = await order(client, lodged, paying);
  await untilStatus(client, "domestic-payment", orderId, "ACCC");
  await until(
    () => read("transactions"),
    ({ body }) =>
      body.Data.Transaction.some((one) => JSON.stringify(one).includes('"Amount":"3.21"')),
  );
});

test("a page of a sandbox whose core does not return test codes says that the core is out of service", async () => {
  const consentId = await lodgeAccess(client);
  isWithoutCodes = true;
  try {
    await assert.rejects(
      bank.approve(client, { scope: "accounts", consentId, customer: "amara" }),
      /the bank's page answered 503/,
    );
  } finally {
    isWithoutCodes = false;
  }
});

async function send(method: string, path: string, body?: unknown, bearer = token) {
  const response = await fetch(`${bank.managementUrl}/core/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const version = 9_000_000_000_000;
const stated = (amountMinor: string) => ({
  version,
  accountId,
  currency: "GBP",
  statedAt: "2026-11-24T09:00:00Z",
  balances: [{ type: "InterimBooked", amountMinor }],
});

test("a core sends account data by itself, and learns which facts were refused", async () => {
  const { status, body } = await send("POST", "/changes?source=mainframe", {
    balances: [stated("777"), { ...stated("1"), currency: "XYZ" }],
    position: { cursor: "log 7" },
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    stored: 1,
    refused: [
      {
        kind: "balances",
        key: `${accountId} XYZ`,
        path: "/currency",
        rule: "must be a currency of ISO 4217",
      },
    ],
  });
  assert.match((await read("balances")).raw.toString(), /"Amount":"7\.77"/);
  const cursor = await send("GET", "/changes/cursor?source=mainframe");
  assert.deepEqual(cursor.body, { cursor: "log 7" });
});

test("a core whose clock is ten years ahead learns that its mark was refused, and its facts are stored", async () => {
  const { status, body } = await send("POST", "/changes?source=mainframe", {
    balances: [{ ...stated("777"), version: version + 1 }],
    position: { deliveredUpTo: systemClock.now().add({ hours: 87_600 }) },
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    stored: 1,
    refused: [
      {
        kind: "position",
        key: "deliveredUpTo",
        path: "/deliveredUpTo",
        rule: "must not be more than 60 seconds after the bank's time",
      },
    ],
  });
});

test("changes that a core has read after another cursor than Aldgate's get 409 and change nothing", async () => {
  const changes = (after: string, cursor: string) => ({
    balances: [{ ...stated("778"), version: version + 1 }],
    position: { after, cursor },
  });
  const late = await send("POST", "/changes?source=mainframe", changes("log 6", "log 8"));
  assert.equal(late.status, 409);
  assert.match(String(late.body.message), /continue from the cursor of the store/);
  const cursor = await send("GET", "/changes/cursor?source=mainframe");
  assert.deepEqual(cursor.body, { cursor: "log 7" });
  assert.match((await read("balances")).raw.toString(), /"Amount":"7\.77"/);
  const next = await send("POST", "/changes?source=mainframe", changes("log 7", "log 8"));
  assert.deepEqual(next, { status: 200, body: { stored: 1, refused: [] } });
});

test("changes that are none, a wrong token and a wrong source are refused", async () => {
  const typo = await send("POST", "/changes?source=typo", { ballances: [] });
  const [refusal] = typo.body.refused as Record<"kind" | "key" | "path" | "rule", string>[];
  const { kind, key, path } = refusal ?? {};
  assert.deepEqual([kind, key, path], ["changes", "from the beginning", "/ballances"]);
  assert.match(String(refusal?.rule), /^is unknown; it must be one of products/);
  const wrong = await send("POST", "/changes", { position: { after: 7 } });
  assert.equal(wrong.status, 400);
  assert.match(String(wrong.body.message), /^position.after must be a text or null/);
  const empty = await send("POST", "/changes", { position: { cursor: "" } });
  const [cursorRefusal] = empty.body.refused as { key: string; rule: string }[];
  assert.equal(cursorRefusal?.key, "cursor");
  assert.equal(cursorRefusal?.rule, "must be a text of 1 to 1,000 characters");
  assert.equal((await send("POST", "/changes")).status, 400);
  assert.equal((await send("POST", "/changes", {}, "another-token")).status, 401);
  const source = await send("POST", "/changes?source=a%20b", { position: { cursor: "1" } });
  assert.match(String(source.body.message), /source must be 1 to 40 ASCII characters/);
  const cursor = await send("GET", "/changes/cursor?source=a%20b");
  assert.equal(cursor.status, 400);
  assert.match(String(cursor.body.message), /source must be 1 to 40 ASCII characters/);
  const ids = await send("POST", "/payments/nudge", { paymentIds: [] });
  assert.equal(ids.status, 400);
  const unknown = await send("POST", "/payments/nudge", { paymentIds: ["pay-unknown"] });
  assert.deepEqual(unknown, { status: 200, body: { asked: 0 } });
});

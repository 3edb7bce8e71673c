import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Bank } from "#src/bank/port.ts";
import { type Config, ConfigError, loadConfig } from "#src/config/config.ts";
import { purgeAttachedData } from "#src/consents/attached-data.ts";
import { hasWaitingPayment } from "#src/payments/order/payment-order.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openAttachedData } from "#src/server/opening/open-attached-data.ts";
import type { Database } from "#src/storage/database.ts";
import {
  clearAttachedData,
  copyAttachedData,
  readAttachedData,
} from "#test/consents/stored-rows.ts";
import { freePort } from "#test/free-port.ts";
import { copySeeded, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, submit, untilStatus } from "#test/journeys/payments.ts";
import { tablesWith } from "#test/storage/tables-with.ts";
import { until } from "#test/until.ts";
import { attaching } from "./attaching-core.ts";
import { approved, readyToPay, type SecondBank, startSecondBank } from "./second-bank.ts";

// What the bank's core attaches to consents: it comes back with every later call, and only there.

const token = "a-token-of-the-banks-own-channels";
const folder = mkdtempSync(join(tmpdir(), "aldgate-attached-"));
const settings = {
  BANK_MODULE: fileURLToPath(new URL("attaching-core.ts", import.meta.url)),
  BANK_BREAKER_RETRY_MS: 200,
  CHANNELS_TOKEN: token,
  ALDGATE_DATA: folder,
};
const [oldKey, newKey] = ["1a".repeat(32), "2b".repeat(32)];
const kind = "domestic-payment";

let second: SecondBank;
let database: Database;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  database = await copySeeded();
  const ports = { PUBLIC_PORT: await freePort(), MTLS_PORT: await freePort() };
  Object.assign(settings, ports);
  bank = await open({});
  client = await bank.createTpp();
});
beforeEach(() => {
  attaching.says = true;
  attaching.heard.length = 0;
  attaching.answer = () => ({ result: "allow" });
});
after(async () => {
  await bank?.close();
  await database?.close();
  await second?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the bank on the same database, with its core loaded again. */
const open = (more: Partial<Config>): Promise<TestBank> =>
  openBank({ ...settings, ...more }, { ...database, close: async () => undefined });

/** Opens the bank again with other settings, and returns the TPP as it is. */
async function reopen(more: Partial<Config>): Promise<void> {
  await bank.close();
  bank = await open(more);
  client = new TppClient(bank, client.tpp);
}

const attach = (attachedData: string) => {
  attaching.answer = () => ({ result: "allow", attachedData });
};

/** What the core has heard about a consent, call by call. */
const heardOf = (consentId: string) =>
  attaching.heard
    .filter((one) => one.consentId === consentId)
    .map(({ call, attachedData }) => [call, attachedData]);

/** Lets Ada share an account. */
async function giveAccess(consentId?: string): Promise<string> {
  const id = consentId ?? (await lodgeAccess(client));
  const accounts = consentId ? {} : { accounts: ["second-current"] };
  await bank.approve(client, { scope: "accounts", consentId: id, customer: "ada", ...accounts });
  return id;
}

test("what the core attaches comes back unchanged with the order, its payments and all notices", async () => {
  const data = `{"case":"4711 ~!\\"'\\\\"}${"x".repeat(4000)}`;
  attach(data);
  const { lodged, token: access } = await approved(bank, client, "31.01");
  const id = await order(client, lodged, access);
  await untilStatus(client, kind, id, "ACCC");
  const heard = await until(
    async () => heardOf(lodged.consentId),
    (all) => all.some(([call]) => call === "order-ended"),
  );
  const calls = new Map(heard.map(([call = "", found]) => [call, found]));
  assert.deepEqual(calls.get("assess"), undefined);
  const later = ["assessOrder", "reserve", "consent-given", "consent-used", "order-received"];
  for (const call of [...later, "order-ended"]) assert.equal(calls.get(call), data, call);
});

test("what is attached is stored encrypted, and nobody but the core sees it", async () => {
  attach("case=wombat");
  const consentId = await giveAccess();
  const stored = await readAttachedData(database, consentId);
  assert.equal(stored?.keyId, "sandbox");
  assert.doesNotMatch(Buffer.from(stored.sealed, "base64url").toString("latin1"), /wombat/);
  assert.deepEqual(await tablesWith(database, "case=wombat"), []);
  assert.ok((await tablesWith(database, consentId)).includes("attached_data"));
  const path = `/v4.0/aisp/account-access-consents/${consentId}`;
  const shown = await client.call<object>({ path, token: await client.clientToken("accounts") });
  expectStatus(shown, 200);
  const channel = await fetch(`${bank.managementUrl}/channels/v1/consents/${consentId}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(channel.status, 200);
  assert.doesNotMatch(`${JSON.stringify(shown.body)}${await channel.text()}`, /wombat|attached/i);
});

test("a renewal is assessed with what is attached: new data replace it, and without any it stays", async () => {
  attach("first");
  const consentId = await giveAccess();
  attach("second");
  await giveAccess(consentId);
  attaching.answer = () => ({ result: "allow" });
  await giveAccess(consentId);
  await giveAccess(consentId);
  const assessed = heardOf(consentId).filter(([call]) => call === "assess");
  assert.deepEqual(
    assessed.map(([, data]) => data),
    [undefined, "first", "second", "second"],
  );
});

test("a core that attaches nothing gets nothing back", async () => {
  const { lodged, token: access } = await approved(bank, client, "31.02");
  await untilStatus(client, kind, await order(client, lodged, access), "ACCC");
  assert.equal(await readAttachedData(database, lodged.consentId), undefined);
  assert.ok(heardOf(lodged.consentId).every(([, data]) => data === undefined));
});

for (const [what, data] of [
  ["too long", "x".repeat(4097)],
  ["empty", ""],
  ["not ASCII", "Zoë"],
  ["of two lines", "a\nb"],
] as const) {
  test(`what is attached must not be ${what}: nothing is authorised then`, async () => {
    attach(data);
    const consentId = await lodgeAccess(client);
    const accounts = ["second-current"];
    const given = { scope: "accounts", consentId, customer: "ada", accounts } as const;
    await assert.rejects(bank.approve(client, given));
    assert.equal(await readAttachedData(database, consentId), undefined);
    attach("x".repeat(4096));
    await bank.approve(client, given);
    assert.ok(await readAttachedData(database, consentId));
  });
}

test("data that were moved to another consent are not given to the core", async () => {
  attach("case=4713");
  const { lodged: one } = await approved(bank, client, "31.03");
  attaching.answer = () => ({ result: "allow" });
  const { lodged: other, token: access } = await approved(bank, client, "31.04");
  await copyAttachedData(database, one.consentId, other.consentId);
  expectStatus(await submit(client, other, access), 503);
  assert.ok(heardOf(other.consentId).every(([call]) => call !== "assessOrder"));
  await clearAttachedData(database);
});

test("a new key encrypts, and earlier data are decrypted with their own", async () => {
  await clearAttachedData(database);
  await reopen({ ATTACHED_DATA_KEYS: `old=${oldKey}` });
  attach("with the old key");
  const early = await approved(bank, client, "31.05");
  await reopen({ ATTACHED_DATA_KEYS: `new=${newKey}, old=${oldKey}` });
  attach("with the new key");
  const late = await approved(bank, client, "31.06");
  assert.equal((await readAttachedData(database, early.lodged.consentId))?.keyId, "old");
  assert.equal((await readAttachedData(database, late.lodged.consentId))?.keyId, "new");
  for (const { lodged, token: access } of [early, late]) await order(client, lodged, access);
  const ordered = attaching.heard.filter(({ call }) => call === "assessOrder");
  assert.deepEqual(
    ordered.map(({ attachedData }) => attachedData),
    ["with the old key", "with the new key"],
  );
  await bank.close();
  await assert.rejects(
    open({ ATTACHED_DATA_KEYS: `new=${newKey}` }),
    /^Error: ATTACHED_DATA_KEYS: the key old is missing, with which stored data is encrypted/,
  );
  for (const keys of [`new=${newKey},old=${newKey}`, `old=${oldKey},new=${oldKey}`]) {
    await assert.rejects(
      open({ ATTACHED_DATA_KEYS: keys }),
      /^Error: ATTACHED_DATA_KEYS: the key (old|new) is another one than that with which stored/,
    );
  }
  await assert.rejects(
    open({ ATTACHED_DATA_KEYS: `new=${newKey},new=${oldKey}` }),
    /ATTACHED_DATA_KEYS: two keys have the same id/,
  );
  await clearAttachedData(database);
  await reopen({});
});

test("a core that does not say that it attaches data gets none back, and none is kept", async () => {
  attaching.says = false;
  await reopen({});
  attach("case=4714");
  const { lodged, token: access } = await approved(bank, client, "31.07");
  await untilStatus(client, kind, await order(client, lodged, access), "ACCC");
  assert.equal(await readAttachedData(database, lodged.consentId), undefined);
  assert.ok(heardOf(lodged.consentId).every(([, data]) => data === undefined));
  attaching.says = true;
  await reopen({});
});

test("data are erased 400 days after their consent has ended, and its last payment was made", async () => {
  await clearAttachedData(database);
  attach("case=4715");
  const inUse = await giveAccess();
  const ended = await giveAccess();
  await bank.control("POST", `/consents/${ended}/revoke`, {});
  const date = bank.clock
    .now()
    .add({ hours: 24 * 2 })
    .toString();
  const scheduled = await lodge(client, {
    kind: "domestic-scheduled-payment",
    amount: "31.08",
    initiation: { RequestedExecutionDateTime: date },
  });
  const paidLater = await readyToPay(bank, client, scheduled);
  const id = await order(client, scheduled, paidLater.token);
  const left = async (days: number): Promise<boolean[]> => {
    const now = bank.clock.now().add({ hours: 24 * days });
    await purgeAttachedData(database, now, hasWaitingPayment);
    const ids = [inUse, ended, scheduled.consentId];
    const rows = await Promise.all(ids.map((id) => readAttachedData(database, id)));
    return rows.map((row) => row !== undefined);
  };
  assert.deepEqual(await left(399), [true, true, true]);
  assert.deepEqual(await left(401), [true, false, true]);
  await bank.advance("P3D");
  await untilStatus(client, scheduled.kind, id, "ACCC");
  assert.deepEqual(await left(420), [true, false, true], "looked at again after 30 days");
  assert.deepEqual(await left(440), [true, false, false]);
});

test("production refuses a core that attaches data to consents, without a key to encrypt it", async () => {
  const options = {
    config: loadConfig({ ALDGATE_PROFILE: "production" }),
    database,
    keys: { cookieSecret: "c".repeat(32) },
  };
  const fault =
    /^ATTACHED_DATA_KEYS: the core attaches data to consents, so production needs a key/;
  const attachingBank = { bank: { attachesData: true } as Bank };
  await assert.rejects(openAttachedData(attachingBank, options), (error) => {
    return error instanceof ConfigError && fault.test(error.message);
  });
  const { attachedData } = await openAttachedData({ bank: {} as Bank }, options);
  assert.equal(attachedData, null);
});

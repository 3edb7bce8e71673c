import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { freePort } from "#test/free-port.ts";
import { copySeeded, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { order, readConsent, readOrder, submit, untilStatus } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { assessed } from "./core-that-assesses.ts";
import { approved, type SecondBank, startSecondBank } from "./second-bank.ts";

// The call `assessOrder` of a bank's own core, with its guard.

const modulePath = fileURLToPath(new URL("core-that-assesses.ts", import.meta.url));
const settings = { BANK_MODULE: modulePath, BANK_READ_DEADLINE_MS: 2000 };
const kind = "domestic-payment";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  bank = await openBank(settings);
  client = await bank.createTpp();
});
beforeEach(() => {
  assessed.orders.length = 0;
  assessed.answerOrder = () => ({ result: "allow" });
});
after(async () => {
  await bank?.close();
  await second?.close();
});

const reason = { code: "TM01", text: "The cut-off of this account has passed." };
const soon = () => Temporal.Now.instant().add({ hours: 1 });
const later = { result: "later", reason };

const unusable: readonly [name: string, answer: () => unknown][] = [
  ["fails", () => Promise.reject(new Error("out of order"))],
  ["never answers", () => new Promise(() => undefined)],
  ["answers what the port does not define", () => ({ result: "perhaps" })],
  ["asks for a further code", () => ({ result: "step up", customerText: "Once more." })],
  ["refuses without a reason", () => ({ result: "refuse" })],
  [
    "refuses with a code that is not published",
    () => ({ result: "refuse", reason: { ...reason, code: "ZZ99" } }),
  ],
  ["gives a reason without a text", () => ({ ...later, until: soon(), reason: { code: "TM01" } })],
  ["gives no time", () => later],
  ["gives a time that is a text", () => ({ ...later, until: soon().toString() })],
];

for (const [name, answer] of unusable) {
  test(`P-047: if the core ${name}, the order gets 503, and the same request is accepted later`, async () => {
    const { lodged, token } = await approved(bank, client, "21.01");
    const key = randomUUID();
    assessed.answerOrder = answer;
    const outage = await submit(client, lodged, token, key);
    expectStatus(outage, 503);
    assert.ok(Number(outage.headers["retry-after"]) >= 1);
    const { status } = await readConsent(client, `${kind}-consents`, lodged.consentId);
    assert.equal(status, "AUTH");
    assessed.answerOrder = () => ({ result: "allow" });
    const id = await order(client, lodged, token, key);
    assert.equal(await order(client, lodged, token, key), id);
    const [first, again] = assessed.orders;
    assert.equal(first?.orderId, id);
    assert.equal(again?.orderId, id);
    assert.equal(assessed.orders.length, 2);
    await untilStatus(client, kind, id, "ACCC");
  });
}

test("P-055: of equal requests that the core is asked about at once, one creates the order", async () => {
  const { lodged, token } = await approved(bank, client, "21.02");
  const together = 4;
  const { promise, resolve } = Promise.withResolvers<void>();
  assessed.answerOrder = async () => {
    if (assessed.orders.length === together) resolve();
    await promise;
    return { result: "allow" };
  };
  const key = randomUUID();
  const ids = await Promise.all(
    Array.from({ length: together }, () => order(client, lodged, token, key)),
  );
  assert.equal(new Set(ids).size, 1);
  await untilStatus(client, kind, String(ids[0]), "ACCC");
  const debits = (await second.books()).entries.filter((one) => one.amountMinor === -2102n);
  assert.equal(debits.length, 1);
});

test("an order that the core refuses has ended when the core is told of it", async () => {
  assessed.answerOrder = () => ({ result: "refuse", reason });
  const { lodged, token } = await approved(bank, client, "21.04");
  const id = await order(client, lodged, token);
  const told = await until(
    () => assessed.told.filter(({ orderId }) => orderId === id),
    ({ length }) => length > 0,
  );
  assert.deepEqual(
    told.map(({ occasion, status }) => [occasion, status]),
    [["order-ended", "RJCT"]],
  );
});

test("an order that waits for the core's time is paid then, although the bank was restarted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-restarted-"));
  const ports = { PUBLIC_PORT: await freePort(), MTLS_PORT: await freePort() };
  const same = { ...settings, ...ports, ALDGATE_DATA: folder };
  const database = await copySeeded();
  try {
    const first = await openBank(same, { ...database, close: async () => undefined });
    const tpp = await first.createTpp();
    const { lodged, token } = await approved(first, tpp, "21.03");
    assessed.answerOrder = () => ({ ...later, until: first.clock.now().add({ hours: 1 }) });
    const id = await order(tpp, lodged, token);
    await first.close();
    const next = await openBank(same, database);
    const again = new TppClient(next, tpp.tpp);
    try {
      const waiting = await readOrder(again, kind, id);
      assert.equal(waiting.Status, "PDNG");
      assert.deepEqual(waiting.StatusReason, [
        { StatusReasonCode: reason.code, StatusReasonDescription: reason.text },
      ]);
      await next.advance("PT2H");
      await untilStatus(again, kind, id, "ACCC");
    } finally {
      again.close();
      await next.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

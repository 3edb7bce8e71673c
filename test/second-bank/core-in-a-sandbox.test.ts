import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import { order, untilStatus } from "#test/journeys/payments.ts";
import { approved, debitsOf, openOver, type SecondBank, startSecondBank } from "./second-bank.ts";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;

before(async () => {
  second = await startSecondBank();
  bank = await openOver(second);
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

test("a sandbox with BANK_MODULE has the core's customers, not its own", async () => {
  const customers = await bank.customers();
  assert.deepEqual(
    customers.map(({ login }) => login),
    ["ada", "bob"],
  );
  assert.deepEqual(
    customers[0]?.accounts.map(({ accountId }) => accountId),
    ["second-current", "second-poor", "second-blocked", "second-joint"],
  );
});

test("a payment is authorised at the core, and paid in its books once", async () => {
  const { lodged, token } = await approved(bank, client, "12.34");
  const id = await order(client, lodged, token);
  await untilStatus(client, "domestic-payment", id, "ACCC");
  assert.deepEqual(
    debitsOf(await second.books(), "second-current").map(({ amountMinor }) => amountMinor),
    [-1234n],
  );
});

test("a payment that the core refuses is rejected with the core's reason", async () => {
  const { lodged, token } = await approved(bank, client, "12.34", "second-poor");
  const id = await order(client, lodged, token);
  const { StatusReason } = await untilStatus(client, "domestic-payment", id, "RJCT");
  assert.match(JSON.stringify(StatusReason), /AM04/);
  assert.deepEqual(debitsOf(await second.books(), "second-poor"), []);
});

test("the sandbox's controls of its own ledger are refused for a core", async () => {
  const response = await fetch(`${bank.publicUrl}/sandbox/v1/accounts/second-current/state`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ state: "blocked" }),
  });
  assert.equal(response.status, 409, await response.clone().text());
  assert.match(await response.text(), /The core of BANK_MODULE keeps the state of accounts/);
});

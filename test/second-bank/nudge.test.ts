import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { lodge, order, readOrder, untilStatus } from "#test/journeys/payments.ts";
import { until } from "#test/until.ts";
import { approved, openOver, readyToPay, type SecondBank, startSecondBank } from "./second-bank.ts";

const token = "a-token-of-the-core-with-32-letters";
let second: SecondBank;
let bank: TestBank;
let client: TppClient;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, { BANK_TOKEN: token });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

async function nudge(paymentIds: string[]): Promise<unknown> {
  const response = await fetch(`${bank.managementUrl}/core/v1/payments/nudge`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ paymentIds }),
  });
  return response.json();
}

test("a core that has an outcome earlier than it said makes Aldgate ask at once", async () => {
  const askAt = Temporal.Now.instant().add({ hours: 20 });
  const answer = [{ state: "pending", askAt }];
  await second.fail({ call: "execute", how: "answer", answer, times: 1 });
  const { lodged, token: paying } = await approved(bank, client, "12.34");
  await second.calls();
  const orderId = await order(client, lodged, paying);
  const [paymentId = ""] = await until(
    async () => (await second.calls()).find(({ call }) => call === "execute")?.items ?? [],
    (items) => items.length > 0,
  );
  assert.equal((await readOrder(client, "domestic-payment", orderId)).Status, "ACSC");
  const asked = await until(
    () => nudge([paymentId]),
    (said) => (said as { asked: number }).asked === 1,
  );
  assert.deepEqual(asked, { asked: 1 });
  await untilStatus(client, "domestic-payment", orderId, "ACCC");
});

test("a payment whose date has not come is not asked about", async () => {
  const day = Temporal.Now.plainDateISO().add({ days: 20 });
  const kind = "domestic-scheduled-payment";
  const initiation = { RequestedExecutionDateTime: `${day}T00:00:00+00:00` };
  const lodged = await lodge(client, { kind, initiation });
  const { token: paying } = await readyToPay(bank, client, lodged);
  const orderId = await order(client, lodged, paying);
  await untilStatus(client, kind, orderId, "PDNG");
  const details = await client.call<{
    Data: { PaymentStatus: { PaymentTransactionId: string }[] };
  }>({
    path: `/v4.0/pisp/${kind}s/${orderId}/payment-details`,
    token: await client.clientToken("payments"),
  });
  expectStatus(details, 200);
  const [paymentId = ""] = details.body.Data.PaymentStatus.map((one) => one.PaymentTransactionId);
  assert.match(paymentId, /^pay-/);
  assert.deepEqual(await nudge([paymentId]), { asked: 0 });
});

test("a core may name 1,000 payments at once", async () => {
  const paymentIds = Array.from({ length: 1000 }, (_, index) => `pay-${index}-${"x".repeat(40)}`);
  assert.deepEqual(await nudge(paymentIds), { asked: 0 });
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { StuckPayment } from "#src/payments/execution/stuck-payments.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import { order, untilStatus } from "#test/journeys/payments.ts";
import { countFailures } from "#test/payments/stored-orders.ts";
import { runCommand } from "#test/server/run-command.ts";
import { until } from "#test/until.ts";
import { approved, openOver, type SecondBank, startSecondBank } from "./second-bank.ts";

const kind = "domestic-payment";
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

/** Returns the value of a metric, given its name with its labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Waits for the value of a metric, which scrapes share for a second. */
const untilMetric = (name: string, isSo: (value: number) => boolean): Promise<number> =>
  until(() => metric(name), isSo);
const isNone = (value: number): boolean => value === 0;

const stuck = async () =>
  (await bank.control<{ payments: StuckPayment[] }>("GET", "/payments/stuck")).payments;

/** Orders a payment of which the core fails each call, and waits until it has failed alone. */
async function orderFailing(amount: string, call: string, outcome: "retry" | "unknown") {
  const { lodged, token } = await approved(bank, client, amount);
  const amountMinor = amount.replace(".", "");
  await second.fail({ call, how: "fail", outcome, amountMinor });
  const orderId = await order(client, lodged, token);
  // while a process makes the call, the outcome is not known either
  const isSo = ({ failures, isInDoubt }: StuckPayment) =>
    failures >= 2 && isInDoubt === (outcome === "unknown");
  const found = present((await until(stuck, (all) => all.some(isSo))).find(isSo), "the payment");
  assert.equal(found.orderId, orderId);
  assert.equal(found.consentId, lodged.consentId);
  return found;
}

test("without trouble no payment is stuck, and every gauge is 0", async () => {
  assert.deepEqual(await stuck(), []);
  for (const call of ["ask", "reserve", "execute"]) {
    assert.equal(await metric(`aldgate_payments_oldest_unfinished_seconds{call="${call}"}`), 0);
    assert.equal(await metric(`aldgate_payments_failures_in_row{call="${call}"}`), 0);
  }
  assert.equal(await metric("aldgate_payments_in_doubt"), 0);
  assert.equal(await metric('aldgate_bank_failures_in_row{group="execute"}'), 0);
});

test("a payment whose funds the core never reserves is listed while others are paid, until it is", async () => {
  const found = await orderFailing("81.01", "reserve", "retry");
  const good = await approved(bank, client, "81.02");
  await untilStatus(client, kind, await order(client, good.lodged, good.token), "ACCC");
  assert.equal(found.isInDoubt, false);
  assert.equal(found.next.call, "reserve");
  assert.equal(found.lastFailure?.call, "reserve");
  assert.match(String(found.lastFailure?.error), /the core answered reserve with 500/);
  await bank.advance("PT1H");
  const oldest = 'aldgate_payments_oldest_unfinished_seconds{call="reserve"}';
  await untilMetric(oldest, (age) => age >= 3600);
  await untilMetric('aldgate_payments_failures_in_row{call="reserve"}', (count) => count >= 2);
  await second.fail();
  await bank.advance("PT10M");
  await untilStatus(client, kind, found.orderId, "ACCC");
  assert.deepEqual(await stuck(), []);
  await untilMetric(oldest, isNone);
  await bank.engine.sweep();
  assert.equal(await countFailures(bank.database), 0, "nothing is left of the failure");
});

test("a payment that may have been made is in doubt, and the core is asked about it next", async () => {
  const found = await orderFailing("82.01", "*", "unknown");
  assert.equal(found.isInDoubt, true);
  assert.equal(found.next.call, "ask");
  await untilMetric("aldgate_payments_in_doubt", (count) => count === 1);
  await second.fail();
  await bank.advance("PT10M");
  await untilStatus(client, kind, found.orderId, "ACCC");
  await untilMetric("aldgate_payments_in_doubt", isNone);
});

test("the command lists stuck payments for operators, as text and as JSON", async () => {
  const found = await orderFailing("83.01", "execute", "retry");
  const environment = {
    PUBLIC_URL: bank.publicUrl,
    PUBLIC_PORT: new URL(bank.publicUrl).port,
    MTLS_PORT: new URL(bank.mtlsUrl).port,
  };
  const text = await runCommand("payments stuck", environment);
  assert.match(text.printed, new RegExp(`^${found.paymentId}  ${kind}  ACFC  since `, "m"));
  assert.match(text.printed, new RegExp(`^  order     ${found.orderId}$`, "m"));
  assert.match(text.printed, /^ {2}next {6}from \S+, a process asks the core to execute/m);
  const json = JSON.parse((await runCommand("payments stuck --json", environment)).printed);
  assert.equal(json.payments[0].paymentId, found.paymentId);
  await second.fail();
  await bank.advance("PT10M");
  await untilStatus(client, kind, found.orderId, "ACCC");
  assert.match((await runCommand("payments stuck", environment)).printed, /No payment is stuck/);
});

test("a gauge counts the failed calls in a row of each group", async () => {
  await second.fail({ call: "confirmFunds", how: "fail" });
  const { lodged, token } = await approved(bank, client, "84.00");
  const path = `/v4.0/pisp/${kind}-consents/${lodged.consentId}/funds-confirmation`;
  await client.call({ path, token });
  await client.call({ path, token });
  assert.equal(await metric('aldgate_bank_failures_in_row{group="read"}'), 2);
  await second.fail();
  await client.call({ path, token });
  assert.equal(await metric('aldgate_bank_failures_in_row{group="read"}'), 0);
});

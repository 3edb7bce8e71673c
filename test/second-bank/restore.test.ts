import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Notice } from "#src/bank/notice.ts";
import { present } from "#src/lib/assert.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, order, quickPayee, submit, untilStatus } from "#test/journeys/payments.ts";
import { sampleDomestic } from "#test/payments/files/samples.ts";
import { onPostgres } from "#test/postgres.ts";
import { until } from "#test/until.ts";
import {
  agreeWithinLimits,
  announceFile,
  dailyFrom,
  openRestorable,
  type RestorableBank,
} from "./restorable-bank.ts";
import {
  debitsOf,
  type Ready,
  readyToPay,
  type SecondBank,
  startSecondBank,
  tellingPath,
} from "./second-bank.ts";

const skip = onPostgres ? false : "needs a PostgreSQL server, which copies databases";
const current = "second-current";

describe("a bank whose database is restored from an older backup, over a core that is not", {
  skip,
}, () => {
  let second: SecondBank;
  let live: RestorableBank;
  let client: TppClient;
  let paidBefore: number;

  before(async () => {
    second = await startSecondBank(20261124);
    live = await openRestorable({
      BANK_MODULE: tellingPath,
      BANK_BREAKER_RETRY_MS: 200,
      PAYMENT_LEASE_SECONDS: 3,
      BANK_EXECUTE_DEADLINE_MS: 1000,
    });
    const { tpp } = await live.bank.createTpp();
    // it outlives the banks: a bank closes the clients that it has created
    client = new TppClient(live.bank, tpp);
  });
  beforeEach(async () => {
    paidBefore = (await debits()).length;
  });
  after(async () => {
    client?.close();
    await live?.close();
    await second?.close();
  });

  const debits = async () => debitsOf(await second.books(), current);
  /** The amounts that the core has debited in this test, in pence and in ascending order. */
  const paid = async (): Promise<number[]> =>
    (await debits())
      .slice(paidBefore)
      .map(({ amountMinor }) => -Number(amountMinor))
      .sort((one, other) => one - other);
  const ready = async (given: Parameters<typeof lodge>[1], from = current) =>
    readyToPay(live.bank, client, await lodge(client, given), from);

  test("an order that its TPP repeats with the same key is the same order, and is paid once", async () => {
    const { lodged, token } = await ready({ amount: "77.00" });
    const backup = await live.backUp();
    const key = "single-1";
    const id = await order(client, lodged, token, key);
    await untilStatus(client, lodged.kind, id, "ACCC");
    await live.restore(backup);
    assert.equal(await order(client, lodged, token, key), id);
    await untilStatus(client, lodged.kind, id, "ACCC");
    assert.deepEqual(await paid(), [7700]);
  });

  test("an order is paid once if its TPP repeats it with another key after the restore", async () => {
    const { lodged, token } = await ready({ amount: "78.00" });
    const backup = await live.backUp();
    const id = await order(client, lodged, token, "other-1");
    await untilStatus(client, lodged.kind, id, "ACCC");
    await live.restore(backup);
    assert.equal(await order(client, lodged, token, "other-2"), id);
    await untilStatus(client, lodged.kind, id, "ACCC");
    assert.deepEqual(await paid(), [7800]);
  });

  test("a payment that was executed after the backup gets its outcome without its TPP", async () => {
    const { lodged, token } = await ready({ amount: "79.00" });
    await second.fail({ call: "*", how: "fail" });
    const id = await order(client, lodged, token);
    const backup = await live.backUp();
    await second.fail();
    await untilStatus(client, lodged.kind, id, "ACCC");
    await live.restore(backup);
    await untilStatus(client, lodged.kind, id, "ACCC");
    assert.deepEqual(await paid(), [7900]);
  });

  test("a refused payment stays refused, although the account could pay it after the restore", async () => {
    const { lodged, token } = await ready({ amount: "50.00" }, "second-poor");
    const backup = await live.backUp();
    const id = await order(client, lodged, token, "poor-1");
    await untilStatus(client, lodged.kind, id, "RJCT");
    await live.restore(backup);
    // its creditor is the poor account, which now has the money
    const filling = await ready({
      amount: "100.00",
      payee: { ...quickPayee, Identification: "60837110000002" },
    });
    await untilStatus(
      client,
      "domestic-payment",
      await order(client, filling.lodged, filling.token),
      "ACCC",
    );
    assert.equal(await order(client, lodged, token, "poor-1"), id);
    await untilStatus(client, lodged.kind, id, "RJCT");
    assert.deepEqual(debitsOf(await second.books(), "second-poor"), []);
  });

  test("a daily standing order pays each day once, and every day is found again", async () => {
    const { lodged, token } = await ready({
      kind: "domestic-standing-order",
      initiation: dailyFrom(live.bank.clock.now()),
    });
    const id = await order(client, lodged, token);
    const backup = await live.backUp();
    // eight days at once: the engine makes up for all of them
    const liveOn = async (): Promise<string[]> => {
      await live.bank.advance("P8D");
      const now = live.bank.clock.now();
      const nextDue = async () => (await live.bank.engine.nextDueAt()) ?? now;
      await until(nextDue, (at) => Temporal.Instant.compare(at, now) > 0);
      return statusesOf("domestic-standing-order", id);
    };
    const statuses = await liveOn();
    const payments = await paid();
    assert.ok(payments.length >= 4, `${payments.length} payments`);
    await live.restore(backup);
    assert.deepEqual(await liveOn(), statuses);
    assert.deepEqual(await paid(), payments);
  });

  test("a file that was ordered after the backup is paid once, even if it is uploaded and approved again", async () => {
    const text = sampleDomestic([{ amount: "1.01" }, { amount: "1.02" }, { amount: "1.03" }]);
    const { pay } = await announceFile(live, client, text);
    const backup = await live.backUp();
    const id = await pay();
    assert.deepEqual(await until(paid, (all) => all.length === 3), [101, 102, 103]);
    await live.restore(backup);
    assert.equal(await pay(), id);
    await until(
      () => statusesOf("file-payment", id),
      (statuses) => statuses.every((status) => status === "ACCC"),
    );
    assert.deepEqual(await paid(), [101, 102, 103]);
  });

  test("orders within limits are paid once each, whether repeated or new", async () => {
    const { pay } = await agreeWithinLimits(live.bank, client);
    const backup = await live.backUp();
    const first = await pay("1.01", "vrp-1");
    const other = await pay("1.02", "vrp-2");
    await live.restore(backup);
    assert.equal(await pay("1.02", "vrp-2"), other);
    assert.equal(await pay("1.01", "vrp-1"), first);
    await pay("1.03", "vrp-3");
    assert.deepEqual(await paid(), [101, 102, 103]);
  });

  test("P-053: an order within limits with an expired key is a new payment, and both are found again", async () => {
    const { pay } = await agreeWithinLimits(live.bank, client);
    // the days that pass are those of the standing order too
    const paidOf = async (pence: number) => (await paid()).filter((one) => one === pence);
    const backup = await live.backUp();
    const first = await pay("1.04", "again");
    await live.bank.advance("PT25H");
    const other = await pay("1.04", "again");
    assert.notEqual(other, first);
    assert.equal(await pay("1.04", "again"), other);
    assert.deepEqual(await paidOf(104), [104, 104]);
    await live.restore(backup);
    assert.equal(await pay("1.04", "again"), first);
    await live.bank.advance("PT25H");
    assert.equal(await pay("1.04", "again"), other);
    assert.deepEqual(await paidOf(104), [104, 104]);
  });

  /** The statuses of an order's payments, in ascending order. */
  async function statusesOf(kind: string, id: string): Promise<string[]> {
    type Details = { Data: { PaymentStatus: { Status: string }[] } };
    const path = `/v4.0/pisp/${kind}s/${id}/payment-details`;
    const answer = await client.call<Details>({
      path,
      token: await client.clientToken("payments"),
    });
    expectStatus(answer, 200);
    return answer.body.Data.PaymentStatus.map(({ Status }) => Status).sort();
  }

  /** Waits until the core has been told that a consent was given. Returns the notice. */
  async function untilGiven({ lodged }: Ready): Promise<Notice> {
    const find = async () =>
      (await second.told()).notices.find((one) => one.consentId === lodged.consentId);
    return present(await until(find, Boolean), "the notice");
  }

  test("the core is told again, with the same id, of a change that it was told after the backup", async () => {
    await second.fail({ call: "tell", how: "fail" });
    const given = await ready({ amount: "1.10" });
    const backup = await live.backUp();
    await second.fail();
    const { noticeId } = await untilGiven(given);
    await live.restore(backup);
    const times = async () =>
      (await second.told()).calls.flat().filter((id) => id === noticeId).length;
    assert.equal(await until(times, (count) => count > 1), 2);
  });

  test("the core is told of a change after the restore, even if it knows its position", async () => {
    const backup = await live.backUp();
    const lost = await ready({ amount: "1.12" });
    const id = await order(client, lost.lodged, lost.token);
    await untilStatus(client, lost.lodged.kind, id, "ACCC");
    await until(
      () => second.told(),
      ({ notices }) => notices.some((one) => one.orderId === id && one.status === "ACCC"),
    );
    const { notices } = await second.told();
    await live.restore(backup);
    const { position, noticeId } = await untilGiven(await ready({ amount: "1.13" }));
    assert.ok(notices.some((one) => one.position >= position));
    assert.ok(!notices.some((one) => one.noticeId === noticeId));
  });

  test("a joint payment that was signed and paid after the backup is signed again, and paid once", async () => {
    const { lodged, token } = await ready({ amount: "15.00" }, "second-joint");
    const id = await order(client, lodged, token);
    const backup = await live.backUp();
    const sign = () =>
      live.bank.control("POST", `/multi-authorisations/${id}`, { decision: "approve" });
    await sign();
    await untilStatus(client, lodged.kind, id, "ACCC");
    await live.restore(backup);
    expectStatus(await submit(client, lodged, token), 400); // its consent is used
    await sign();
    await untilStatus(client, lodged.kind, id, "ACCC");
    assert.equal(debitsOf(await second.books(), "second-joint").length, 1);
  });
});

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listChanges } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { sql } from "#src/storage/sql.ts";
import { countSubscriptions } from "#test/events/stored-events.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, lodgeAccess, order } from "#test/journeys/payments.ts";
import { readOrder } from "#test/payments/stored-orders.ts";
import { until } from "#test/until.ts";
import { type Bed, openRegistrationBed } from "./bed.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

test("R-030: DELETE drops the event subscription, lets payments in progress settle, and keeps the history", async () => {
  const { bank } = bed;
  const registered = await bed.send({
    body: await bed.request({ scope: "openid accounts payments" }),
  });
  assert.equal(registered.status, 201, registered.text);
  const clientId = String(registered.body.client_id);
  const client = bed.client(registered.body, bed);
  const { accountId } = present((await bank.currentAccounts("amara"))[0], "an account");
  const pay = async (given: Parameters<typeof lodge>[1]) => {
    const lodged = await lodge(client, given);
    const tokens = await bank.approve(client, {
      scope: "payments",
      consentId: lodged.consentId,
      customer: "amara",
      accounts: [accountId],
    });
    return { ...lodged, orderId: await order(client, lodged, tokens.access_token) };
  };
  try {
    const token = await client.clientToken("accounts");
    const subscription = await client.call({
      path: "/v4.0/event-subscriptions",
      token,
      body: { Data: { Version: "4.0" } },
    });
    expectStatus(subscription, 201);
    const accessId = await lodgeAccess(client);
    const access = { scope: "accounts" as const, consentId: accessId, customer: "amara" };
    await bank.approve(client, access);
    const date = bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().add({ days: 5 });
    const scheduled = await pay({
      kind: "domestic-scheduled-payment",
      initiation: { RequestedExecutionDateTime: `${date}T00:00:00+00:00` },
    });
    const now = await pay({});
    assert.equal(await countSubscriptions(bank.database, clientId), 1);

    const interactionId = "93bac548-d2de-4546-b106-880a5018460e";
    const deleted = await bed.send({
      method: "DELETE",
      url: `${bed.url}/${clientId}`,
      headers: { authorization: `Bearer ${token}`, "x-fapi-interaction-id": interactionId },
    });
    assert.equal(deleted.status, 204, deleted.text);

    assert.equal(await countSubscriptions(bank.database, clientId), 0);
    const statusOf = async (orderId: string): Promise<string | undefined> =>
      (await readOrder(bank.database, orderId))?.status;
    const settled = (status: string | undefined) => status === "ACCC";
    await until(() => statusOf(now.orderId), settled);
    assert.notEqual(await statusOf(scheduled.orderId), "ACCC");
    await bank.advance("P10D");
    await until(() => statusOf(scheduled.orderId), settled);

    const last = (await listChanges(bank.database, clientId)).at(-1);
    assert.partialDeepStrictEqual(last, {
      cause: "tpp",
      interactionId,
      after: { status: "removed" },
    });
    for (const id of [accessId, now.consentId, now.orderId, scheduled.orderId]) {
      assert.notEqual((await listChanges(bank.database, id)).length, 0, id);
    }
    const attempts = await bank.database.query(sql`
      select method, status from registration_attempt where client_id = ${clientId}
      order by attempt_id`);
    assert.deepEqual(attempts, [
      { method: "POST", status: 201 },
      { method: "DELETE", status: 204 },
    ]);
  } finally {
    client.close();
  }
});

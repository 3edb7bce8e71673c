import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { openProxy, type TcpProxy } from "#test/attacks/tcp-proxy.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, quickPayee, submit } from "#test/journeys/payments.ts";
import { countOrders } from "#test/payments/stored-orders.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { templateName } from "#test/setup.ts";
import { patienceMs, until } from "#test/until.ts";

const skip = onPostgres ? false : "needs a PostgreSQL server";
const limits = { connectSeconds: 4, statementSeconds: 5, waitSeconds: 4, probeSeconds: 1 };

describe("a bank whose database falls silent", { skip }, () => {
  let server: TestPostgres;
  let proxy: TcpProxy;
  let bank: TestBank;
  let observer: Database;
  let client: TppClient;
  before(async () => {
    server = await startPostgres();
    const name = `silent_${randomUUID().replaceAll("-", "")}`;
    const url = await server.createDatabase(name, templateName);
    proxy = await openProxy(() => new URL(url).host);
    observer = await openPostgres(url, 1);
    bank = await openBank({}, await openPostgres(proxy.url(url), 2, limits));
    client = await bank.createTpp();
  });
  after(async () => {
    await bank?.close();
    await observer?.close();
    await proxy?.close();
    await server?.stop();
  });

  const isReady = async (): Promise<boolean> =>
    (await fetch(`${bank.publicUrl}/health/ready`)).status === 200;

  test("a bank answers 503 with Retry-After while its database is silent, and recovers by itself", {
    timeout: patienceMs,
  }, async () => {
    const token = await client.clientToken("payments");
    const { consentId } = await lodge(client);
    const path = `/v4.0/pisp/domestic-payment-consents/${consentId}`;
    assert.ok(await isReady());
    proxy.silence();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.call({ path, token })),
    );
    for (const { status, headers } of answers) {
      assert.equal(status, 503);
      assert.match(String(headers["retry-after"]), /^\d+$/);
    }
    assert.equal(await isReady(), false);
    proxy.resume();
    await until(isReady, Boolean);
    await until(
      () => client.call({ path, token }),
      ({ status }) => status === 200,
    );
  });

  test("an order whose response was lost is made once, and a retry returns it", async () => {
    const [account] = await bank.currentAccounts("amara");
    const lodged = await lodge(client, { payee: quickPayee });
    const { access_token: token } = await bank.approve(client, {
      scope: "payments",
      consentId: lodged.consentId,
      customer: "amara",
      accounts: account ? [account.accountId] : [],
    });
    const idempotencyKey = randomUUID();
    // the statement arrives and is committed, but its response is lost
    proxy.loseAnswersTo("insert into payment_order");
    const lost = await submit(client, lodged, token, idempotencyKey);
    assert.equal(lost.status, 503);
    assert.equal(await countOrders(observer, lodged.consentId), 1);
    proxy.resume();
    await until(isReady, Boolean);
    const first = await order(client, lodged, token, idempotencyKey);
    assert.equal(await order(client, lodged, token, idempotencyKey), first);
  });

  test("a bank finds its primary without waiting for a silent server before it in the list", {
    timeout: patienceMs,
  }, async () => {
    const silent = await openProxy(() => "");
    silent.silence();
    const { url } = server;
    const both = url.replace("@", `@${silent.host},`);
    const database = await openPostgres(both, 1, { ...limits, connectSeconds: 600 });
    try {
      await database.probe();
    } finally {
      await silent.close();
      await database.close();
    }
  });

  test("a bank can close while its database is silent", { timeout: patienceMs }, async () => {
    proxy.silence();
    await bank.close();
  });
});

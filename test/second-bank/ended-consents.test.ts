// With CONSENTS_KEEP_DAYS, ended consents are deleted with all that belongs to them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { reconcile } from "#src/payments/execution/reconcile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { openEndedConsents } from "#src/server/opening/open-ended-consents.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { addConsents, type GivenConsent } from "#test/consents/add-consents.ts";
import { readConsents } from "#test/consents/stored-rows.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { addChange, historyRemoval } from "#test/history/stored-changes.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { addFile, addInstructions, addOrders } from "#test/payments/add-orders.ts";
import { runCommand } from "#test/server/run-command.ts";
import { tablesWith } from "#test/storage/tables-with.ts";
import { agreeWithinLimits } from "./restorable-bank.ts";
import {
  approved,
  corePath,
  openOver,
  readyToPay,
  type SecondBank,
  startSecondBank,
} from "./second-bank.ts";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
let database: Database;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second);
  ({ database } = bank);
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

const afterDays = (days: number): Temporal.Instant => bank.clock.now().add({ hours: 24 * days });

/** Deletes what is to be deleted after this number of days; returns the sizes of the steps. */
async function purge(days: number, on: Database = database): Promise<number[]> {
  const config = { CONSENTS_KEEP_DAYS: 400 };
  const ended = openEndedConsents({ database: on, config, kinds: paymentKinds });
  const sizes: number[] = [];
  // each TPP has a step of its own
  while (sizes.length < 12) sizes.push((await ended?.step(afterDays(days))) ?? -1);
  return sizes;
}

async function giveAccess(): Promise<{ consentId: string; token: string }> {
  const consentId = await lodgeAccess(client);
  const accounts = ["second-current"];
  const given = { scope: "accounts", consentId, customer: "ada", accounts } as const;
  const { access_token: token } = await bank.approve(client, given);
  return { consentId, token };
}

const read = async (path: string, scope: "accounts" | "payments") =>
  client.call<{ Errors?: { ErrorCode: string }[] }>({
    path,
    token: await client.clientToken(scope),
  });

test("an ended consent is deleted with its orders after its period, and its ids are then unknown", async () => {
  const kept = await giveAccess();
  const ended = await giveAccess();
  const accessPath = `/v4.0/aisp/account-access-consents/${ended.consentId}`;
  const token = await client.clientToken("accounts");
  expectStatus(await client.call({ method: "DELETE", path: accessPath, token }), 204);
  const { lodged, token: payment } = await approved(bank, client, "51.01");
  const orderId = await order(client, lodged, payment);
  await untilStatus(client, "domestic-payment", orderId, "ACCC");
  const unused = await lodge(client, { amount: "51.02" });
  await readyToPay(bank, client, unused);
  const within = await agreeWithinLimits(bank, client);
  const vrp = await within.pay("1.00", "one");
  const vrpPath = `/v4.0/pisp/domestic-vrp-consents/${within.consentId}`;
  const paying = await client.clientToken("payments");
  expectStatus(await client.call({ method: "DELETE", path: vrpPath, token: paying }), 204);

  assert.deepEqual(new Set(await purge(399)), new Set([0]));
  const sizes = await purge(401);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    4,
  );

  const gone = [
    ended.consentId,
    lodged.consentId,
    orderId,
    unused.consentId,
    within.consentId,
    vrp,
  ];
  for (const id of gone) {
    const left = (await tablesWith(database, id)).filter((table) => !brief.includes(table));
    assert.deepEqual(left, [], id);
  }
  const orderPath = `/v4.0/pisp/domestic-payments/${orderId}`;
  const consentPath = `/v4.0/pisp/domestic-payment-consents/${lodged.consentId}`;
  for (const [path, scope] of [
    [accessPath, "accounts"],
    [orderPath, "payments"],
    [consentPath, "payments"],
  ] as const) {
    const { status } = await read(path, scope);
    const unknown = await read(path.replace(/[^/]+$/, "never-was"), scope);
    assert.equal(status, unknown.status, path);
    assert.ok(status >= 400 && status < 500, path);
  }
  const shown = await client.call({ path: "/v4.0/aisp/accounts", token: kept.token });
  expectStatus(shown, 200);
});

/** Tables that keep ids for a short period of their own. */
const brief = [
  "access_token",
  "event",
  "idempotency_key",
  "journey",
  "login_challenge",
  "oidc_artifact",
  "request_log_chunk",
];

test("after a deletion, the invariants hold and the core's payments can be compared", async () => {
  assert.deepEqual(await verifyInvariants(database, { hasOwnCore: true }), []);
  const deps = { database, bank: bank.bank, kinds: paymentKinds, onProgress: () => undefined };
  const { differences } = await reconcile(deps, afterDays(1));
  assert.deepEqual(differences, []);
});

const old = (consentId: string, more: Partial<GivenConsent> = {}): GivenConsent => {
  const at = afterDays(-500);
  const { clientId } = client.tpp;
  const kind = "domestic-payment";
  return { consentId, kind, clientId, status: "COND", at, authorisedAt: at, ...more };
};

test("a consent with a payment that has changed in the period stays, and so does its history", async () => {
  await addConsents(database, [old("kept-by-order")]);
  await addOrders(database, [
    {
      orderId: "late-order",
      consentId: "kept-by-order",
      kind: "domestic-payment",
      clientId: client.tpp.clientId,
      customerId: "second-ada",
      debtorAccountId: "second-current",
      status: "ACCC",
      at: afterDays(-10),
    },
  ]);
  await purge(0);
  assert.equal((await readConsents(database, ["kept-by-order"])).length, 1);
  await assert.rejects(database.query(historyRemoval("kept-by-order")), /is deleted only with/);
  const recent = database.transaction(async (on) => {
    const time = afterDays(-100).toString();
    await on.query(sql`select set_config('aldgate.histories_before', ${time}, true)`);
    await on.query(historyRemoval("late-order"));
  });
  await assert.rejects(recent, /is deleted only with/);
  await purge(400);
  assert.equal((await readConsents(database, ["kept-by-order"])).length, 0);
});

test("a consent or an order with a later change stays, and the others of its batch do not", async () => {
  const ids = ["late-consent", "consent-of-late-order", "early-consent"];
  await addConsents(
    database,
    ids.map((id) => old(id)),
  );
  await addOrders(database, [
    {
      orderId: "order-changed-late",
      consentId: "consent-of-late-order",
      kind: "domestic-payment",
      clientId: client.tpp.clientId,
      customerId: "second-ada",
      debtorAccountId: "second-current",
      status: "ACCC",
      at: afterDays(-500),
    },
  ]);
  // after an outage, a change can be recorded much later than the time that it names
  for (const id of ["late-consent", "order-changed-late"]) {
    await addChange(database, id, afterDays(-10));
  }
  const left = async () => (await readConsents(database, ids)).map((each) => each.consentId).sort();
  await purge(0);
  assert.deepEqual(await left(), ["consent-of-late-order", "late-consent"]);
  await purge(400);
  assert.deepEqual(await left(), []);
});

test("a consent that cannot be deleted keeps no other of its batch", async () => {
  const ids = ["stuck-0", "stuck-1", "stuck-2"];
  await addConsents(
    database,
    ids.map((id) => old(id)),
  );
  const failing: Database = Object.assign(Object.create(database), {
    query: database.query.bind(database),
    transaction: (work: (on: Queryable) => Promise<unknown>) =>
      database.transaction((on) =>
        work({
          async query(statement) {
            const isStuck = JSON.stringify(statement.values).includes("stuck-1");
            if (isStuck && /delete from consent/.test(statement.text)) throw new Error("stuck");
            return on.query(statement);
          },
        }),
      ),
  });
  await assert.rejects(purge(0, failing), { message: "1 ended consent could not be deleted" });
  const left = (await readConsents(database, ids)).map(({ consentId }) => consentId);
  assert.deepEqual(left, ["stuck-1"]);
  await purge(0);
  assert.equal((await readConsents(database, ids)).length, 0);
});

test("the number of payments limits how many consents are deleted together", async () => {
  const ids = ["large-0", "large-1", "large-2"];
  await addConsents(
    database,
    ids.map((id) => old(id)),
  );
  for (const id of ids) {
    await addFile(database, `file-${id}`, id);
    await addInstructions(database, `file-${id}`, 6001);
  }
  let transactions = 0;
  const counted: Database = Object.assign(Object.create(database), {
    query: database.query.bind(database),
    transaction: (work: (on: Queryable) => Promise<unknown>) => {
      transactions += 1;
      return database.transaction(work);
    },
  });
  await purge(0, counted);
  assert.equal((await readConsents(database, ids)).length, 0);
  assert.equal(transactions, 3);
});

test("many consents are deleted in steps, and the next step goes on where one has stopped", async () => {
  const many = Array.from({ length: 2100 }, (_, n) =>
    old(`many-${n}`, { status: "CANC", kind: "account-access", apiVersion: "aisp-v4.0" }),
  );
  // one TPP has consents in use among them, which each step passes over
  const used = many
    .slice(0, 1050)
    .map((each) => ({ ...each, consentId: `used-${each.consentId}`, status: "AUTH" }));
  await addConsents(database, [...used, ...many]);
  const sizes = await purge(0);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    2100,
  );
  assert.ok(Math.max(...sizes) <= 1000);
  assert.equal(
    (await readConsents(database)).filter(({ consentId }) => /^used-/.test(consentId)).length,
    1050,
  );
});

test("reconcile does not compare a time before the period, in which payments are deleted", async () => {
  const environment = { BANK_MODULE: corePath, CONSENTS_KEEP_DAYS: "400" };
  const { code, complained } = await runCommand("reconcile --since 2020-01-01", environment);
  assert.equal(code, 2);
  assert.match(complained, /may be deleted \(CONSENTS_KEEP_DAYS\)\. Give a later time\./);
});

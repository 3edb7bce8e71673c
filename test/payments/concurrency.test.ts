import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loadConsent, moveConsent } from "#src/consents/consent.ts";
import { accountAccess } from "#src/consents/states.ts";
import { byBank } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { onceEach } from "#src/payments/order/create-order.ts";
import { loadOrder } from "#src/payments/order/payment-order.ts";
import { inLimits } from "#src/payments/shapes/within-limits/within-limits.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { readConsents, setConsent } from "#test/consents/stored-rows.ts";
import { createChangeReader } from "#test/history/change-reader.ts";
import { draftWithinLimits } from "#test/payments/limits/drafts.ts";
import { onPostgres } from "#test/postgres.ts";
import type { Answer } from "./answer-check.ts";
import { domesticConsent, firstFault, openPayments, type PaymentsFixture } from "./fixture.ts";

const consents = "/domestic-payment-consents";
const orders = "/domestic-payments";
const times = 8;

let bank: PaymentsFixture;
before(async () => {
  bank = await openPayments();
});
after(() => bank.close());

const together = (send: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => send(index)));

test("P-055: identical concurrent consents create one consent", async () => {
  const sent = { body: domesticConsent(), key: "p055-consent" };
  const answers = await together(() => bank.post(consents, sent));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => body.Data.ConsentId)).size, 1);
});

test("P-055: identical concurrent orders create one order and one payment", async () => {
  const { token, order, consentId } = await bank.authorised();
  const sent = { token, body: order, key: "p055-order" };
  const answers = await together(() => bank.post(orders, sent));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => body.Data.DomesticPaymentId)).size, 1);
  const payments = await bank.database.query(sql`
    select 1 from payment p join payment_order o on o.order_id = p.order_id
    where o.consent_id = ${consentId}`);
  assert.equal(payments.length, 1);
});

test("P-056: of concurrent orders with different keys on one consent, one is created and the rest are U009", async () => {
  const { token, order, consentId } = await bank.authorised();
  const answers = await together((index) =>
    bank.post(orders, { token, body: order, key: `p056-${index}` }),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const refused = answers.filter(({ status }) => status === 400);
  assert.equal(refused.length, times - 1);
  for (const answer of refused) assert.deepEqual(firstFault(answer), ["U009", "Data.Status"]);
  const keys = await bank.database.query(
    sql`select 1 from idempotency_key where key like 'p056-%'`,
  );
  assert.equal(keys.length, 1, "a refused request does not use its key");
  const made = await bank.database.query(
    sql`select 1 from payment_order where consent_id = ${consentId}`,
  );
  assert.equal(made.length, 1);
});

test("of concurrent orders with one key on different consents, one is created", async () => {
  const granted = await Promise.all(Array.from({ length: times }, () => bank.authorised()));
  const answers = await together((index) => {
    const { token, order } = present(granted[index], "a consent");
    return bank.post(orders, { token, body: order, key: "shared" });
  });
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  const refused = answers.filter(({ status }) => status === 400);
  for (const answer of refused) {
    assert.deepEqual(firstFault(answer), ["U029", "x-idempotency-key"]);
  }
  const ids = granted.map(({ consentId }) => consentId);
  const left = await readConsents(bank.database, ids);
  const consumed = left.filter(({ status }) => status === "COND");
  assert.equal(consumed.length, 1, "the consents of the refused orders are unused");
});

test("orders that share a statement are each created as requested", async () => {
  const count = 3 * times;
  const granted = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      bank.authorised({
        body: domesticConsent(({ Data }) => {
          Data.Initiation.EndToEndIdentification = `together-${index}`;
          Data.Initiation.InstructedAmount.Amount = `${index + 1}.00`;
        }),
      }),
    ),
  );
  // in each group of four, the third order has the second's key and the fourth the first's consent
  const answers = await Promise.all(
    granted.map((own, index) => {
      const { token, order } = index % 4 === 3 ? present(granted[index - 3], "a consent") : own;
      const key = `together-${index % 4 === 2 ? index - 1 : index}`;
      return bank.post(orders, { token, body: order, key });
    }),
  );
  const made = await bank.database.query<{ id: string; end_to_end_id: string; amount: bigint }>(sql`
    select o.order_id as id, p.end_to_end_id, p.amount_minor as amount
    from payment_order o join payment p on p.order_id = o.order_id
    where p.end_to_end_id like 'together-%'`);
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, created.length);
  for (const { body } of created) {
    const { Initiation, DomesticPaymentId } = body.Data;
    const row = made.find(({ id }) => id === DomesticPaymentId);
    assert.equal(row?.end_to_end_id, Initiation.EndToEndIdentification);
    assert.equal(row?.amount, BigInt(Number(Initiation.InstructedAmount.Amount) * 100));
  }
  for (let first = 0; first < count; first += 4) {
    const [one, two, three, four] = answers.slice(first, first + 4);
    const sameKey = [two, three].map((answer) => answer?.status).toSorted();
    assert.deepEqual(sameKey, [201, 400], "one key makes one order");
    const sameConsent = [one, four].map((answer) => answer?.status).toSorted();
    assert.deepEqual(sameConsent, [201, 400], "one consent makes one order");
    for (const answer of [one, two, three, four]) {
      if (answer?.status !== 400) continue;
      const code = answer === two || answer === three ? "U029" : "U009";
      assert.equal(firstFault(answer)[0], code);
    }
  }
});

test("a consent within limits creates an order per key, concurrently, and stays AUTH", async () => {
  const { consentId } = await bank.authorised();
  const before = await loadConsent(bank.database, consentId);
  bank.clock.set("2027-03-02T11:00:00Z");
  const keys = Array.from({ length: 2 * times }, (_, index) => `wl-${index % times}`);
  const made = await Promise.all(
    keys.map(async (key, index) => {
      const order = await draftWithinLimits(bank, consentId, { key, amountMinor: 250n });
      order.order.orderId += `-${index}`;
      for (const payment of order.payments) payment.paymentId += `-${index}`;
      return (await inLimits(order.course)(bank.database, [order]))[0]?.isCreated;
    }),
  );
  assert.equal(made.filter(Boolean).length, times, "each key makes one order");
  const after = await loadConsent(bank.database, consentId);
  assert.deepEqual(after, before, "the consent is unchanged");
  const paid = await first<{ sum: string; count: number }>(
    bank.database,
    sql`select sum(amount_minor) as sum, count(*)::integer as count from payment_order
      where consent_id = ${consentId} and consent_use = 'within limits'
        and created_at >= ${bank.clock.now()}`,
  );
  assert.deepEqual(paid, { sum: String(250 * times), count: times });
});

test("reading what a consent within limits has paid in a period is one index scan", async () => {
  const plan = await bank.database.transaction(async (on) => {
    await on.query(sql`set local enable_seqscan = off`);
    return on.query<{ "QUERY PLAN": string }>(sql`
      explain select sum(amount_minor) from payment_order
      where consent_id = 'c' and consent_use = 'within limits' and status <> 'RJCT'
        and created_at >= '2027-03-01' and created_at < '2027-04-01'`);
  });
  const lines = plan.map((row) => row["QUERY PLAN"]);
  assert.equal(lines.filter((line) => line.includes("Scan")).length, 1, lines.join("\n"));
  assert.match(lines.join("\n"), /payment_order_within_limits/);
  assert.match(lines.join("\n"), /Index Cond: .*consent_id.*created_at.*created_at/);
});

test("the database refuses a second order of a single-use consent", async () => {
  const { token, order, consentId } = await bank.authorised();
  assert.equal((await bank.post(orders, { token, body: order })).status, 201);
  const again = sql`
    insert into payment_order (order_id, consent_id, kind, family, api_version, client_id,
      customer_id, debtor_account_id, status, created_at, status_updated_at)
    select 'again', consent_id, kind, family, api_version, client_id, customer_id,
      debtor_account_id, status, created_at, status_updated_at
    from payment_order where consent_id = ${consentId}`;
  await assert.rejects(bank.database.query(again), /payment_order_consent/);
});

test("the creating statement undoes itself if another request has bound the key", async () => {
  const done = await bank.authorised();
  const { body } = await bank.post(orders, { token: done.token, body: done.order, key: "late" });
  const { consentId } = await bank.authorised();
  const consent = present(await loadConsent(bank.database, consentId), "it");
  const model = present(await loadOrder(bank.database, body.Data.DomesticPaymentId), "it");
  const use = {
    clientId: model.clientId,
    operation: "POST /api/open-banking/v4.0/pisp/domestic-payments",
    key: "late",
    fingerprint: "another",
  };
  const created = await onceEach(domesticPayment.consent)(bank.database, [
    {
      consent,
      course: domesticPayment.consent,
      order: { ...model, orderId: "dp-late" },
      payments: [],
      use,
      interactionId: "late",
    },
  ]);
  assert.deepEqual(created, [{ isCreated: false, exceeded: [] }]);
  const after = await loadConsent(bank.database, consentId);
  assert.equal(after?.status, "AUTH");
});

// in this file because it needs two connections
test("a change that is committed late is read late, and no change is read twice", {
  skip: onPostgres ? false : "one connection never overlaps",
}, async () => {
  const [early, late] = [await bank.authorised(), await bank.authorised()];
  const move = (on: Queryable, { consentId }: { consentId: string }) =>
    moveConsent(on, { consentId }, accountAccess, "revoke", [], byBank(bank.clock.now()));
  const seen: bigint[] = [];
  const readNew = createChangeReader(bank.database);
  const read = async (): Promise<string[]> => {
    const changes = await readNew();
    seen.push(...changes.map(({ sequence }) => sequence));
    return changes.map(({ objectId, after }) => `${objectId} ${after.status}`);
  };
  // one reading may not reach the last committed change, because the engine may be writing
  const readUpTo = async (last: string): Promise<string[]> => {
    const changes = await read();
    while (!changes.includes(last)) changes.push(...(await read()));
    return changes;
  };
  await readUpTo(`${late.consentId} AUTH`);
  const [earlyChange, lateChange] = [`${early.consentId} CANC`, `${late.consentId} CANC`];
  await bank.database.transaction(async (other) => {
    assert.ok(await move(other, early));
    assert.ok(await move(bank.database, late));
    assert.deepEqual(await read(), [], "the first change is not committed yet");
  });
  assert.deepEqual(await readUpTo(lateChange), [earlyChange, lateChange]);
  assert.deepEqual(await read(), []);
  assert.equal(new Set(seen).size, seen.length);
});

const skip = onPostgres ? false : "one connection never contends";

/** Resolves when a statement is waiting for a lock of this transaction. */
async function untilAwaited(transaction: Queryable): Promise<void> {
  const waiting = sql`
    select 1 from pg_locks
    where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
  while ((await transaction.query(waiting)).length === 0);
}

type Meanwhile = (transaction: Queryable) => Promise<unknown>;

/**
 * Returns the response to an order that had to wait for a transaction, which then ends as given.
 */
async function answerAfter(
  ending: "commit" | "rollback",
  send: () => Promise<Answer>,
  meanwhile: Meanwhile,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  const undone = new Error("undone");
  const transaction = bank.database.transaction(async (other) => {
    await meanwhile(other);
    answer = send();
    await untilAwaited(other);
    if (ending === "rollback") throw undone;
  });
  await transaction.catch((error) => assert.equal(error, undone));
  return present(answer, "an answer");
}

for (const ending of ["commit", "rollback"] as const) {
  const paid = ending === "rollback";

  test(`P-056: an order waits for a concurrent order on its consent (${ending})`, {
    skip,
  }, async () => {
    const { consentId, token, order } = await bank.authorised();
    const answer = await answerAfter(
      ending,
      () => bank.post(orders, { token, body: order }),
      (other) => setConsent(other, consentId, { status: "COND" }),
    );
    if (paid) assert.equal(answer.status, 201);
    else assert.deepEqual(firstFault(answer), ["U009", "Data.Status"]);
  });

  test(`P-055: an order waits for a concurrent request with its key (${ending})`, {
    skip,
  }, async () => {
    const done = await bank.authorised();
    const { body } = await bank.post(orders, { token: done.token, body: done.order });
    const { token, order, consentId } = await bank.authorised();
    const key = `waited-${ending}`;
    const answer = await answerAfter(
      ending,
      () => bank.post(orders, { token, body: order, key }),
      (other) =>
        other.query(sql`
          insert into idempotency_key (client_id, operation, key, fingerprint, resource_id,
            created_at)
          select client_id, operation, ${key}, 'another', resource_id, created_at
          from idempotency_key where resource_id = ${body.Data.DomesticPaymentId}`),
    );
    if (paid) assert.equal(answer.status, 201);
    else assert.deepEqual(firstFault(answer), ["U029", "x-idempotency-key"]);
    const consent = await loadConsent(bank.database, consentId);
    assert.equal(consent?.status, paid ? "COND" : "AUTH");
  });
}

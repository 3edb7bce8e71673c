import assert from "node:assert/strict";
import { loadConsent } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import { bankDay } from "#src/payments/calendar/timing.ts";
import { type Move, settlePayments, type Work } from "#src/payments/execution/settle.ts";
import type { NewPayment } from "#src/payments/order/create-order.ts";
import type { OrderFamily, PaymentStatus } from "#src/payments/order/order-states.ts";
import type { PaymentOrder } from "#src/payments/order/payment-order.ts";
import type { LimitedOrder } from "#src/payments/shapes/within-limits/within-limits.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { accounts, type PaymentsFixture } from "#test/payments/fixture.ts";

/**
 * Drafts an order under a consent with limits, as a submission does. The key is also the order's
 * id.
 */
export async function draftWithinLimits(
  { database, clock }: Pick<PaymentsFixture, "database" | "clock">,
  consentId: string,
  given: { key: string; amountMinor: bigint; limits?: LimitedOrder["limits"]; at?: string },
): Promise<LimitedOrder> {
  const { key, amountMinor, limits = [] } = given;
  const createdAt = given.at === undefined ? clock.now() : Temporal.Instant.from(given.at);
  const consent = present(await loadConsent(database, consentId), "it");
  const order: PaymentOrder = {
    orderId: `wl-${key}`,
    consentId,
    kind: "domestic-payment",
    family: "immediate",
    apiVersion: "pisp-v4.0",
    clientId: consent.clientId,
    customerId: "customer-ann",
    debtorAccountId: accounts.current,
    status: "RCVD",
    statusReason: [],
    createdAt: createdAt,
    statusUpdatedAt: createdAt,
    terms: { debtor: {} },
    signatoriesRequired: null,
    signatoriesReceived: null,
    authorisationStatus: null,
    authorisationUpdatedAt: null,
    authorisationExpiresAt: null,
    signedBy: [],
  };
  const payment: NewPayment = {
    paymentId: `wl-payment-${key}`,
    amount: { amountMinor: amountMinor, currency: "GBP" },
    chargeMinor: 0n,
    executeAt: null,
    creditor: {
      schemeName: "UK.OBIE.SortCodeAccountNumber",
      identification: "20201010981789",
      name: "Dr Foo",
      secondaryIdentification: null,
    },
    endToEndId: null,
    reference: null,
    localInstrument: null,
    dueAt: null,
  };
  const use = { clientId: consent.clientId, operation: "POST /orders", key, fingerprint: key };
  return {
    consent,
    course: usedWithinLimits,
    order,
    payments: [payment],
    use,
    interactionId: key,
    day: bankDay(createdAt),
    limits,
  };
}

/** Moves an order to a status, as `settleOrders` does. */
export const settleOrder = (on: Queryable, orderId: string, status: PaymentStatus): Promise<void> =>
  settleOrders(on, [orderId], status);

/**
 * Moves orders with one payment each to a status, with the statement by which the engine stores the
 * outcomes of a batch.
 */
export async function settleOrders(
  on: Queryable,
  orderIds: readonly string[],
  status: PaymentStatus,
): Promise<void> {
  const payments = await on.query<{
    orderId: string;
    paymentId: string;
    status: PaymentStatus;
    attempt: number;
    family: OrderFamily;
  }>(sql`
    update payment p set lease_owner = 'test' from payment_order o
    where p.order_id = any(${[...orderIds]}::text[]) and o.order_id = p.order_id
    returning p.order_id as "orderId", p.payment_id as "paymentId", p.status, p.attempt, o.family`);
  const moves = orderIds.map((id): Move => {
    const payment = present(
      payments.find(({ orderId }) => orderId === id),
      "the payment of an order",
    );
    const work = {
      instruction: { paymentId: payment.paymentId },
      status: payment.status,
      attempt: payment.attempt,
      orderFamily: payment.family,
    } as Work; // all that is read
    return { work, after: status, reason: null, dueAt: null, lease: "free", next: null };
  });
  const settlement = { owner: "test", now: Temporal.Now.instant(), leaseSeconds: 30 };
  const settled = await settlePayments(on, moves, settlement);
  assert.equal(settled.size, orderIds.length, "every order was settled");
}

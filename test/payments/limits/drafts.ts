import { type Consent, consentRow } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentOrder } from "#src/payments/order/payment-order.ts";
import type { NewPayment } from "#src/payments/submission/create-order.ts";
import type { LimitedOrder } from "#src/payments/submission/limits.ts";
import { first } from "#src/storage/database.ts";
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
  const consent = present(await first<Consent>(database, consentRow(consentId)), "it");
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
    limits,
  };
}

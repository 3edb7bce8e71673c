import { present } from "#src/lib/assert.ts";
import { executionInstant } from "#src/payments/calendar/timing.ts";
import type { OrderPlan } from "#src/payments/definitions/payment-kind.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { draftPayment } from "#src/payments/shapes/draft-order.ts";

/** The request for a batch: the format reads each payment of its list as a domestic payment. */
export type BatchRequest = PaymentRequest & { payments: readonly PaymentRequest[] };

/** The payments that the body of a batch lists. */
export const paymentsOf = (request: PaymentRequest): readonly PaymentRequest[] =>
  // only the formats of batches read requests of this shape
  present((request as Partial<BatchRequest>).payments, "the payments of a batch");

/** Drafts the payments of a batch. The first one bears the charges for all of them. */
export const draftBatch = (plan: OrderPlan): PaymentDraft[] =>
  paymentsOf(plan.request).map((request, index) => {
    const { kind, terms, now, config } = plan;
    const amount = present(request.amount?.money ?? null, "a checked amount");
    const executeAt = executionInstant(kind, plan.request, now, config);
    const charged = index === 0 ? terms : { ...terms, charges: [] };
    return draftPayment({ ...plan, request, terms: charged }, { amount, executeAt });
  });

/** What leaves the account for a batch in all. */
export const totalOf = (drafts: readonly PaymentDraft[]): bigint =>
  drafts.reduce((sum, { amount, chargeMinor }) => sum + amount.amountMinor + chargeMinor, 0n);

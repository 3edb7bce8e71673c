import { present } from "#src/lib/assert.ts";
import { executionInstant } from "#src/payments/calendar/execution-instant.ts";
import type { OrderPlan } from "#src/payments/definitions/payment-kind.ts";
import type { PaymentDraft } from "#src/payments/order/payment-draft.ts";
import { draftPayment } from "#src/payments/shapes/payment-draft.ts";

/** The only payment of a checked request: its amount to its creditor. */
export function paymentOf(plan: OrderPlan): PaymentDraft {
  const { kind, request, now, config } = plan;
  const amount = present(request.amount?.money ?? null, "a checked amount");
  return draftPayment(plan, { amount, executeAt: executionInstant(kind, request, now, config) });
}

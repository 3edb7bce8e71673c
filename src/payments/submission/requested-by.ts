import type { Consent } from "#src/consents/consent.ts";
import { requestOf, type ServedKind } from "#src/payments/kinds/payment-kind.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

/**
 * The request of an order: that of its consent. An order within limits states its own payment and
 * takes the rest from its consent. If the consent names a payee, the order has the same payee. That
 * payee is read from the consent, because the order's version may shorten the name. Source: V-101,
 * V-176.
 */
export function requestedBy(
  kind: ServedKind,
  consent: Consent,
  ordered: PaymentRequest,
): PaymentRequest {
  const consented = requestOf(kind, consent);
  if (!kind.withinLimits) return consented;
  const { debtor, authorisation, readsRefundAccount, limits } = consented;
  const creditor = consented.creditor ?? ordered.creditor;
  return { ...ordered, debtor, creditor, authorisation, readsRefundAccount, limits };
}

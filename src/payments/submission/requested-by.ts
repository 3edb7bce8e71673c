import type { Consent } from "#src/consents/consent.ts";
import { requestOf, type ServedKind } from "#src/payments/kinds/payment-kind.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";

/**
 * The request of an order: that of its consent. An order within limits states its own payment and
 * takes the rest from its consent. The order repeats the payee of its consent, whose name may be
 * longer in the version of the consent. Source: V-101, V-176.
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

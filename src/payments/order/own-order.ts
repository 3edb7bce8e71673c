import { notYours } from "#src/http/access/access.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import type { ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { accessOf, unknownId } from "#src/payments/request/refusals.ts";
import { isServed } from "#src/payments/wires/wire.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** The path parameter of the orders of a kind. */
export const orderParameter = (kind: ServedKind): string =>
  kind.orderIdParameter ?? kind.orderIdField;

/**
 * Returns the order if it is of this kind and of this TPP; throws otherwise. Source: P-175, P-176.
 */
export function ownOrder<Order extends Pick<PaymentOrder, "apiVersion" | "kind" | "clientId">>(
  kind: ServedKind,
  order: Order | undefined,
  request: OperationRequest,
): Order {
  if (order?.kind !== kind.id || !isServed(kind, order)) throw unknownId(orderParameter(kind));
  if (order.clientId !== accessOf(request).clientId) throw notYours(orderParameter(kind));
  return order;
}

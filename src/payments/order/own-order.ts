import type { OperationRequest } from "#src/http/operation.ts";
import type { ServedKind } from "#src/payments/kinds/payment-kind.ts";
import { ownResource } from "#src/payments/request/own-resource.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** The path parameter of the orders of a kind. */
export const orderParameter = (kind: ServedKind): string =>
  kind.orderIdParameter ?? kind.orderIdField;

/**
 * Returns the order if it is of this kind and of this TPP; throws otherwise. Source: P-175, P-176.
 */
export const ownOrder = <Order extends Pick<PaymentOrder, "apiVersion" | "kind" | "clientId">>(
  kind: ServedKind,
  order: Order | undefined,
  request: OperationRequest,
): Order => ownResource(kind, order, request, orderParameter(kind));

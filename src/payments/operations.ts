import type { Operation } from "#src/http/operation.ts";
import { type PaymentDeps, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { prepareSubmission } from "#src/payments/submission/order-operations.ts";
import { consentOperations } from "./consent/consent-operations.ts";
import { checkPaths } from "./formats/check-paths.ts";
import { orderCreation } from "./order/create-order.ts";
import { orderOperations } from "./submission/order-operations.ts";

/** Every operation of payment initiation, compiled from the payment kinds. */
export function paymentOperations(deps: PaymentDeps): Operation[] {
  const orderDeps = {
    ...deps,
    createOrder: orderCreation(deps.database),
    submission: prepareSubmission(deps.accessRow),
  };
  return deps.kinds.flatMap(servedKinds).flatMap((kind) => {
    checkPaths(kind.id, kind.format);
    return [...consentOperations(kind, deps), ...orderOperations(kind, orderDeps)];
  });
}

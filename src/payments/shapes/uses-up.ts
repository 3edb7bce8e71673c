import type { OrderShape } from "#src/payments/kinds/payment-kind.ts";
import { onceEach } from "#src/payments/order/create-order.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { orderSteps, replaySteps } from "./order-steps.ts";

/** The parts of a shape whose orders use up their consent, and repeat what it says. */
export const usesUpConsent = {
  use: "once",
  requestedBy: (consented) => consented,
  steps: { replay: replaySteps, order: orderSteps },
  chargesOf,
  originOf: ({ consent: { consentId } }) => ({ of: "consent", consentId }),
  create: (order, { createOrder }) => createOrder(onceEach, order),
} as const satisfies Partial<OrderShape<"once">>;

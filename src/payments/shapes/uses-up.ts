import type { OrderShape } from "#src/payments/definitions/payment-kind.ts";
import { onceEach } from "#src/payments/order/create-order.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { orderSteps, replaySteps } from "./order-steps.ts";
import { listedPayment } from "./summary-parts.ts";

// The shapes of orders: each folder here has one object with what differs by it, and a kind's row
// names one. The files in this folder are the parts that several shapes share: the checks of an
// order in their sequence (order-steps.ts), its payments (payment-draft.ts), the customer's texts
// (summary-parts.ts), and what `./aldgate verify` checks (order-invariants.ts).

/** The parts of a shape whose orders use up their consent, and repeat what it says. */
export const usesUpConsent = {
  use: "once",
  requestedBy: (consented) => consented,
  steps: { replay: replaySteps, order: orderSteps },
  chargesOf,
  originOf: ({ consent: { consentId } }) => ({ of: "consent", consentId }),
  create: (order, { createOrder }) => createOrder(onceEach, order),
  listed: listedPayment,
} as const satisfies Partial<OrderShape<"once">>;

import { hasCome } from "#src/payments/calendar/timing.ts";
import { loadOwnOrder, type OrderStanding } from "#src/payments/execution/own-order.ts";
import type { OrderFamily, PaymentStatus } from "#src/payments/order/order-states.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { listOwnUpcoming } from "./own-payments.ts";
import type { Next } from "./visit.ts";

// A page or a code page may be open while the order goes on, here or on another device. Its
// customer is then told what has happened to the order, as far as it is known.

const nouns: Record<OrderFamily, string> = {
  immediate: "payment",
  scheduled: "payment",
  standingOrder: "standing order",
  file: "file of payments",
};

/** Why the customer can no longer sign an order. */
export const signatureGone = (deps: OwnPagesDeps, customerId: string, id: string): Promise<Next> =>
  goneOf(deps, { customerId, orderId: id }, async (order, noun) => {
    const isWaiting = order.authorisationStatus === "AWAF" && order.status === "PATC";
    if (order.hasSigned) {
      const rest = isWaiting
        ? "Somebody else must approve it too."
        : "No more approvals are needed.";
      return `You have already approved this ${noun}. ${rest}`;
    }
    if (isWaiting) return `We cannot show this ${noun} at the moment. Try again later.`;
    if (order.authorisationStatus === "AUTH") return `This ${noun} already has all its approvals.`;
    return `This ${noun} does not need your approval.`;
  });

/** Why the customer cannot cancel an order. */
export const cancellationGone = (
  deps: OwnPagesDeps,
  customerId: string,
  id: string,
): Promise<Next> =>
  goneOf(deps, { customerId, orderId: id }, async (order, noun) => {
    if (order.status === "PATC") return `This ${noun} is still waiting to be approved.`;
    if (processed.includes(order.status)) return processedTexts[order.family];
    const upcoming = await listOwnUpcoming(deps, customerId);
    const fixed = upcoming.find((each) => each.id === id && each.fixed);
    return fixed ? `${fixed.detail.at(-1)}.` : `It is too late to cancel this ${noun}.`;
  });

const processed: readonly PaymentStatus[] = [
  "ACSC",
  "ACCC",
  "ACWP",
  "BLCK",
  "INCO",
  "INFA",
  "PART",
];

const made = "This payment has been made, so it can no longer be cancelled.";
const processedTexts: Record<OrderFamily, string> = {
  immediate: made,
  scheduled: made,
  standingOrder: "This standing order has no payment left that could be cancelled.",
  file: "We have processed this file of payments, so it can no longer be cancelled.",
};

type Asked = { customerId: string; orderId: string };

/** Tells how an order has ended, or what `otherwise` says of one that has not. */
async function goneOf(
  deps: OwnPagesDeps,
  asked: Asked,
  otherwise: (order: OrderStanding, noun: string) => Promise<string>,
): Promise<Next> {
  const order = await loadOwnOrder(deps, asked);
  const message =
    order === undefined
      ? "We cannot find this on your accounts."
      : (endText(order, deps.clock.now()) ?? (await otherwise(order, nouns[order.family])));
  return { goTo: "/bank", message };
}

/** How the order has ended; null if it has not ended by a decision. */
function endText({ family, status, expiresAt, reason }: OrderStanding, now: Temporal.Instant) {
  const noun = nouns[family];
  if (status === "CANC") return `This ${noun} has already been cancelled.`;
  const isOverdue = status === "PATC" && expiresAt !== null && hasCome(expiresAt, now);
  if (reason === "U036" || isOverdue) {
    return `This ${noun} was not approved in time. Nothing was paid.`;
  }
  if (reason === "U037") return `This ${noun} has been declined. Nothing was paid.`;
  return status === "RJCT" ? `This ${noun} has failed.` : null;
}

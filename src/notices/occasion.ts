import type { Occasion } from "#src/bank/notice.ts";
import type { Change } from "#src/history/change.ts";
import {
  canChange,
  type OrderFamily,
  type PaymentStatus,
} from "#src/payments/order/order-states.ts";

/** Whether the TPP can use a consent with these facts. */
const isInUse = (facts: Change["before"]): boolean =>
  facts !== null && facts.status === "AUTH" && facts.deleted !== true;

/**
 * Returns what a change of a consent means to the core. Null before a customer has authorised the
 * consent, and after its end: the core is told nothing then.
 */
function ofConsent({ before, after }: Pick<Change, "before" | "after">): Occasion | null {
  if (!isInUse(before)) return isInUse(after) ? "consent-given" : null;
  if (isInUse(after)) return "consent-changed";
  return after.status === "COND" ? "consent-used" : "consent-ended";
}

function ofOrder(
  { before, after }: Pick<Change, "before" | "after">,
  family: OrderFamily,
): Occasion {
  if (before === null) return "order-received";
  // written by the orders' room
  const isOver = ({ status }: { status: string }) => !canChange(family, status as PaymentStatus);
  return isOver(after) && !isOver(before) ? "order-ended" : "order-changed";
}

/** Returns what a change means to the core. Null if the core is told nothing. */
export const occasionOf = (
  change: Pick<Change, "before" | "after">,
  family: OrderFamily | null,
): Occasion | null => (family === null ? ofConsent(change) : ofOrder(change, family));

import { listChanges } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Explanation, HistoryLine } from "./explanation.ts";
import { actorOf, lineOf } from "./history-line.ts";

/** An order, as an explanation needs it. */
export type OrderFacts = {
  kind: string;
  status: string;
  consentId: string;
  clientId: string;
  reasons: readonly { code: string; text: string }[];
  createdAt: Temporal.Instant;
  statusUpdatedAt: Temporal.Instant;
  /** Who has signed of those who must; null if one signature is enough. */
  signatures: string | null;
};

/** Money that went back to the debtor after a payment of the order was settled. */
type ReturnedMoney = { at: string; amount: string; currency: string };

/** Explains an order: its status, how it came to it, and what was returned since. */
export async function explainOrder(
  on: Queryable,
  orderId: string,
  order: OrderFacts,
  returned: readonly ReturnedMoney[],
): Promise<Explanation> {
  const changes = await listChanges(on, orderId);
  const { status, reasons, createdAt, statusUpdatedAt } = order;
  const why = reasons.map(({ code, text }) => `${code}: ${text}`).join(" ");
  const by = actorOf(changes.at(-1));
  const [firstReturn] = returned;
  return {
    subject: "order",
    id: orderId,
    summary:
      `The order was created at ${createdAt}. It is ${status} since ${statusUpdatedAt}, by ${by}. ` +
      (firstReturn ? `Money was returned to the debtor at ${firstReturn.at}. ${why}` : why),
    faults: [],
    signature: null,
    facts: [
      { name: "kind", value: order.kind },
      { name: "client", value: order.clientId },
      { name: "consent", value: order.consentId },
      ...(order.signatures === null ? [] : [{ name: "signatures", value: order.signatures }]),
    ],
    history: [...changes.map(lineOf), ...returned.map(returnLine)].toSorted((one, other) =>
      Temporal.Instant.compare(one.at, other.at),
    ),
    next:
      (firstReturn ? nextSteps.CANC : nextSteps[status]) ??
      "Read the order's payment-details: each payment has a status.",
  };
}

const returnLine = ({ at, amount, currency }: ReturnedMoney): HistoryLine => ({
  at,
  what: `returned: ${amount} ${currency} went back to the debtor; the status stays`,
  by: "the bank",
  interactionId: null,
});

const nextSteps: Readonly<Record<string, string>> = {
  PATC: "Wait for the further signatures. In a sandbox: POST /sandbox/v1/multi-authorisations/{id}.",
  RJCT: "Correct what the reason names, and ask the customer for a new consent.",
  CANC: "Ask the customer for a new consent if the payment is still wanted.",
};

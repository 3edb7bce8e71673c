import { listChanges } from "#src/history/change.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { Explanation } from "./explanation.ts";
import { actors, lineOf } from "./history-line.ts";

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

/** Explains an order: its status, and how it came to it. */
export async function explainOrder(
  on: Queryable,
  orderId: string,
  order: OrderFacts,
): Promise<Explanation> {
  const changes = await listChanges(on, orderId);
  const { status, reasons, createdAt, statusUpdatedAt } = order;
  const why = reasons.map(({ code, text }) => `${code}: ${text}`).join(" ");
  const by = actors[changes.at(-1)?.cause ?? "unknown"];
  return {
    subject: "order",
    id: orderId,
    summary:
      `The order was created at ${createdAt}. It is ${status} since ${statusUpdatedAt}, by ${by}. ` +
      why,
    faults: [],
    signature: null,
    facts: [
      { name: "kind", value: order.kind },
      { name: "client", value: order.clientId },
      { name: "consent", value: order.consentId },
      ...(order.signatures === null ? [] : [{ name: "signatures", value: order.signatures }]),
    ],
    history: changes.map(lineOf),
    next: nextSteps[status] ?? "Read the order's payment-details: each payment has a status.",
  };
}

const nextSteps: Readonly<Record<string, string>> = {
  PATC: "Wait for the further signatures. In a sandbox: POST /sandbox/v1/multi-authorisations/{id}.",
  RJCT: "Correct what the reason names, and ask the customer for a new consent.",
  CANC: "Ask the customer for a new consent if the payment is still wanted.",
};

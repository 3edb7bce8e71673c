import { setTimeout as delay } from "node:timers/promises";
import type { PaymentOutcome, ReceivedPayment } from "#src/bank/port.ts";
import { systemClock } from "#src/lib/clock.ts";
import { reconcile } from "#src/payments/execution/reconcile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { scenarioBank } from "#src/server/sandbox/open-sandbox.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import type { KeptOrder } from "#test/model/calls.ts";
import type { History } from "#test/model/history.ts";
import { type Finding, judge } from "#test/model/judge.ts";
import { ofClient } from "#test/model/judge-client.ts";
import { outcomeRules } from "#test/model/money.ts";
import { readKeptOrders } from "#test/model/read-books.ts";
import { readOrdersOf } from "#test/payments/stored-orders.ts";
import { patienceMs } from "#test/until.ts";

/** The payments of a core compared with the orders of a TPP. */
export type Compared = {
  /** How many orders have which status, and which state at the core. */
  states: Record<string, number>;
  /** What the model finds in what the TPP was told, and in both books. */
  findings: JudgedFinding[];
  /** Whether the banks have done everything that was due. */
  isDone: boolean;
};

/** A finding, and whether it is a wrong outcome that `./aldgate reconcile` lists. */
export type JudgedFinding = Finding & { isListed: boolean };

type Given = {
  bankUrl: string;
  /** The core's own books. */
  coreUrl: string;
  clientId: string;
  /** What the TPP was told. */
  history: History;
  since: Temporal.Instant;
};

/**
 * Waits until the banks have nothing to do, and judges the history with both books. The core's
 * books are read past its broken calls.
 */
export async function compareWithCore(given: Given): Promise<Compared> {
  const database = await openPostgres(given.bankUrl, 2);
  const books = await openPostgres(given.coreUrl, 2);
  try {
    const isDone = await untilEnded(database, given.clientId);
    const bank = createSandboxBank({
      database: books,
      clock: systemClock,
      bankName: "Aldgate",
      ...scenarioBank,
    });
    const { differences } = await reconcile(
      { database, bank, kinds: paymentKinds, onProgress: () => undefined },
      given.since,
    );
    const listed = new Set(differences.map(({ paymentId }) => paymentId));
    const { states, paymentOf } = await readBothBooks(database, bank, given);
    const findings = judge(ofClient(given.history, given.clientId)).map((finding) => ({
      ...finding,
      isListed: ofOutcomes.has(finding.rule) && listed.has(paymentOf(finding.subject)),
    }));
    return { states, isDone, findings };
  } finally {
    await books.close();
    await database.close();
  }
}

// only these may be broken by a core that gives wrong outcomes: nothing may be paid twice
const ofOutcomes: ReadonlySet<string> = new Set(outcomeRules.map(({ claim }) => claim));

/** Waits until no order of a TPP has anything left to do. Returns false if one still has. */
async function untilEnded(database: Database, clientId: string): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while ((await readOrdersOf(database, { clientId })).some(({ isOpen }) => isOpen)) {
    if (performance.now() > deadline) return false;
    await delay(300);
  }
  return true;
}

const debited: readonly PaymentOutcome["state"][] = ["settled", "pending"];

/** Notes the orders and the core's books in the history. */
async function readBothBooks(
  database: Database,
  bank: ReturnType<typeof createSandboxBank>,
  { history, clientId, since }: Given,
): Promise<{ states: Record<string, number>; paymentOf(subject: string): string }> {
  const orders = await readKeptOrders(history, database, clientId);
  const amounts = new Map(orders.flatMap((one) => one.payments.map((id) => [id, one.amount ?? 0])));
  // the core's own amounts, also of payments that nobody has ordered
  for (let after: string | null = null; ; ) {
    const page: ReceivedPayment[] = (await bank.listPayments?.(since, after)) ?? [];
    if (page.length === 0) break;
    for (const { paymentId, amount } of page) amounts.set(paymentId, Number(amount.amountMinor));
    after = page.at(-1)?.paymentId ?? null;
  }
  const ids = [...amounts.keys()];
  const outcomes = await bank.ask(ids);
  const stateOf = new Map(ids.map((id, index) => [id, outcomes[index]?.state ?? "unknown"]));
  const movements = ids
    .filter((id) => debited.some((state) => state === stateOf.get(id)))
    .map((paymentId) => ({ paymentId, amount: amounts.get(paymentId) ?? 0 }));
  const held = ids.filter((id) => stateOf.get(id) === "reserved");
  history.note(clientId, "books", {}, { movements, held });
  await readKeptOrders(history, database, clientId);
  return { states: countStates(orders, stateOf), paymentOf: paymentsOf(orders) };
}

function countStates(
  orders: readonly KeptOrder[],
  stateOf: ReadonlyMap<string, string>,
): Record<string, number> {
  const states: Record<string, number> = {};
  for (const { status, payments } of orders) {
    const name = `${status} ${stateOf.get(payments[0] ?? "") ?? "unknown"}`;
    states[name] = (states[name] ?? 0) + 1;
  }
  return states;
}

/** Returns the payment of an order. A finding may also be about a payment itself. */
function paymentsOf(orders: readonly KeptOrder[]): (subject: string) => string {
  const byOrder = new Map(orders.map(({ orderId, payments }) => [orderId, payments[0] ?? ""]));
  return (subject) => byOrder.get(subject) ?? subject;
}

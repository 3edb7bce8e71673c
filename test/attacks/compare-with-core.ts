import { setTimeout as delay } from "node:timers/promises";
import type { PaymentOutcome, ReceivedPayment } from "#src/bank/port.ts";
import { systemClock } from "#src/lib/clock.ts";
import { reconcile } from "#src/payments/execution/reconcile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { scenarioBank } from "#src/server/sandbox/open-sandbox.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { type OrderWithPayment, readOrdersOf } from "#test/payments/stored-orders.ts";
import { patienceMs } from "#test/until.ts";

/** The payments of a core compared with the orders of a TPP. */
export type Compared = {
  /** How many orders have which status, and which state at the core. */
  states: Record<string, number>;
  /** Where they differ. */
  differences: Difference[];
  /** Whether the banks have done everything that was due. */
  isDone: boolean;
};

/** A payment on which an order and the core differ, and whether `./aldgate reconcile` lists it. */
export type Difference = { text: string; isDoubled: boolean; isListed: boolean };

type Given = {
  bankUrl: string;
  /** The core's own books. */
  coreUrl: string;
  clientId: string;
  /** The ids of the orders that a bank has acknowledged. */
  acknowledged: ReadonlySet<string>;
  since: Temporal.Instant;
};

/**
 * Waits until the banks have nothing to do, and compares. The core's books are read past its broken
 * calls.
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
    const { states, wrong } = await compare(database, bank, given);
    return {
      states,
      isDone,
      differences: [...wrong].map(([paymentId, found]) => ({
        ...found,
        isListed: listed.has(paymentId),
      })),
    };
  } finally {
    await books.close();
    await database.close();
  }
}

/** Waits until no order of a TPP has anything left to do. Returns false if one still has. */
async function untilEnded(database: Database, clientId: string): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while ((await readOrdersOf(database, { clientId })).some(({ isOpen }) => isOpen)) {
    if (performance.now() > deadline) return false;
    await delay(300);
  }
  return true;
}

const paid: readonly string[] = ["ACCC", "ACSC", "ACSP", "ACWP"];
const unpaid: readonly string[] = ["RJCT", "CANC"];
const debited: readonly PaymentOutcome["state"][] = ["settled", "pending"];

type Found = Omit<Difference, "isListed">;

async function compare(
  database: Database,
  bank: ReturnType<typeof createSandboxBank>,
  { clientId, acknowledged, since }: Given,
): Promise<{ states: Record<string, number>; wrong: Map<string, Found> }> {
  const orders = await readOrdersOf(database, { clientId });
  const listed = new Map<string, bigint>();
  for (let after: string | null = null; ; ) {
    const page: ReceivedPayment[] = (await bank.listPayments?.(since, after)) ?? [];
    if (page.length === 0) break;
    for (const { paymentId, amount } of page) listed.set(paymentId, amount.amountMinor);
    after = page.at(-1)?.paymentId ?? null;
  }
  const ids = [...new Set([...listed.keys(), ...orders.map(({ paymentId }) => paymentId ?? "")])];
  const outcomes = await bank.ask(ids);
  const stateOf = new Map(ids.map((id, index) => [id, outcomes[index]?.state ?? "unknown"]));
  const states: Record<string, number> = {};
  const wrong = new Map<string, Found>();
  const differs = (id: string, text: string, isDoubled = false): void =>
    void wrong.set(id, { text, isDoubled });
  const found = new Map<string, OrderWithPayment>();
  for (const order of orders) {
    const { orderId, status, paymentId, amountMinor } = order;
    if (found.has(orderId)) differs(orderId, `${orderId} has two payments`, true);
    found.set(orderId, order);
    const booked = listed.get(paymentId ?? "");
    if (booked !== undefined && booked !== amountMinor) {
      differs(orderId, `${orderId} is about ${amountMinor} pence, and the core has ${booked}`);
    }
    const state = stateOf.get(paymentId ?? "") ?? "unknown";
    states[`${status} ${state}`] = (states[`${status} ${state}`] ?? 0) + 1;
    const isDebited = debited.includes(state);
    const isRight = isDebited
      ? paid.includes(status)
      : unpaid.includes(status) && state !== "reserved";
    if (!isRight) differs(paymentId ?? orderId, `${orderId} is ${status}, at the core ${state}`);
  }
  for (const orderId of acknowledged) {
    if (!found.has(orderId)) differs(orderId, `${orderId} was acknowledged and is lost`);
  }
  for (const orderId of found.keys()) {
    if (!acknowledged.has(orderId)) differs(orderId, `${orderId} was never acknowledged`);
  }
  const ordered = new Set(orders.map(({ paymentId }) => paymentId));
  for (const paymentId of listed.keys()) {
    const state = stateOf.get(paymentId) ?? "unknown";
    if (ordered.has(paymentId) || !debited.includes(state)) continue;
    differs(paymentId, `${paymentId} is ${state} at the core, and nobody has ordered it`, true);
  }
  return { states, wrong };
}

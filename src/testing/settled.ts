import { setTimeout as delay } from "node:timers/promises";
import { textOf } from "#src/lib/plain-text.ts";
import { loadOrder, type OrderWithConsent } from "#src/payments/order/payment-order.ts";
import { dataOf, type Identified } from "./identified.ts";
import type { OpenedBank } from "./opened-bank.ts";
import type { SettledOrder } from "./test-bank.ts";

const ends = ["ACCC", "ACWP", "RJCT", "BLCK", "CANC", "INCO", "INFA"];

// schemes and creditors' banks answer within this time of the bank's clock
const scheme = Temporal.Duration.from({ minutes: 1 });
// another batch of the engine may be at work
const patienceMs = 20_000;
const lookMs = 20;

/**
 * Waits until an order has its end, and sets the clock forward by up to a minute for it. Throws if
 * the order does not get there.
 */
export async function untilSettled(
  bank: Pick<OpenedBank, "database" | "engine" | "clock" | "control">,
  given: Identified,
): Promise<SettledOrder> {
  const begun = performance.now();
  const limit = bank.clock.now().add(scheme);
  for (;;) {
    // before the order is read, which otherwise might get its end in between
    const next = await bank.engine.nextDueAt();
    const order = await findOrder(bank, given);
    const { orderId, status, statusReason } = order;
    if (ends.includes(status)) {
      return { orderId, status, reasons: statusReason.map(({ code, text }) => ({ code, text })) };
    }
    const goesOn = next !== null && Temporal.Instant.compare(next, limit) <= 0;
    if (!goesOn || performance.now() - begun > patienceMs)
      throw new Error(whyNot(order, bank.clock.now()));
    if (Temporal.Instant.compare(next, bank.clock.now()) > 0) {
      await bank.control("PUT", "/clock", { now: next.toString() });
    } else {
      await bank.engine.drain();
      await delay(lookMs);
    }
  }
}

async function findOrder(
  { database }: Pick<OpenedBank, "database">,
  given: Identified,
): Promise<OrderWithConsent> {
  const ids = typeof given === "string" ? [given] : idsIn(given);
  for (const id of ids) {
    const order = await loadOrder(database, id);
    if (order) return order;
  }
  throw new Error(`There is no order ${ids.join(" or ")}.`);
}

/** The members that may be the order's id, such as `DomesticPaymentId`. */
const idsIn = (body: { Data: object }): string[] =>
  Object.entries(dataOf(body, "an order"))
    .filter(([name]) => name.endsWith("Id") && name !== "ConsentId")
    .map(([, value]) => textOf(value));

function whyNot({ orderId, status, terms }: OrderWithConsent, now: Temporal.Instant): string {
  const execution = terms.expected?.execution;
  const isLater = execution && Temporal.Instant.compare(execution, now) > 0;
  return [
    `The order ${orderId} is ${status} and does not go on by itself.`,
    isLater
      ? `It is made on ${execution}: call bank.clock.advance().`
      : "If it needs another signature, call " +
        `bank.control("POST", "/multi-authorisations/${orderId}", { decision: "approve" }).`,
  ].join(" ");
}

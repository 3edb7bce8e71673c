import { type Calls, type Done, isBefore } from "./calls.ts";
import { keyOf } from "./orders.ts";
import { groupBy, type Rule } from "./rule.ts";

// What the bank has of the orders in the end: all that it has acknowledged, as it was sent, and
// nothing that nobody has sent.

const lastOrders = (calls: Calls): Done<"keptOrders">[] => calls.done("keptOrders");

/** The rules about the orders that a bank keeps. */
export const keptOrderRules: readonly Rule[] = [
  {
    claim: "an acknowledged order is kept",
    *breaches(calls) {
      const reads = lastOrders(calls).map((read) => ({
        read,
        ids: new Set(read.told.orders.map(({ orderId }) => orderId)),
      }));
      for (const order of calls.done("order")) {
        const { orderId } = order.told;
        const isLost = reads.some(
          ({ read, ids }) =>
            read.client === order.client && isBefore(order, read) && !ids.has(orderId),
        );
        if (!isLost) continue;
        yield { subject: orderId, text: `${orderId} was acknowledged and is lost`, calls: [order] };
      }
    },
  },
  {
    claim: "every kept order was sent, once for each key",
    *breaches(calls) {
      const keys = groupBy(calls.of("order"), ({ asked }) => asked.consentId);
      for (const read of lastOrders(calls)) {
        for (const [consentId, kept] of groupBy(read.told.orders, (one) => one.consentId)) {
          const sent = (keys.get(consentId) ?? []).filter(({ start }) => start < read.end);
          const known = new Set(
            sent.flatMap((one) => (one.outcome === "ok" ? one.told.orderId : [])),
          );
          // a key with no answer so far stands for at most one order that nobody knows
          const open = [...groupBy(sent, keyOf).values()].filter(
            (same) =>
              same.some(({ outcome }) => outcome === "unknown") &&
              !same.some(({ outcome }) => outcome === "ok"),
          );
          const strange = kept.filter(({ orderId }) => !known.has(orderId));
          if (strange.length <= open.length) continue;
          const ids = strange.map(({ orderId }) => orderId).join(", ");
          const text = `${consentId} has ${ids}, which no request can have made`;
          yield { subject: consentId, text, calls: sent };
        }
      }
    },
  },
  {
    claim: "an order is kept as it was sent",
    *breaches(calls) {
      const kept = new Map(
        lastOrders(calls).flatMap(({ told }) => told.orders.map((one) => [one.orderId, one])),
      );
      for (const order of calls.done("order")) {
        const { orderId } = order.told;
        const { amount, consentId } = order.asked;
        const its = kept.get(orderId);
        if (!its || (its.amount === amount && its.consentId === consentId)) continue;
        const text =
          `${orderId} is about ${amount} pence under ${consentId}, ` +
          `and the bank has ${its.amount} under ${its.consentId}`;
        yield { subject: orderId, text, calls: [order] };
      }
    },
  },
];

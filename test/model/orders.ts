import { type Call, type Done, isBefore, mayHaveHappened } from "./calls.ts";
import { Consents } from "./consents.ts";
import { groupBy, type Rule } from "./rule.ts";
import { backwardSteps, orderGraphs, orderSightings } from "./statuses.ts";

// The model of orders: a key stands for one order, a consent to one payment has one, and what the
// bank has acknowledged it keeps.

/** A client's idempotency key. */
export const keyOf = ({ client, asked }: Call<"order">): string => `${client} ${asked.key}`;

/** Refusals that judge the order itself, not the caller, its rate or its token. */
const isOfOrder = (call: Call<"order">): boolean =>
  call.outcome === "refused" && [400, 403, 404, 409, 422].includes(call.reasons.status);

/** The rules about orders. */
export const orderRules: readonly Rule[] = [
  {
    claim: "a key stands for one order",
    *breaches(calls) {
      for (const same of groupBy(calls.done("order"), keyOf).values()) {
        const [first] = same as [Done<"order">];
        const other = same.find(({ told }) => told.orderId !== first.told.orderId);
        if (!other) continue;
        const { key } = first.asked;
        const text = `the key ${key} made ${first.told.orderId} and ${other.told.orderId}`;
        yield { subject: key, text, calls: [first, other] };
      }
    },
  },
  {
    claim: "an order has one key",
    *breaches(calls) {
      for (const [orderId, same] of groupBy(calls.done("order"), ({ told }) => told.orderId)) {
        const [first] = same as [Done<"order">];
        const other = same.find((one) => keyOf(one) !== keyOf(first));
        if (!other) continue;
        const text = `${orderId} answers the keys ${first.asked.key} and ${other.asked.key}`;
        yield { subject: orderId, text, calls: [first, other] };
      }
    },
  },
  {
    claim: "a consent to one payment has one order",
    *breaches(calls) {
      const { lodged } = new Consents(calls);
      for (const [consentId, its] of groupBy(calls.done("order"), (one) => one.asked.consentId)) {
        if (lodged.get(consentId)?.asked.use !== "once") continue;
        const [first] = its as [Done<"order">];
        const other = its.find(
          (one) => one.told.orderId !== first.told.orderId && keyOf(one) !== keyOf(first),
        );
        if (!other) continue;
        const text = `${consentId} has the orders ${first.told.orderId} and ${other.told.orderId}`;
        yield { subject: consentId, text, calls: [first, other] };
      }
    },
  },
  {
    claim: "an order that is sent again is answered again",
    *breaches(calls) {
      for (const same of groupBy(calls.of("order"), keyOf).values()) {
        const done = same.find((one) => one.outcome === "ok") as Done<"order"> | undefined;
        const later = done && same.find((one) => isOfOrder(one) && isBefore(done, one));
        // whose consent has ended is refused at the door
        if (!later || (later.outcome === "refused" && later.reasons.status === 403)) continue;
        const { orderId } = done.told;
        const text = `${orderId} was acknowledged, and the same request was refused afterwards`;
        yield { subject: orderId, text, calls: [done, later] };
      }
    },
  },
  {
    claim: "the first order of an approved consent is accepted",
    *breaches(calls) {
      const consents = new Consents(calls);
      const byConsent = groupBy(
        calls.of("order").filter(mayHaveHappened),
        (one) => one.asked.consentId,
      );
      for (const order of calls.of("order").filter(isOfOrder)) {
        const { consentId, amount } = order.asked;
        const lodged = consents.lodged.get(consentId);
        if (lodged?.asked.use !== "once" || lodged.asked.amount !== amount) continue;
        if (!consents.isApproved(consentId, order)) continue;
        // a request without an answer is no reason to refuse it when it is sent again
        const reasons = byConsent
          .get(consentId)
          ?.filter((one) => one.outcome === "ok" || keyOf(one) !== keyOf(order));
        if (reasons?.some(({ start }) => start < order.end)) continue;
        const text = `the order of ${consentId} was refused, though it was approved and unused`;
        const approvals = consents.decisions(consentId, true);
        yield { subject: consentId, text, calls: [lodged, ...approvals, order] };
      }
    },
  },
  {
    claim: "an acknowledged order can be read",
    *breaches(calls) {
      const orders = new Map(calls.done("order").map((one) => [one.told.orderId, one]));
      for (const read of calls.of("readOrder")) {
        if (read.outcome !== "refused" || ![400, 404].includes(read.reasons.status)) continue;
        const order = orders.get(read.asked.orderId);
        if (!order || order.client !== read.client || !isBefore(order, read)) continue;
        const { orderId } = order.told;
        const text = `${orderId} was acknowledged, and a read did not find it`;
        yield { subject: orderId, text, calls: [order, read] };
      }
    },
  },
  {
    claim: "the status of an order only moves forward",
    breaches: (calls) => backwardSteps(orderSightings(calls), orderGraphs),
  },
];

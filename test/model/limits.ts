import { type AskedLimits, type Call, type Calls, type Done, isBefore } from "./calls.ts";
import { Consents } from "./consents.ts";
import { Counting } from "./counting.ts";
import { bankDayOf, type Period, periodOf } from "./periods.ts";
import { type Breach, groupBy, type Rule } from "./rule.ts";

// The model of limits. An accepted order counts in the period of the day on which the bank accepted
// it, until the order is rejected. What certainly counts at one time must fit in the limit. A
// refusal must be due, if everything counts that may count.

type Limited = { lodged: Done<"lodge">; limits: AskedLimits; anchor: string; its: Call<"order">[] };

function* limited(calls: Calls): Iterable<Limited> {
  const orders = groupBy(calls.of("order"), ({ asked }) => asked.consentId);
  for (const lodged of new Consents(calls).lodged.values()) {
    const { limits } = lodged.asked;
    if (lodged.asked.use !== "within limits" || !limits) continue;
    const created = bankDayOf(Temporal.Instant.from(lodged.told.created));
    const anchor = limits.from !== null && limits.from > created ? limits.from : created;
    yield { lodged, limits, anchor, its: orders.get(lodged.told.consentId) ?? [] };
  }
}

const dayOfOrder = ({ told }: Done<"order">): string =>
  bankDayOf(Temporal.Instant.from(told.created));

/** The first order of each key that was answered: repeated answers are the same order. */
const once = (orders: readonly Done<"order">[]): Done<"order">[] => [
  ...new Map(orders.toReversed().map((one) => [one.told.orderId, one])).values(),
];

/** Finds the time at which most certainly counted, and what did. */
function mostAtOnce(orders: readonly Done<"order">[], counting: Counting): Done<"order">[] {
  let most: Done<"order">[] = [];
  let sum = 0;
  for (const { end } of orders) {
    const counted = orders.filter((one) => one.end <= end && end <= counting.until(one));
    const total = counted.reduce((all, { asked }) => all + (asked.amount ?? 0), 0);
    if (total > sum) [most, sum] = [counted, total];
  }
  return most;
}

const named = ({ first, last, amount }: Period): string =>
  `${amount} pence from ${first} to ${last}`;
const sumOf = (orders: readonly Call<"order">[]): number =>
  orders.reduce((all, { asked }) => all + (asked.amount ?? 0), 0);

/** Whether an order of that day could be above a limit, if everything counts that may. */
function isDue(
  { limits, anchor, its }: Limited,
  order: Call<"order">,
  counting: Counting,
): boolean {
  const amount = order.asked.amount ?? 0;
  if (limits.single !== null && amount > limits.single) return true;
  const others = its.filter(
    (one) => one.asked.key !== order.asked.key && counting.mayCount(one, order),
  );
  // each key counts once, and the day of an order without an answer is not known
  const possible = [...new Map(others.map((one) => [one.asked.key, one])).values()];
  const day = (at: number) => bankDayOf(Temporal.Instant.fromEpochMilliseconds(Math.floor(at)));
  const days = [...new Set([day(order.start), day(order.end)])];
  return limits.periods.some((limit) =>
    days.some((one) => {
      if (one < anchor) return true;
      const period = periodOf(limit, anchor, one);
      const counted = possible.filter(
        (other) =>
          other.outcome !== "ok" ||
          (dayOfOrder(other) >= period.first && dayOfOrder(other) <= period.last),
      );
      return sumOf(counted) + amount > period.amount;
    }),
  );
}

const isForLimit = (call: Call<"order">): boolean =>
  call.outcome === "refused" && call.reasons.codes.some((code) => /U014|FailsControl/.test(code));

/** The rules about consents to payments within limits. */
export const limitRules: readonly Rule[] = [
  {
    claim: "a payment is at most its consent's maximum",
    *breaches(calls) {
      for (const { lodged, limits, its } of limited(calls)) {
        for (const order of its) {
          if (order.outcome !== "ok" || limits.single === null) continue;
          if ((order.asked.amount ?? 0) <= limits.single) continue;
          const text = `${order.told.orderId} is above the maximum of ${limits.single} pence`;
          yield { subject: order.told.orderId, text, calls: [lodged, order] };
        }
      }
    },
  },
  {
    claim: "a payment is accepted on a day of its consent",
    *breaches(calls) {
      for (const { lodged, limits, anchor, its } of limited(calls)) {
        for (const order of its) {
          if (order.outcome !== "ok") continue;
          const day = dayOfOrder(order);
          if (day >= anchor && (limits.to === null || day <= limits.to)) continue;
          const text = `${order.told.orderId} was accepted on ${day}, outside its consent's dates`;
          yield { subject: order.told.orderId, text, calls: [lodged, order] };
        }
      }
    },
  },
  {
    claim: "no period's payments exceed its limit",
    *breaches(calls): Iterable<Breach> {
      const counting = new Counting(calls);
      for (const { lodged, limits, anchor, its } of limited(calls)) {
        const orders = once(its.filter((one): one is Done<"order"> => one.outcome === "ok"));
        for (const limit of limits.periods) {
          const periodFor = (one: Done<"order">) => periodOf(limit, anchor, dayOfOrder(one));
          const usable = orders.filter((one) => dayOfOrder(one) >= anchor);
          for (const same of Map.groupBy(usable, (one) => periodFor(one).first).values()) {
            const period = periodFor(same[0] as Done<"order">);
            // what has been accepted in all is usually within the limit
            if (sumOf(same) <= period.amount) continue;
            const counted = mostAtOnce(same, counting);
            if (sumOf(counted) <= period.amount) continue;
            const { consentId } = lodged.told;
            const text = `${consentId} allows ${named(period)}, and ${sumOf(counted)} were accepted`;
            yield { subject: consentId, text, calls: [lodged, ...counted] };
          }
        }
      }
    },
  },
  {
    claim: "a refusal for a limit is due",
    *breaches(calls) {
      // after a move of the bank's clock, the recorder does not know the day of a refusal
      if (calls.of("moveClock").length > 0) return;
      const counting = new Counting(calls);
      for (const one of limited(calls)) {
        for (const order of one.its.filter(isForLimit)) {
          if (isDue(one, order, counting)) continue;
          const { key, consentId } = order.asked;
          const counted = one.its.filter(
            (other) => other.outcome === "ok" && isBefore(other, order),
          );
          const text = `the order ${key} was refused, and fits in the limits of ${consentId}`;
          yield { subject: key, text, calls: [one.lodged, ...counted, order] };
        }
      }
    },
  },
];

import type { Call, Calls, Done } from "./calls.ts";

const doesNotCount = (status: string): boolean => /^(?:RJCT|BLCK|Rejected)$/.test(status);

/** How long each order counts, as far as its sightings say. */
export class Counting {
  readonly #counted = new Map<string, number>();
  readonly #rejected = new Map<string, number>();

  constructor(calls: Calls) {
    for (const call of calls.done("order")) this.#see(call.told.orderId, call.told.status, call);
    for (const call of calls.done("readOrder"))
      this.#see(call.asked.orderId, call.told.status, call);
    for (const call of calls.done("keptOrders"))
      for (const { orderId, status } of call.told.orders) this.#see(orderId, status, call);
  }

  #see(orderId: string, status: string, { start, end }: Call): void {
    if (doesNotCount(status)) {
      this.#rejected.set(orderId, Math.min(end, this.#rejected.get(orderId) ?? Infinity));
    } else this.#counted.set(orderId, Math.max(start, this.#counted.get(orderId) ?? -Infinity));
  }

  /** The last time at which the order certainly counted. */
  until({ told, end }: Done<"order">): number {
    return Math.max(
      this.#counted.get(told.orderId) ?? -Infinity,
      doesNotCount(told.status) ? -Infinity : end,
    );
  }

  /** Whether an order may count at some time during a call. */
  mayCount(order: Call<"order">, during: Call): boolean {
    if (order.outcome === "refused" || order.start >= during.end) return false;
    if (order.outcome === "unknown") return true;
    return (this.#rejected.get(order.told.orderId) ?? Infinity) >= during.start;
  }
}

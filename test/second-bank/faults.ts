/** A fault that a test gives the second bank. */
export type Fault = {
  /** The call of the port that it affects, or every call. */
  call: string;
  /** Affects only calls with this first argument, such as a customer's id. */
  about?: string;
  /** Affects only calls with this payment. */
  paymentId?: string;
  /** Affects only calls with a payment of this amount, in minor units. */
  amountMinor?: string;
  /** The share of calls that it affects, from 0 to 1. By default, it affects all. */
  share?: number;
  /** How many calls it affects. By default, there is no limit. */
  times?: number;
  /**
   * What happens.
   * - `slow`: the bank responds after `delayMs`.
   * - `hang`: it does nothing and never responds.
   * - `fail`: it does nothing and responds with an error of that `outcome`.
   * - `lose`: it does the work and cuts the connection.
   * - `answer`: it does the work and responds with `answer` instead of the result.
   */
  how: "slow" | "hang" | "fail" | "lose" | "answer";
  delayMs?: number;
  outcome?: "refused" | "retry" | "unknown";
  answer?: unknown;
};

type Item = { paymentId?: string; amount?: { amountMinor: bigint } };

/** Draws which calls are affected. A seed always gives the same ones. */
export function createFaults(seed: number) {
  let faults: Fault[] = [];
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
  return {
    set(next: Fault[]): void {
      faults = next.map((fault) => ({ ...fault }));
    },
    /**
     * Returns the fault of a call with these arguments, and counts it; undefined if there is none.
     */
    take(call: string, given: readonly unknown[]): Fault | undefined {
      const found = faults.find((fault) => isOf(fault, call, given) && random() < share(fault));
      if (found?.times !== undefined) {
        found.times -= 1;
        if (found.times === 0) faults = faults.filter((fault) => fault !== found);
      }
      return found;
    },
  };
}

const share = ({ share: part }: Fault): number => part ?? 1;

function isOf(fault: Fault, call: string, given: readonly unknown[]): boolean {
  if (fault.call !== "*" && fault.call !== call) return false;
  if (fault.about !== undefined && fault.about !== given[0]) return false;
  const items: (Item | string)[] = Array.isArray(given[0]) ? given[0] : [];
  const { paymentId, amountMinor } = fault;
  if (paymentId !== undefined && !items.some((item) => idOf(item) === paymentId)) return false;
  return (
    amountMinor === undefined ||
    items.some((item) => typeof item !== "string" && `${item.amount?.amountMinor}` === amountMinor)
  );
}

const idOf = (item: Item | string): string | undefined =>
  typeof item === "string" ? item : item.paymentId;

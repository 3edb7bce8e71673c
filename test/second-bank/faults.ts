/** What is wrong with the second bank while a test says so. */
export type Fault = {
  /** The call of the port, or every one. */
  call: string;
  /** Only calls with this payment. */
  paymentId?: string;
  /** Only calls with a payment of this amount, in minor units. */
  amountMinor?: string;
  /** The share of calls, from 0 to 1; every one unless given. */
  share?: number;
  /** How many calls it spoils; no limit unless given. */
  times?: number;
  /**
   * - `slow`: answers after `delayMs`.
   * - `hang`: does nothing and never answers.
   * - `fail`: does nothing and answers with an error of that `outcome`.
   * - `lose`: does the work and cuts the connection.
   * - `answer`: does the work and answers with `answer` in place of its own.
   */
  how: "slow" | "hang" | "fail" | "lose" | "answer";
  delayMs?: number;
  outcome?: "refused" | "retry" | "unknown";
  answer?: unknown;
};

type Item = { paymentId?: string; amount?: { amountMinor: bigint } };

/** Draws which calls are spoiled: the same for the same seed. */
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
    /** The fault of a call with these arguments, which is counted; undefined when there is none. */
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

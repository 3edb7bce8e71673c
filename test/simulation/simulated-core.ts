import { type Bank, BankError } from "#src/bank/port.ts";

/**
 * What goes wrong with a call of the core about payments: it does not arrive, its answer is lost,
 * it arrives twice, it arrives when nobody waits for it any more, or its answer takes until time
 * has passed.
 */
export const coreTroubles = ["not made", "unanswered", "doubled", "late", "slow"] as const;
export type CoreTrouble = (typeof coreTroubles)[number];

type PaymentCall = "reserve" | "execute" | "ask" | "release";
type Calls = Record<PaymentCall, (given: never) => Promise<unknown>>;

/** The line from a simulated process to the core. */
export type CoreLine = {
  /** The calls about payments, as the process makes them. */
  calls: Pick<Bank, PaymentCall>;
  /** Lets these troubles happen to the next calls, one after the other; null is none. */
  plan(troubles: readonly (CoreTrouble | null)[]): void;
  /** Nothing more arrives from the process. */
  cut(): void;
};

/** Calls that have not arrived yet, of all processes. */
export class LateCalls {
  #waiting: (() => Promise<unknown>)[] = [];
  #answers: (() => void)[] = [];

  add(call: () => Promise<unknown>): void {
    this.#waiting.push(call);
  }

  /** Lets them arrive. Nobody learns the answers. */
  async arrive(): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    for (const call of calls) await call().catch(() => undefined);
  }

  /** Waits until slow answers arrive. */
  untilAnswered(): Promise<void> {
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  /** Lets slow answers arrive. Returns whether there were any. */
  answer(): boolean {
    const answers = this.#answers;
    this.#answers = [];
    for (const arrive of answers) arrive();
    return answers.length > 0;
  }
}

/** Puts a line between a process and the core. */
export function connectToCore(core: Bank, late: LateCalls): CoreLine {
  const planned: (CoreTrouble | null)[] = [];
  let isCut = false;
  const end = Promise.withResolvers<void>();
  const reach = (name: PaymentCall) => async (given: unknown) => {
    const call = () => (core as unknown as Calls)[name](given as never);
    if (isCut) throw new BankError("unknown", "the process was killed");
    switch (planned.shift()) {
      case "not made":
        throw new BankError("retry", "the simulated core cannot be reached");
      case "late":
        late.add(call);
        throw new BankError("unknown", "the simulated core did not answer in time");
      case "unanswered":
        await call();
        throw new BankError("unknown", "the answer of the simulated core was lost");
      case "doubled":
        await call();
        return call();
      case "slow": {
        const result = await call();
        await Promise.race([late.untilAnswered(), end.promise]);
        if (isCut) throw new BankError("unknown", "the process was killed");
        return result;
      }
      default:
        return call();
    }
  };
  return {
    calls: {
      reserve: reach("reserve"),
      execute: reach("execute"),
      ask: reach("ask"),
      release: reach("release"),
    } as unknown as CoreLine["calls"],
    plan: (troubles) => void planned.push(...troubles),
    cut() {
      isCut = true;
      end.resolve();
    },
  };
}

import Value from "typebox/value";
import { textOf } from "#src/lib/plain-text.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { type AnswerReader, leftOutLog, readAnswer, WrongAnswer } from "./checked-answer.ts";
import { Circuit, type CircuitLimits, DeadlinePassed, NotCalled, within } from "./circuit.ts";
import { createConcerned } from "./concerned.ts";
import {
  type Bank,
  type BankCharge,
  BankError,
  bankErrorOutcome,
  type ChargedPayment,
  type OwnCore,
} from "./port.ts";
import type { CallName } from "./port-answers.ts";
import { type CallGroup, callGroups, chargesSchema, portCalls } from "./port-calls.ts";

/** The settings of a core's guard. */
export type GuardOptions = CircuitLimits & {
  /** The longest that a call of each group may take, in milliseconds. */
  deadlinesMs: Record<CallGroup, number>;
  /** Reads what the core answers; by default, the values of a module. */
  reader?: AnswerReader;
  log: {
    error(details: object, text: string): void;
    warn(details: object, text: string): void;
  };
};

/** A core behind its guard. */
export type GuardedBank = {
  bank: Bank;
  /** Lists the groups whose calls are failing. */
  listFailing(): CallGroup[];
  /** The failed calls of that group since the last one that succeeded. */
  failuresInRow(group: CallGroup): number;
  /** Whether a call of that group would reach the core now. */
  admits(group: CallGroup): boolean;
  /** Closes the core, or gives up after the given time. A failure is logged. */
  close(withinMs: number): Promise<void>;
};

type AnyCall = (...given: unknown[]) => Promise<unknown>;
type Made = { name: CallName; given: unknown[]; work: AnyCall };

/**
 * Puts a bank's core behind deadlines, a circuit breaker per group of calls, and checks of its
 * responses. A failed call of `execute` throws BankError. Any other failed call throws Unavailable,
 * which becomes a 503. Callers see only the port.
 */
export function guardBank(core: OwnCore, options: GuardOptions): GuardedBank {
  const { deadlinesMs, log, reader = readAnswer } = options;
  const circuits = new Map(
    callGroups.map((group) => [group, new Circuit(options, (isOpen) => sayState(group, isOpen))]),
  );
  const circuitOf = (group: CallGroup): Circuit => circuits.get(group) as Circuit; // one per group

  const report: Parameters<AnswerReader>[3] = {
    onLeftOut: leftOutLog(log),
    onInvalidOutcome: (call, paymentId) =>
      log.error({ call, paymentId }, "the core returned an invalid outcome"),
  };
  const concerned = createConcerned();

  function sayState(group: CallGroup, isOpen: boolean): void {
    if (isOpen) log.error({ group }, "the core has failed repeatedly; its calls are paused");
    else log.warn({ group }, "the core answers again");
  }

  async function make({ name, given, work }: Made): Promise<unknown> {
    const { group } = portCalls[name];
    const started = performance.now();
    try {
      const call = async () => work.apply(core, given);
      // checked outside the circuit: an answer that is wrong about one customer or payment is an
      // answer, so it says nothing about the calls for the others
      const about = concerned.by(name, given);
      const answer = await circuitOf(group).run(deadlinesMs[group], call, about);
      const checked = reader(name, given, answer, report);
      concerned.learn(name, given, checked);
      return checked;
    } catch (error) {
      const milliseconds = Math.round(performance.now() - started);
      // the engine logs its own calls, with their payments
      if (group !== "execute" && !(error instanceof NotCalled)) {
        log.error({ err: error, call: name, milliseconds }, "a call to the bank's core failed");
      }
      throw group === "execute" ? asBankError(error) : asUnavailable(name, error);
    }
  }

  const asUnavailable = (name: string, cause: unknown): Unavailable =>
    new Unavailable("core", `the bank's core did not answer ${name}`, {
      cause,
      retryAfterSeconds: options.retryMs / 1000,
    });

  function chargesOf(payment: ChargedPayment): BankCharge[] {
    try {
      const charges = (core as Bank).chargesOf(payment);
      const currencies = new Set(charges.map(({ amount }) => amount.currency));
      if (Value.Check(chargesSchema, charges) && currencies.size <= 1) return charges;
      throw new WrongAnswer("chargesOf returned charges that the port does not define");
    } catch (error) {
      log.error({ err: error, call: "chargesOf" }, "a call to the bank's core failed");
      throw asUnavailable("chargesOf", error);
    }
  }

  const calls = Object.keys(portCalls).flatMap((key) => {
    const name = key as CallName; // the table contains only names of the port
    const work = (core[name] ?? absent(name)) as AnyCall | null;
    if (!work) return []; // callers see that the core omits it
    return [[name, (...given: unknown[]) => make({ name, given, work })]];
  });
  return {
    bank: {
      ...(Object.fromEntries(calls) as Bank),
      chargesOf,
      exchangeCurrencies: core.exchangeCurrencies ?? [],
      ...(core.about === undefined ? {} : { about: core.about }),
      ...(core.readsContext === undefined ? {} : { readsContext: core.readsContext }),
      ...(core.attachesData === undefined ? {} : { attachesData: core.attachesData }),
    },
    listFailing: () => callGroups.filter((group) => circuitOf(group).isOpen),
    failuresInRow: (group) => circuitOf(group).failuresInRow,
    admits: (group) => circuitOf(group).admits,
    close: (withinMs) =>
      within(async () => core.close?.(), withinMs).catch((error) => {
        log.error({ err: error, call: "close" }, "the bank's core did not close");
      }),
  };
}

/** Nothing that is offered makes a call of a part that the core lacks. Null if it is optional. */
function absent(name: CallName): AnyCall | null {
  const { isOptional, absent: known } = portCalls[name];
  if (isOptional) return null;
  return async () => {
    if (known) return known;
    throw new Error(`the core lacks ${name}, which none of its parts needs`);
  };
}

/** Converts the error of a failed call on payments: `retry` if nothing can have been done. */
function asBankError(error: unknown): BankError {
  const outcome =
    error instanceof NotCalled
      ? "retry"
      : error instanceof DeadlinePassed || error instanceof WrongAnswer
        ? "unknown"
        : (bankErrorOutcome(error) ?? "unknown");
  return new BankError(outcome, textOf(error), {
    cause: error,
  });
}

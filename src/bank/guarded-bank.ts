import { Compile, type Validator } from "typebox/compile";
import Value from "typebox/value";
import { Unavailable } from "#src/lib/unavailable.ts";
import { Circuit, type CircuitLimits, DeadlinePassed, NotCalled, within } from "./circuit.ts";
import {
  type Bank,
  type BankCharge,
  BankError,
  bankErrorOutcome,
  type ChargedPayment,
  type PaymentOutcome,
} from "./port.ts";
import {
  type CallGroup,
  type CallName,
  callGroups,
  chargesSchema,
  outcomeSchema,
  portCalls,
} from "./port-calls.ts";

/** The settings of a core's guard. */
export type GuardOptions = CircuitLimits & {
  /** The longest that a call of each group may take, in milliseconds. */
  deadlinesMs: Record<CallGroup, number>;
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
export function guardBank(core: Bank, options: GuardOptions): GuardedBank {
  const { deadlinesMs, log } = options;
  const circuits = new Map(
    callGroups.map((group) => [group, new Circuit(options, (isOpen) => report(group, isOpen))]),
  );
  const circuitOf = (group: CallGroup): Circuit => circuits.get(group) as Circuit; // one per group

  function report(group: CallGroup, isOpen: boolean): void {
    if (isOpen) log.error({ group }, "the core has failed repeatedly; its calls are paused");
    else log.warn({ group }, "the core answers again");
  }

  async function make({ name, given, work }: Made): Promise<unknown> {
    const { group } = portCalls[name];
    const started = performance.now();
    try {
      return await circuitOf(group).run(deadlinesMs[group], async () => {
        const answer = await work.apply(core, given);
        return group === "execute" ? checkOutcomes(name, given, answer) : checkAnswer(name, answer);
      });
    } catch (error) {
      const milliseconds = Math.round(performance.now() - started);
      // the engine logs its own calls, with their payments
      if (group !== "execute" && !(error instanceof NotCalled)) {
        log.error({ err: error, call: name, milliseconds }, "a call to the bank's core failed");
      }
      throw group === "execute" ? asBankError(error) : asUnavailable(name, error);
    }
  }

  function checkOutcomes(name: CallName, given: unknown[], answer: unknown): unknown {
    checkAnswer(name, answer);
    if (name === "release") return undefined;
    const asked = given[0] as unknown[];
    const outcomes = answer as unknown[];
    if (outcomes.length !== asked.length) {
      throw new WrongAnswer(`${name} returned ${outcomes.length}, not ${asked.length} outcomes`);
    }
    return outcomes.map((outcome, index): PaymentOutcome => {
      if (isOutcome(outcome)) return outcome;
      const paymentId = idOf(asked[index]);
      log.error({ call: name, paymentId }, "the core returned an invalid outcome");
      return { state: "failed", inDoubt: true };
    });
  }

  const asUnavailable = (name: string, cause: unknown): Unavailable =>
    new Unavailable("core", `the bank's core did not answer ${name}`, {
      cause,
      retryAfterSeconds: options.retryMs / 1000,
    });

  function chargesOf(payment: ChargedPayment): BankCharge[] {
    try {
      const charges = core.chargesOf(payment);
      const currencies = new Set(charges.map(({ amount }) => amount.currency));
      if (Value.Check(chargesSchema, charges) && currencies.size <= 1) return charges;
      throw new WrongAnswer("chargesOf returned charges that the port does not define");
    } catch (error) {
      log.error({ err: error, call: "chargesOf" }, "a call to the bank's core failed");
      throw asUnavailable("chargesOf", error);
    }
  }

  const calls = Object.keys(portCalls).map((key) => {
    const name = key as CallName; // the table contains only names of the port
    const work = core[name] as AnyCall;
    return [name, (...given: unknown[]) => make({ name, given, work })];
  });
  return {
    bank: {
      ...(Object.fromEntries(calls) as Bank),
      chargesOf,
      exchangeCurrencies: core.exchangeCurrencies,
    },
    listFailing: () => callGroups.filter((group) => circuitOf(group).isOpen),
    admits: (group) => circuitOf(group).admits,
    close: (withinMs) =>
      within(async () => core.close?.(), withinMs).catch((error) => {
        log.error({ err: error, call: "close" }, "the bank's core did not close");
      }),
  };
}

/** The core returned a response that the port does not allow. */
class WrongAnswer extends Error {}

const validators = new Map<CallName, Validator>();

function checkAnswer(name: CallName, answer: unknown): unknown {
  let validator = validators.get(name);
  if (!validator) {
    validator = Compile(portCalls[name].answer);
    validators.set(name, validator);
  }
  if (validator.Check(answer)) return answer;
  // the deepest fault is the most specific; values belong to customers and are not logged
  const faults = validator.Errors(answer);
  const { instancePath = "", message = "" } =
    faults.toSorted((one, other) => other.instancePath.length - one.instancePath.length)[0] ?? {};
  throw new WrongAnswer(
    `${name} returned an invalid answer: ${instancePath || "the answer"} ${message}`,
  );
}

let outcomeValidator: Validator | undefined;

function isOutcome(value: unknown): value is PaymentOutcome {
  outcomeValidator ??= Compile(outcomeSchema);
  return outcomeValidator.Check(value);
}

const idOf = (item: unknown): unknown =>
  typeof item === "string" ? item : (item as { paymentId?: unknown }).paymentId;

/** Converts the error of a failed call on payments: `retry` if nothing can have been done. */
function asBankError(error: unknown): BankError {
  const outcome =
    error instanceof NotCalled
      ? "retry"
      : error instanceof DeadlinePassed || error instanceof WrongAnswer
        ? "unknown"
        : (bankErrorOutcome(error) ?? "unknown");
  return new BankError(outcome, (error as Error | null)?.message ?? String(error), {
    cause: error,
  });
}

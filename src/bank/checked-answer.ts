import { Compile, type Validator } from "typebox/compile";
import { countOf, textOf } from "#src/lib/plain-text.ts";
import type { PaymentOutcome } from "./port.ts";
import type { CallName } from "./port-answers.ts";
import { outcomeSchema, portCalls } from "./port-calls.ts";

/** The core returned a response that the port does not allow. */
export class WrongAnswer extends Error {}

/** An item of an answer that is left out: the call, the item's id or place, and the rule. */
type LeftOut = { call: CallName; item: string; reason: string };

type Validators = { whole: Validator; item: Validator | null };
const validators = new Map<CallName, Validators>();

function validatorsOf(name: CallName): Validators {
  let found = validators.get(name);
  if (!found) {
    const { answer, items } = portCalls[name];
    found = { whole: Compile(answer), item: items ? Compile(items.schema) : null };
    validators.set(name, found);
  }
  return found;
}

/** What is said about a part of an answer that cannot be used. */
export type AnswerReport = {
  onLeftOut(left: LeftOut): void;
  onInvalidOutcome(call: CallName, paymentId: unknown): void;
};

/** Checks what a core has answered, and returns what the port returns. Throws WrongAnswer. */
export type AnswerReader = (
  name: CallName,
  given: readonly unknown[],
  answer: unknown,
  report: AnswerReport,
) => unknown;

/** Reads the answers of a module, which returns the values of the port. */
export const readAnswer: AnswerReader = (name, given, answer, report) => {
  checkWhole(name, answer);
  if (portCalls[name].group !== "execute") return keepValidItems(name, answer, report.onLeftOut);
  if (name === "release") return undefined;
  // safe: the schema of the whole answer is an array
  return judgeOutcomes(name, given[0] as unknown[], answer as unknown[], (paymentId) =>
    report.onInvalidOutcome(name, paymentId),
  );
};

/** Checks an answer without its items. Throws WrongAnswer. */
function checkWhole(name: CallName, answer: unknown): void {
  const { whole } = validatorsOf(name);
  if (whole.Check(answer)) return;
  throw new WrongAnswer(`${name} returned an invalid answer: ${whyInvalid(whole, answer)}`);
}

/** Returns the answer without the items that do not match their schema, and reports each. */
function keepValidItems(
  name: CallName,
  answer: unknown,
  onLeftOut: (left: LeftOut) => void,
): unknown {
  const { item: validator } = validatorsOf(name);
  const { items } = portCalls[name];
  if (!validator || !items) return answer;
  const keep = (value: unknown, id: unknown): boolean => {
    if (validator.Check(value)) return true;
    onLeftOut({ call: name, item: textOf(id), reason: whyInvalid(validator, value) });
    return false;
  };
  if (answer instanceof Map) {
    return new Map([...answer].filter(([key, value]) => keep(value, key)));
  }
  // safe: the schema of the whole answer is an array
  return (answer as unknown[]).filter((value, index) =>
    keep(value, idOf(value, items.id) ?? index),
  );
}

const outcomeValidator = Compile(outcomeSchema);

/** Returns an outcome for each payment: one that is invalid leaves its payment in doubt. */
function judgeOutcomes(
  name: CallName,
  asked: readonly unknown[],
  outcomes: readonly unknown[],
  onInvalid: (paymentId: unknown) => void,
): PaymentOutcome[] {
  if (outcomes.length !== asked.length) {
    throw new WrongAnswer(
      `${name} returned ${countOf(outcomes.length, "outcome", "outcomes")}, not ${asked.length}`,
    );
  }
  return outcomes.map((outcome, index): PaymentOutcome => {
    // safe: the validator has checked it
    if (outcomeValidator.Check(outcome)) return outcome as PaymentOutcome;
    const item = asked[index];
    onInvalid(typeof item === "string" ? item : (item as { paymentId?: unknown }).paymentId);
    return { state: "failed", inDoubt: true };
  });
}

// How many left out items a log remembers.
const mostSaid = 1000;

/**
 * Logs each left out item once: its id and the rule, never a value, because values belong to
 * customers.
 */
export function leftOutLog(log: {
  error(details: object, text: string): void;
}): (left: LeftOut) => void {
  const said = new Set<string>();
  return (left) => {
    const key = JSON.stringify(left);
    if (said.has(key)) return;
    if (said.size >= mostSaid) said.clear();
    said.add(key);
    log.error(left, "the core returned an item that the port does not define; it is left out");
  };
}

function idOf(value: unknown, member: string | null): string | undefined {
  if (member === null || typeof value !== "object" || value === null) return undefined;
  const id = (value as Record<string, unknown>)[member];
  return typeof id === "string" ? id : undefined;
}

/** The path and the rule of the most specific fault, in words. */
export function whyInvalid(validator: Validator, value: unknown): string {
  const { path, rule } = deepestFault(validator, value);
  return `${path || "the answer"} ${rule}`;
}

/**
 * The path and the rule of the most specific fault of a value, which is the deepest. The value
 * itself belongs to a customer and is not repeated.
 */
export function deepestFault(validator: Validator, value: unknown): { path: string; rule: string } {
  const faults = validator
    .Errors(value)
    .toSorted((one, other) => other.instancePath.length - one.instancePath.length);
  // of the ways in which a member may be right, being null is not the one that was meant
  const found = faults.find(({ message }) => !/^must be null$|anyOf/.test(message)) ?? faults[0];
  return { path: found?.instancePath ?? "", rule: found?.message ?? "is invalid" };
}

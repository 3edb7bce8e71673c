// Judges facts one by one, by the rules of fact-rules.ts: those of a module of the bank, with the
// types of facts.ts, and those in JSON, which is read into the same types.
import Type, { type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { DecodeUnsafe } from "typebox/value";
import { deepestFault } from "#src/bank/checked-answer.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { type FactKind, factKinds, factRule, keyMembers, type ValueRules } from "./fact-rules.ts";
import { rule } from "./fact-values.ts";

/** A fact that breaks a rule: its kind and key, the member's path, and the rule in words. */
export type RefusedFact = { kind: string; key: string; path: string; rule: string };

const isBigint = (value: unknown): value is bigint => typeof value === "bigint";

const inModule: ValueRules = {
  instant: rule((value) => value instanceof Temporal.Instant, "a Temporal.Instant"),
  date: rule((value) => value instanceof Temporal.PlainDate, "a Temporal.PlainDate"),
  minor: rule(isBigint, "a bigint in minor units"),
  unsigned: rule(
    (value) => isBigint(value) && value >= 0n,
    "a bigint in minor units without a sign",
  ),
  version: rule(isBigint, "a bigint"),
};

/** A value that JSON has as a text, or as a whole number that JSON keeps exactly. */
const read = <Value>(
  pattern: RegExp,
  from: (text: string) => Value,
  words: string,
  shown: object,
): TSchema =>
  Type.Codec(
    rule(
      (value) => {
        if (typeof value === "number" ? !Number.isSafeInteger(value) : typeof value !== "string") {
          return false;
        }
        return pattern.test(textOf(value)) && isReadable(from, textOf(value));
      },
      words,
      shown,
    ),
  )
    .Decode((value) => from(textOf(value)))
    .Encode(textOf);

function isReadable(from: (text: string) => unknown, text: string): boolean {
  try {
    from(text);
    return true;
  } catch {
    return false;
  }
}

const instantPattern = /^\d{4}-\d{2}-\d{2}T/;
const instantOf = (text: string): Temporal.Instant => Temporal.Instant.from(text);

/** The instant of a text such as `2026-11-24T09:00:00Z`; null for everything else. */
export const isoInstant = (value: unknown): Temporal.Instant | null =>
  typeof value === "string" && instantPattern.test(value) && isReadable(instantOf, value)
    ? instantOf(value)
    : null;

const wholeNumber = { type: ["string", "integer"], pattern: "^-?[0-9]{1,18}$" };

/** The values of facts in JSON. */
export const jsonValues: ValueRules = {
  instant: read(
    instantPattern,
    instantOf,
    "a date-time with an offset, such as 2026-11-24T09:00:00Z",
    { type: "string", format: "date-time" },
  ),
  date: read(
    /^\d{4}-\d{2}-\d{2}$/,
    (text) => Temporal.PlainDate.from(text),
    "a date such as 2026-11-24",
    { type: "string", format: "date" },
  ),
  minor: read(/^-?\d{1,18}$/, BigInt, "whole minor units, as a number or as text", wholeNumber),
  unsigned: read(/^\d{1,18}$/, BigInt, "whole minor units without a sign, as a number or as text", {
    ...wholeNumber,
    pattern: "^[0-9]{1,18}$",
  }),
  version: read(/^-?\d{1,18}$/, BigInt, "a whole number, as a number or as text", wholeNumber),
};

/** Whether the text names a kind of facts. */
export const isFactKind = (text: string): text is FactKind =>
  (factKinds as readonly string[]).includes(text);

/** Checks one fact. Returns null if it keeps the rules. */
export type FactCheck = (kind: FactKind, fact: object) => RefusedFact | null;

/** Makes the check of facts, which compiles the rules of a kind when it is first used. */
export function createFactCheck(): FactCheck {
  const validatorOf = compiler(inModule);
  return (kind, fact) => {
    const validator = validatorOf(kind);
    return validator.Check(fact) ? null : refusedBy(validator, kind, fact);
  };
}

/** A fact in the types of facts.ts, or why it was refused. */
type ReadFact = { fact: object } | { refused: RefusedFact };

/**
 * Makes the reader of facts in JSON: instants, dates and whole numbers are texts there, as in
 * `"bookedAt": "2026-11-24T09:00:00Z"` and `"amountMinor": "1250"`.
 */
export function createFactReader(): (kind: FactKind, json: object) => ReadFact {
  const validatorOf = compiler(jsonValues);
  return (kind, json) => {
    const validator = validatorOf(kind);
    if (!validator.Check(json)) return { refused: refusedBy(validator, kind, json) };
    // each rule is of an object
    return { fact: withNulls(validator, DecodeUnsafe({}, validator.Type(), json) as object) };
  };
}

/** A member that JSON leaves out is null, as a module would say it. */
function withNulls(validator: Validator, fact: object): object {
  // safe: each rule is of an object
  const { properties = {} } = validator.Type() as { properties?: Record<string, unknown> };
  const nulls = Object.keys(properties).map((name) => [name, null] as const);
  return { ...Object.fromEntries(nulls), ...fact };
}

function compiler(values: ValueRules): (kind: FactKind) => Validator {
  const validators = new Map<FactKind, Validator>();
  return (kind) => {
    const validator = validators.get(kind) ?? Compile(factRule(kind, values));
    validators.set(kind, validator);
    return validator;
  };
}

const refusedBy = (validator: Validator, kind: FactKind, fact: object): RefusedFact => ({
  kind,
  key: keyOfFact(kind, fact),
  ...deepestFault(validator, fact),
});

/** The key of a fact, by which a refusal names it. */
export function keyOfFact(kind: FactKind, fact: object): string {
  const members = fact as Record<string, unknown>;
  return keyMembers(kind)
    .map((member) => textOf(members[member]))
    .join(" ");
}

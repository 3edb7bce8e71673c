// Judges facts one by one, by the rules of fact-rules.ts: those of a module of the bank, with the
// types of facts.ts, and those in JSON, which is read into the same types.
import Type, { type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { deepestFault } from "#src/bank/checked-answer.ts";
import { present } from "#src/lib/assert.ts";
import { isStorable, textOf } from "#src/lib/plain-text.ts";
import { compileReading } from "./compile-reading.ts";
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

/** How JSON has a value: as a text, or as a whole number that JSON keeps exactly. */
type Reading = {
  pattern: RegExp;
  /** Reads the text. Throws for a text that only looks right, such as 31 February. */
  from(text: string): unknown;
  words: string;
  shown: object;
};

const isWritten = ({ pattern }: Reading, value: unknown): boolean =>
  (typeof value === "number" ? Number.isSafeInteger(value) : typeof value === "string") &&
  pattern.test(textOf(value));

const isReadable = (reading: Reading, value: unknown): boolean =>
  isWritten(reading, value) && canBeRead(reading.from, textOf(value));

/** The rule of a value that is read if it is right. */
const valueThat =
  (isRight: (reading: Reading, value: unknown) => boolean) =>
  (reading: Reading): TSchema =>
    Type.Codec(rule((value) => isRight(reading, value), reading.words, reading.shown))
      .Decode((value) => reading.from(textOf(value)))
      .Encode(textOf);

function canBeRead(from: (text: string) => unknown, text: string): boolean {
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
  typeof value === "string" && instantPattern.test(value) && canBeRead(instantOf, value)
    ? instantOf(value)
    : null;

const wholePattern = /^-?[0-9]{1,18}$/;
const unsignedPattern = /^[0-9]{1,18}$/;

/** The whole number that JSON has as a text or exactly; null for everything else. */
export const wholeNumberOf = (value: unknown): bigint | null =>
  typeof value === "string" || Number.isSafeInteger(value) ? wholeNumberIn(textOf(value)) : null;

const wholeNumberIn = (text: string): bigint | null =>
  wholePattern.test(text) ? BigInt(text) : null;

const whole = (pattern: RegExp, words: string): Reading => ({
  pattern,
  from: BigInt,
  words,
  shown: { anyOf: [{ type: "string", pattern: pattern.source }, { type: "integer" }] },
});

const inJson = (by: (reading: Reading) => TSchema): ValueRules => ({
  instant: by({
    pattern: instantPattern,
    from: instantOf,
    words: "a date-time with an offset, such as 2026-11-24T09:00:00Z",
    shown: { type: "string", format: "date-time" },
  }),
  date: by({
    pattern: /^\d{4}-\d{2}-\d{2}$/,
    from: (text) => Temporal.PlainDate.from(text),
    words: "a date such as 2026-11-24",
    shown: { type: "string", format: "date" },
  }),
  minor: by(whole(wholePattern, "whole minor units, and above 9007199254740991 as text")),
  unsigned: by(
    whole(unsignedPattern, "whole minor units without a sign, and above 9007199254740991 as text"),
  ),
  version: by(whole(wholePattern, "a whole number, and above 9007199254740991 as text")),
});

/** The values of facts in JSON. */
export const jsonValues: ValueRules = inJson(valueThat(isReadable));

// reading such a value may throw
const writtenValues = inJson(valueThat(isWritten));

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
  const validatorOf = compiler(writtenValues);
  // all at once, so that a rule that cannot be read is found at the start
  const readings = new Map(
    factKinds.map((kind) => [kind, readingWithNulls(factRule(kind, writtenValues))]),
  );
  // only the values of a fact that is refused are read twice
  const strictOf = compiler(jsonValues);
  return (kind, json) => {
    if (validatorOf(kind).Check(json)) {
      try {
        return { fact: present(readings.get(kind), "the reading of a kind")(json) };
      } catch (error) {
        if (strictOf(kind).Check(json)) throw error;
      }
    }
    return { refused: refusedBy(strictOf(kind), kind, json) };
  };
}

/** Makes the reading of a fact. A member that JSON leaves out is null, as a module would say it. */
function readingWithNulls(schema: TSchema): (json: object) => object {
  const { properties = {} } = schema as { properties?: Record<string, unknown> };
  const nulls = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  const read = compileReading(schema);
  // safe: each rule is of an object
  return (json) => ({ ...nulls, ...((read ? read(json) : json) as object) });
}

const compiler = (values: ValueRules): ((kind: FactKind) => Validator) =>
  byKind((kind) => Compile(factRule(kind, values)));

/** Makes something for a kind of facts when it is first needed. */
function byKind<Made>(make: (kind: FactKind) => Made): (kind: FactKind) => Made {
  const made = new Map<FactKind, Made>();
  return (kind) => {
    const found = made.get(kind) ?? make(kind);
    made.set(kind, found);
    return found;
  };
}

function refusedBy(validator: Validator, kind: FactKind, fact: object): RefusedFact {
  const { path, rule } = deepestFault(validator, fact);
  return { kind, key: keyOfFact(kind, fact), path: storableText(path), rule: storableText(rule) };
}

/** The key that identifies a fact in a refusal; blank if the fact has no key. */
export function keyOfFact(kind: FactKind, fact: object): string {
  const members = fact as Record<string, unknown>;
  return storableText(
    keyMembers(kind)
      .map((member) => textOf(members[member] ?? undefined))
      .join(" "),
  );
}

const longestStored = 500;

/** The beginning of a text, without what no text of the database may contain. */
export const storableText = (text: string): string =>
  text.replaceAll("\0", "").slice(0, longestStored).toWellFormed();

type Fault = Pick<RefusedFact, "path" | "rule">;
const mostInteger = 2 ** 31 - 1;

/** What of a refused fact no column can hold; null if each value can be held. */
export function unstorableIn(value: unknown, path = ""): Fault | null {
  if (typeof value === "string" && !isStorable(value)) {
    return { path: storableText(path), rule: "must have no NUL and no lone surrogate" };
  }
  if (typeof value === "number" && Math.abs(value) > mostInteger) {
    return { path: storableText(path), rule: `must be at most ${mostInteger}` };
  }
  if (typeof value !== "object" || value === null || path.length > longestStored) return null;
  for (const [name, inner] of Object.entries(value)) {
    const place = `${path}/${name}`;
    const found = unstorableIn(name, place) ?? unstorableIn(inner, place);
    if (found) return found;
  }
  return null;
}

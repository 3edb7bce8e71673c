// Reads values of JSON into the types of a rule that they keep. TypeBox's own decoder sorts the
// unions of a rule again for each value, which takes three times as long as everything else that is
// done with a fact, so the rule is compiled once.
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

/** Converts a value that keeps the rule. Throws whatever a member's own conversion throws. */
type Reading = (value: unknown) => unknown;

/** The members of schemas that matter here; `~codec` is TypeBox's mark of a conversion. */
type Parts = {
  "~codec"?: { decode: Reading };
  properties?: Readonly<Record<string, TSchema>>;
  patternProperties?: Readonly<Record<string, TSchema>>;
  items?: TSchema;
  anyOf?: readonly TSchema[];
  type?: unknown;
};

type Members = Readonly<Record<string, unknown>>;

// The keywords that say nothing about the members of a value, besides the parts.
const plainKeywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "anyOf",
  "const",
  "contentEncoding",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "items",
  "maxItems",
  "maxLength",
  "maximum",
  "minItems",
  "minLength",
  "minimum",
  "pattern",
  "patternProperties",
  "properties",
  "required",
  "title",
  "type",
  "uniqueItems",
  "x-shown",
]);

/**
 * Compiles the conversions of a rule. Returns null if the rule has none: values stay as they are.
 * Throws for a rule with a keyword that is not known here, because a conversion below it would be
 * left out.
 */
export function compileReading(schema: TSchema): Reading | null {
  const { "~codec": codec, properties, patternProperties, items, anyOf } = schema as Parts;
  refuseUnknown(schema);
  const inner = [
    properties ? readingOfObject(properties) : null,
    items ? readingOfArray(items) : null,
    anyOf ? readingOfUnion(anyOf) : null,
  ].filter((one) => one !== null);
  const named = Object.values(patternProperties ?? {}).map(compileReading);
  if (named.some((one) => one !== null)) refuse("conversions under patternProperties");
  if (inner.length > 1 || (codec && inner.length > 0)) refuse("two conversions of one value");
  return codec ? codec.decode : (inner[0] ?? null);
}

function refuseUnknown(schema: TSchema): void {
  const unknown = Object.keys(schema).find((keyword) => !plainKeywords.has(keyword));
  if (unknown !== undefined) refuse(`the keyword ${unknown}`);
  const { items, additionalProperties } = schema as { [keyword: string]: unknown };
  if (Array.isArray(items)) refuse("a tuple");
  if (typeof additionalProperties === "object") refuse("a schema of additional properties");
}

function refuse(form: string): never {
  throw new Error(`a rule whose values are read may not have ${form}`);
}

function readingOfArray(items: TSchema): Reading | null {
  const item = compileReading(items);
  return item && ((value) => (value as unknown[]).map(item)); // safe: the value keeps the rule
}

function readingOfObject(properties: Readonly<Record<string, TSchema>>): Reading | null {
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    const reading = compileReading(schema);
    return reading ? [{ name, reading }] : [];
  });
  if (members.length === 0) return null;
  return (value) => {
    const read: Record<string, unknown> = { ...(value as Members) }; // safe: it keeps the rule
    for (const { name, reading } of members) {
      if (read[name] !== undefined) read[name] = reading(read[name]);
    }
    return read;
  };
}

/** Reads by the branch that the value keeps, the first if there are several. */
function readingOfUnion(branches: readonly TSchema[]): Reading | null {
  const readings = branches.map(compileReading);
  const [reading, ...more] = readings.filter((one) => one !== null);
  if (!reading) return null;
  const others = branches.filter((branch, index) => !readings[index] && !isNull(branch));
  // most unions are of one thing with null
  if (more.length === 0 && others.length === 0) {
    return (value) => (value === null ? null : reading(value));
  }
  let checks: readonly Validator[] | undefined;
  return (value) => {
    checks ??= branches.map((branch) => Compile(branch));
    const found = readings[checks.findIndex((check) => check.Check(value))];
    return found ? found(value) : value;
  };
}

const isNull = (schema: TSchema): boolean => (schema as Parts).type === "null";

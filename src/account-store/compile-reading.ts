// Reads values of JSON into the types of a rule that they keep. TypeBox's own decoder sorts the
// unions of a rule again for each value, which takes three times as long as everything else that is
// done with a fact, so the rule is compiled once.
import type { TSchema } from "typebox";

/** Converts a value that keeps the rule. Throws whatever a member's own conversion throws. */
type Reading = (value: unknown) => unknown;

/** The members of schemas that matter here; `~codec` is TypeBox's mark of a conversion. */
type Parts = {
  "~codec"?: { decode: Reading };
  properties?: Readonly<Record<string, TSchema>>;
  items?: TSchema;
  anyOf?: readonly TSchema[];
  type?: unknown;
};

type Members = Readonly<Record<string, unknown>>;

/**
 * Compiles the conversions of a rule. Returns null if the rule has none: values stay as they are.
 * The rule may only have objects, arrays, conversions, and unions of null with something else.
 */
export function compileReading(schema: TSchema): Reading | null {
  const { "~codec": codec, properties, items, anyOf } = schema as Parts;
  if (codec) return codec.decode;
  if (properties) return readingOfObject(properties);
  if (items) {
    const item = compileReading(items);
    return item && ((value) => (value as unknown[]).map(item)); // safe: the value keeps the rule
  }
  return anyOf ? readingOfUnion(anyOf) : null;
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

function readingOfUnion(branches: readonly TSchema[]): Reading | null {
  const readings = branches.map(compileReading);
  const [reading, ...more] = readings.filter((one) => one !== null);
  if (!reading) return null;
  const others = branches.filter((branch, index) => !readings[index] && !isNull(branch));
  if (more.length > 0 || others.length > 0) {
    throw new Error("a rule with conversions may only be joined with null");
  }
  return (value) => (value === null ? null : reading(value));
}

const isNull = (schema: TSchema): boolean => (schema as Parts).type === "null";

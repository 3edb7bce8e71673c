import { assert } from "#src/lib/assert.ts";
import type { Sql } from "./sql.ts";

/** Stands for a value that is not known yet. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Builds a statement once and gives a function that only puts the values in: splicing statements
 * together on each request would cost more than sending one. What `build` is given are stand-ins:
 * they may be parameters of a statement, nothing else. One that is used twice is sent once. Other
 * parameters are the same each time.
 */
export function prepare<Values extends Record<string, unknown>>(
  build: (slots: Values) => Sql,
): (values: Values) => Sql {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });
  // a stand-in has no type of its own: it passes for the value whose place it holds
  const template = build(slots as Values);
  const parameters: unknown[] = [];
  const numbered = template.text.replace(/\$(\d+)/g, (_, number) => {
    const parameter = template.values[Number(number) - 1];
    const known = parameters.findIndex((other) => isSame(other, parameter));
    return `$${known < 0 ? parameters.push(parameter) : known + 1}`;
  });
  // the server copies the text at each execution: line breaks and indentation are for readers
  const text = numbered.replace(/\s*\n\s*/g, " ").trim();
  return (values) => ({
    text,
    values: parameters.map((each) => (each instanceof Slot ? values[each.name] : each)),
  });
}

const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Slot && other instanceof Slot && one.name === other.name;

/**
 * A whole number of ours as part of the statement's text: the planner then knows how many rows are
 * wanted, and one plan serves all.
 */
export function integer(value: number): Sql {
  assert(Number.isSafeInteger(value), "a whole number is spliced in");
  return { text: String(value), values: [] };
}

/** Words of ours (permission codes) as an array in the statement's text. */
export function words(values: readonly string[]): Sql {
  assert(
    values.every((value) => /^\w+$/.test(value)),
    "words are spliced in",
  );
  return { text: `array[${values.map((value) => `'${value}'`).join(", ")}]`, values: [] };
}

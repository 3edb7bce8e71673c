import { assert } from "#src/lib/assert.ts";
import type { Sql } from "#src/storage/sql.ts";

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
 * they may be parameters of a statement, nothing else. One that is used twice is sent once.
 */
export function prepare<Values extends Record<string, unknown>>(
  build: (slots: Values) => Sql,
): (values: Values) => Sql {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });
  // a stand-in has no type of its own: it passes for the value whose place it holds
  const template = build(slots as Values);
  const names: string[] = [];
  const numbered = template.text.replace(/\$(\d+)/g, (_, number) => {
    const slot = template.values[Number(number) - 1];
    assert(slot instanceof Slot, "a prepared statement takes stand-ins only");
    if (!names.includes(slot.name)) names.push(slot.name);
    return `$${names.indexOf(slot.name) + 1}`;
  });
  // the server copies the text at each execution: line breaks and indentation are for readers
  const text = numbered.replace(/\s*\n\s*/g, " ").trim();
  return (values) => ({ text, values: names.map((name) => values[name]) });
}

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

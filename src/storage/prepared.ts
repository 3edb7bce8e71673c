import { assert } from "#src/lib/assert.ts";
import type { Sql } from "./sql.ts";

/** A placeholder for a value that is not known yet. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Builds a statement once and returns a function that only inserts values: building a statement for
 * each request would cost more than sending it. `build` receives placeholders, which can only be
 * parameters of the statement. A placeholder that is used twice is sent once. Other parameters are
 * constant.
 */
export function prepare<Values extends Record<string, unknown>>(
  build: (slots: Values) => Sql,
): (values: Values) => Sql {
  const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });
  // a placeholder has no type, so it takes the type of the value that it represents
  const template = build(slots as Values);
  const parameters: unknown[] = [];
  const numbered = template.text.replace(/\$(\d+)/g, (_, number) => {
    const parameter = template.values[Number(number) - 1];
    const known = parameters.findIndex((other) => isSame(other, parameter));
    return `$${known < 0 ? parameters.push(parameter) : known + 1}`;
  });
  // the server copies the text at each execution, so line breaks and indentation are removed
  const lines = numbered.split("\n").map((line) => line.trim());
  const text = lines.filter((line) => line !== "").join(" ");
  return (values) => ({
    text,
    values: parameters.map((each) => (each instanceof Slot ? values[each.name] : each)),
  });
}

const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Slot && other instanceof Slot && one.name === other.name;

/**
 * Puts an integer constant into the statement's text: the planner then knows the number of rows,
 * and one plan serves all executions.
 */
export function integer(value: number): Sql {
  assert(Number.isSafeInteger(value), "a whole number is spliced in");
  return { text: String(value), values: [] };
}

/**
 * Puts a constant text into the statement's text, so that the planner evaluates each expression of
 * constants once.
 */
export function literal(value: string): Sql {
  assert(/^[^'$\\\n]*$/.test(value), "the spliced text has no ' $ \\ or line end");
  return { text: `'${value}'`, values: [] };
}

/** Puts constant words (permission codes) into the statement's text as an array. */
export function words(values: readonly string[]): Sql {
  assert(
    values.every((value) => /^\w+$/.test(value)),
    "words are spliced in",
  );
  return { text: `array[${values.map((value) => `'${value}'`).join(", ")}]`, values: [] };
}

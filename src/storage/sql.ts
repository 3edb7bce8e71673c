import { assert } from "#src/lib/assert.ts";

/** A statement and its values. The `sql` tag makes it and the drivers run it. */
export type Sql = { readonly text: string; readonly values: readonly unknown[] };

/** What a template has been built with so far: one part after another, up to its whole text. */
type Built = { text: string | null; count: number; next: Map<string | null, Built> };

const cached = new WeakMap<TemplateStringsArray, Built>();
// a statement for a varying number of rows has as many texts
const textsOfPart = 16;

/**
 * Builds a statement. Every `${value}` becomes a numbered parameter, and every `${sql`…`}` is
 * inserted with its values renumbered. Other text enters a statement only in an `Sql` object that
 * a function makes, such as `integer` and `words` of `prepared.ts`. The function must check it.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  // Most templates are built with the same parts in every request. Their texts are the same
  // strings, so a map finds them without reading them.
  let built = cached.get(strings);
  if (!built) {
    built = newBuilt();
    cached.set(strings, built);
  }
  const flat: unknown[] = [];
  for (const value of values) {
    const isPart = isSql(value);
    if (isPart) flat.push(...value.values);
    else flat.push(value);
    built = built && after(built, isPart ? value.text : null);
  }
  if (!built) return { text: join(strings, values), values: flat };
  if (built.text === null) {
    built.text = join(strings, values);
    built.count = flat.length;
  }
  assert(built.count === flat.length, "a text always has the same number of values");
  return { text: built.text, values: flat };
}

const newBuilt = (): Built => ({ text: null, count: 0, next: new Map() });

/** Goes on with the text of a statement, or with null for a parameter; undefined for new texts. */
function after({ next }: Built, part: string | null): Built | undefined {
  let built = next.get(part);
  if (built || next.size >= textsOfPart) return built;
  built = newBuilt();
  next.set(part, built);
  return built;
}

function join(strings: TemplateStringsArray, values: readonly unknown[]): string {
  let text = strings[0] ?? "";
  let count = 0;
  values.forEach((value, index) => {
    if (isSql(value)) {
      text += value.text.replace(/\$(\d+)/g, (_, digits) => `$${count + Number(digits)}`);
      count += value.values.length;
    } else {
      count += 1;
      text += `$${count}`;
    }
    text += strings[index + 1] ?? "";
  });
  return text;
}

function isSql(value: unknown): value is Sql {
  return typeof value === "object" && value !== null && "text" in value && "values" in value;
}

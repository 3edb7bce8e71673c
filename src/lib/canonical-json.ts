/** Returns what a text, number, boolean or null counts as; `name` is the member that holds it. */
export type Rewrite = (name: string, value: unknown) => unknown;

const asItIs: Rewrite = (_, value) => value;

/**
 * Returns the JSON text of a parsed value with object members in code unit order and no white
 * space. Values that differ only in member order or spacing have the same text. Arrays keep their
 * order; strings and numbers change only through `rewrite`.
 */
export const canonicalJson = (value: unknown, rewrite = asItIs): string =>
  write("", value, rewrite);

function write(name: string, value: unknown, rewrite: Rewrite): string {
  if (Array.isArray(value)) {
    let text = "";
    for (const item of value) text += `${text === "" ? "" : ","}${write(name, item, rewrite)}`;
    return `[${text}]`;
  }
  if (value !== null && typeof value === "object") {
    let text = "";
    for (const member of Object.keys(value).sort()) {
      const written = write(member, (value as Record<string, unknown>)[member], rewrite);
      text += `${text === "" ? "" : ","}${JSON.stringify(member)}:${written}`;
    }
    return `{${text}}`;
  }
  return JSON.stringify(rewrite(name, value));
}

/** A statement and its values. The `sql` tag makes it and the drivers run it. */
export type Sql = { readonly text: string; readonly values: readonly unknown[] };

const cached = new WeakMap<TemplateStringsArray, string>();

/**
 * Builds a statement. Every `${value}` becomes a numbered parameter, and every `${sql`…`}` is
 * inserted with its values renumbered. There is no other way to put text into a statement.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  if (!values.some(isSql)) {
    let text = cached.get(strings);
    if (text === undefined) {
      text = strings.reduce((left, right, index) => `${left}$${index}${right}`);
      cached.set(strings, text);
    }
    return { text, values };
  }
  let text = strings[0] ?? "";
  const flat: unknown[] = [];
  values.forEach((value, index) => {
    if (isSql(value)) {
      text += value.text.replace(/\$(\d+)/g, (_, digits) => `$${flat.length + Number(digits)}`);
      flat.push(...value.values);
    } else {
      flat.push(value);
      text += `$${flat.length}`;
    }
    text += strings[index + 1] ?? "";
  });
  return { text, values: flat };
}

function isSql(value: unknown): value is Sql {
  return typeof value === "object" && value !== null && "text" in value && "values" in value;
}

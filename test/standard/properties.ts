/** A property of a document, with the path that leads to it from its schema. */
export type Property = { path: string[]; schema: { [keyword: string]: unknown } };

/** Every property of a document. */
export function* propertiesOf(node: unknown, path: string[] = []): Generator<Property> {
  if (typeof node !== "object" || node === null) return;
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === "properties") {
      for (const [name, schema] of Object.entries(value as Record<string, Property["schema"]>)) {
        yield { path: [...path, name], schema };
        yield* propertiesOf(schema, [...path, name]);
      }
    } else if (keyword === "schemas") {
      for (const [title, schema] of Object.entries(value as object)) {
        yield* propertiesOf(schema, [title]);
      }
    } else yield* propertiesOf(value, path);
  }
}

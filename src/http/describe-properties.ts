import { keyOf, type PropertyWords } from "#src/standard/descriptions/property-words.ts";

type Json = { readonly [keyword: string]: unknown };

/** What is said about the properties of a document. */
type DocumentWords = { descriptions: PropertyWords };

/** Gives each property of a document's schemas its sentence, unless it has one of its own. */
export function describeProperties(document: Json, words: DocumentWords): Json {
  const components = document.components as Json;
  // the values of these keywords are schemas by their names
  const schemas = Object.entries(components.schemas as Record<string, Json>);
  const described = schemas.map(([title, schema]) => [title, inside(schema, [title], words)]);
  return {
    ...document,
    components: { ...components, schemas: Object.fromEntries(described) },
  };
}

/** The schema with what its members and items are described with. */
function inside(schema: Json, path: readonly string[], words: DocumentWords): Json {
  const parts = Object.entries(schema).map(([keyword, value]) => {
    if (keyword === "items" || (keyword === "additionalProperties" && typeof value === "object"))
      return [keyword, inside(value as Json, path, words)];
    if (keyword === "properties") {
      const members = Object.entries(value as Record<string, Json>);
      return [
        keyword,
        Object.fromEntries(
          members.map(([name, member]) => [name, property(member, [...path, name], words)]),
        ),
      ];
    }
    if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") {
      return [keyword, (value as Json[]).map((branch) => inside(branch, path, words))];
    }
    return [keyword, value];
  });
  return Object.fromEntries(parts);
}

function property(schema: Json, path: readonly string[], words: DocumentWords): Json {
  const key = keyOf(words.descriptions, path);
  const description = schema.description ?? (key && words.descriptions[key]);
  const described = inside(schema, path, words);
  // OpenAPI 3.0 ignores what stands beside a reference
  const whole = schema.$ref === undefined ? described : { allOf: [described] };
  return description === undefined ? described : { description, ...whole };
}

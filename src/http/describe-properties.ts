import { textOf } from "#src/lib/plain-text.ts";
import {
  type PropertyWords,
  type ValueWords,
  wordOf,
} from "#src/standard/descriptions/property-words.ts";

type Json = { readonly [keyword: string]: unknown };

/** What is said about the properties of a document. */
type DocumentWords = {
  descriptions: PropertyWords;
  examples: PropertyWords<string | number>;
  values: PropertyWords<ValueWords>;
};

/**
 * Gives each property of a document's schemas its sentence, unless it has one of its own, its
 * example, unless it is one of few values, and what those values mean.
 */
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
      return [
        keyword,
        { ...inside(value as Json, path, words), ...exampleIn(value as Json, path, words) },
      ];
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
  return { ...Object.fromEntries(parts), ...valuesIn(schema, path, words) };
}

/** What the values of an enumeration mean: the name is that of Redoc's extension. */
function valuesIn(schema: Json, path: readonly string[], words: DocumentWords): Json {
  const known = wordOf(words.values, path);
  const values = schema.enum ?? schema["x-namespaced-enum"];
  if (known === undefined || !Array.isArray(values)) return {};
  const meant = values.map(textOf).filter((value) => Object.hasOwn(known, value));
  return { "x-enumDescriptions": Object.fromEntries(meant.map((value) => [value, known[value]])) };
}

function property(schema: Json, path: readonly string[], words: DocumentWords): Json {
  const description = schema.description ?? wordOf(words.descriptions, path);
  const described = inside(schema, path, words);
  // OpenAPI 3.0 ignores what stands beside a reference
  const whole = schema.$ref === undefined ? described : { allOf: [described] };
  return {
    ...(description === undefined ? {} : { description }),
    ...whole,
    ...exampleIn(schema, path, words),
  };
}

/** The example of a text or a number that may be chosen. */
function exampleIn(schema: Json, path: readonly string[], words: DocumentWords): Json {
  const example = isOpen(schema) ? wordOf(words.examples, path) : undefined;
  return example === undefined ? {} : { example };
}

/** Whether a schema is one for a text or a number that may be chosen. */
const isOpen = ({ type, enum: values }: Json): boolean =>
  values === undefined && (type === "string" || type === "number" || type === "integer");

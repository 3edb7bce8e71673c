import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { accountDescriptions } from "#src/standard/descriptions/accounts.ts";
import { commonDescriptions } from "#src/standard/descriptions/common.ts";
import { paymentDescriptions } from "#src/standard/descriptions/payments.ts";
import { productDescriptions } from "#src/standard/descriptions/products.ts";
import { keyOf } from "#src/standard/descriptions/property-words.ts";
import { standardWords } from "#src/standard/descriptions/standard-words.ts";
import { servedDocuments } from "./served-documents.ts";

type Property = { path: string[]; schema: { [keyword: string]: unknown } };

/** Every property of a document, with the path that leads to it from its schema. */
function* propertiesOf(node: unknown, path: string[] = []): Generator<Property> {
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

const served = [...servedDocuments()].filter(([name]) => name !== "sandbox-v1");
const properties = served.flatMap(([, document]) => [...propertiesOf(document)]);

test("every property of the standard's documents has a description", () => {
  const missing = properties.filter(({ schema }) => !schema.description);
  assert.deepEqual([...new Set(missing.map(({ path }) => path.slice(-2).join(".")))], []);
});

test("every row of the tables is used", () => {
  assert.ok(properties.length > 5000);
  for (const words of Object.values(standardWords)) {
    const used = new Set(properties.map(({ path }) => keyOf(words, path)));
    assert.deepEqual(
      Object.keys(words).filter((key) => !used.has(key)),
      [],
    );
  }
});

test("every example is valid", () => {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const withExample = properties.filter(({ schema }) => schema.example !== undefined);
  const invalid = withExample.filter(({ schema }) => !ajv.validate(schema, schema.example));
  assert.ok(withExample.length > 1000);
  assert.deepEqual(
    invalid.map(({ path, schema }) => `${path.join(".")}: ${schema.example}`),
    [],
  );
});

test("no two tables have a row for the same place", () => {
  const tables = [
    commonDescriptions,
    paymentDescriptions,
    accountDescriptions,
    productDescriptions,
  ];
  const keys = tables.flatMap((table) => Object.keys(table));
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
});

test("a description is one plain sentence that says more than the name", () => {
  for (const [key, sentence] of Object.entries(standardWords.descriptions)) {
    assert.match(sentence, /^(An? |The |[A-Z])[^\n]*[^.]\.$/, key);
    assert.doesNotMatch(sentence, /[a-z]\. [A-Z]/, `${key} has one sentence`);
    assert.ok(sentence.length <= 160, `${key} has at most 160 characters`);
    const name = key.slice(key.lastIndexOf(".") + 1);
    const words = (text: string): string => text.toLowerCase().replace(/^(the|an?) |[^a-z]/g, "");
    assert.notEqual(words(sentence), words(name), `${key} says more than its name`);
  }
});

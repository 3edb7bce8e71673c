import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { findUndescribed } from "#scripts/descriptions.ts";
import { documentId } from "#src/connector/document.ts";
import { factWords } from "#src/connector/fact-words.ts";
import { connectorWords } from "#src/connector/words.ts";
import { interfaceDescriptions } from "#src/sandbox/controls/interface-words.ts";
import { accountDescriptions } from "#src/standard/descriptions/accounts.ts";
import { commonDescriptions } from "#src/standard/descriptions/common.ts";
import { paymentDescriptions } from "#src/standard/descriptions/payments.ts";
import { productDescriptions } from "#src/standard/descriptions/products.ts";
import { keyOf, type PropertyWords } from "#src/standard/descriptions/property-words.ts";
import { standardWords } from "#src/standard/descriptions/standard-words.ts";
import { type Property, propertiesOf } from "./properties.ts";
import { ownInterfaces, servedDocuments } from "./served-documents.ts";

const documents = servedDocuments();
const ofCores = [...propertiesOf(documents.get(documentId))];
const own = ownInterfaces
  .filter((name) => name !== documentId)
  .flatMap((name) => [...propertiesOf(documents.get(name))]);
const properties = [...documents].flatMap(([name, document]) =>
  ownInterfaces.includes(name) ? [] : [...propertiesOf(document)],
);

test("every property of every document has a description", () => {
  assert.ok(properties.length > 5000 && own.length > 400);
  assert.deepEqual(findUndescribed(documents), []);
});

test("every row of the descriptions is in a document", () => {
  const idle = (words: PropertyWords, described: Property[]): string[] => {
    const used = new Set(
      described
        .map(({ path, schema }) => ({ key: keyOf(words, path), said: schema.description }))
        .filter(({ key, said }) => key !== undefined && words[key] === said)
        .map(({ key }) => key),
    );
    return Object.keys(words).filter((key) => !used.has(key));
  };
  assert.deepEqual(idle(standardWords.descriptions, properties), []);
  assert.deepEqual(idle(interfaceDescriptions, own), []);
  assert.deepEqual(idle({ ...factWords, ...connectorWords }, ofCores), []);
});

test("every row of the examples and values is used", () => {
  for (const words of [standardWords.examples, standardWords.values]) {
    const used = new Set(properties.map(({ path }) => keyOf(words, path)));
    assert.deepEqual(
      Object.keys(words).filter((key) => !used.has(key)),
      [],
    );
  }
});

type Enumeration = { key: string; values: string[]; said: string[] };

/** The enumerations of a property: its own, that of its items and those of its branches. */
function* enumerationsOf({ path, schema }: Property): Generator<Enumeration> {
  const parts = [schema.items, ...[schema.anyOf, schema.oneOf].flat()];
  for (const part of parts) {
    if (part) yield* enumerationsOf({ path, schema: part as Property["schema"] });
  }
  const values = (schema.enum ?? schema["x-namespaced-enum"]) as unknown[] | undefined;
  if (!values) return;
  const key = keyOf(standardWords.values, path) ?? path.slice(-2).join(".");
  const said = Object.keys(schema["x-enumDescriptions"] ?? {});
  yield { key, values: values.map(String), said };
}

const enumerations = properties.flatMap((property) => [...enumerationsOf(property)]);

// no publication says what these codes of products mean
const unexplained: Record<string, RegExp> = {
  AmountType: /^(RABD|RABL|RAFC|RALT)$/,
  ApplicationFrequency: /^(FEHO|FEPC|FEPH)$/,
  CalculationFrequency: /^(FEHO|FEPC|FEPH)$/,
  "LoanInterestFeeChargeCap.CappingPeriod": /^(FEHO|FEPC|FEPH)$/,
  FeeType: /^(FEPF|FYAF|FYAM|FYAQ|FYCP|FYDB|FYMI|FYXX)$/,
  RepaymentFrequency: /^SMFL$/,
  RepaymentType: /^(USBA|USBU|USCS|USER|USFA|USFB|USFI|USPF|USRW|USSL)$/,
  Segment: /^(GEAS|GEBU|GEFB|GEFG|GEGR|GEGS|PSES)$/,
};

test("every value of every enumeration is explained", () => {
  assert.ok(enumerations.length > 500);
  const missing = enumerations.flatMap(({ key, values, said }) =>
    values
      .filter((value) => !said.includes(value) && !unexplained[key]?.test(value))
      .map((value) => `${key} ${value}`),
  );
  assert.deepEqual([...new Set(missing)], []);
});

test("every value that the tables explain is in an enumeration", () => {
  const values: Record<string, Record<string, string>> = standardWords.values;
  // several properties share words, and not all of them have all values
  const pair = (key: string, value: string): string => `${value}: ${values[key]?.[value]}`;
  const said = new Set(enumerations.flatMap((one) => one.said.map((v) => pair(one.key, v))));
  const idle = Object.entries(values)
    // the other error codes are those that only v4 has
    .filter(([key]) => key !== "ErrorCode")
    .flatMap(([key, words]) => Object.keys(words).map((value) => pair(key, value)))
    .filter((text) => !said.has(text));
  assert.deepEqual(idle, []);
});

test("an explanation of a value is a phrase of one line", () => {
  for (const [key, values] of Object.entries<Record<string, string>>(standardWords.values)) {
    for (const [value, words] of Object.entries(values)) {
      assert.match(words, /^[A-Z][^\n]{1,79}(?<!\.)$/, `${key} ${value}`);
    }
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
  const standard = [
    commonDescriptions,
    paymentDescriptions,
    accountDescriptions,
    productDescriptions,
  ];
  for (const tables of [standard, [factWords, connectorWords]]) {
    const keys = tables.flatMap((table) => Object.keys(table));
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
    );
  }
});

const sentences = [
  interfaceDescriptions,
  standardWords.descriptions,
  factWords,
  connectorWords,
].flatMap((words) => Object.entries(words));

test("a description is one plain sentence that says more than the name", () => {
  for (const [key, sentence] of sentences) {
    assert.match(sentence, /^(An? |The |[A-Z])[^\n]*[^.]\.$/, key);
    assert.doesNotMatch(sentence, /[a-z]\. [A-Z]/, `${key} has one sentence`);
    assert.ok(sentence.length <= 160, `${key} has at most 160 characters`);
    const name = key.slice(key.lastIndexOf(".") + 1);
    const words = (text: string): string => text.toLowerCase().replace(/^(the|an?) |[^a-z]/g, "");
    assert.notEqual(words(sentence), words(name), `${key} says more than its name`);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { interfaceExamples } from "#src/sandbox/controls/interface-examples.ts";
import { sandboxSamples } from "#src/sandbox/controls/interface-samples.ts";
import { keyOf } from "#src/standard/descriptions/property-words.ts";
import { type Property, propertiesOf } from "#test/standard/properties.ts";
import { servedDocuments } from "#test/standard/served-documents.ts";

type Json = Record<string, unknown>;
type Body = { schema: Json; example?: unknown };
type Operation = {
  operationId: string;
  requestBody?: { content: Record<string, Body> };
  responses: Record<string, { content: Record<string, Body> }>;
};
type Document = Json & { paths: Record<string, Record<string, Operation>> };

const served = servedDocuments();
const documents = ["sandbox-v1", "channels-v1"].map((name) => served.get(name) as Document);
const properties = documents.flatMap((document) => [...propertiesOf(document)]);

const ajv = new Ajv({ strict: false });
formats.default(ajv);

/** The text or number of a property or of its items that may be chosen; null if there is none. */
function openPart({ schema }: Property): Json | null {
  const part = (schema.items ?? schema) as Json;
  const isOpen = ["string", "number", "integer"].includes(String(part.type));
  return isOpen && part.enum === undefined ? part : null;
}

/** JSON Schema for a schema of OpenAPI 3.0. */
function asJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asJsonSchema);
  if (typeof node !== "object" || node === null) return node;
  const { nullable, ...rest } = node as Json;
  const schema = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      name === "example" ? value : asJsonSchema(value),
    ]),
  );
  return nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
}

test("every text and number of the sandbox's and the channels' interface has a valid example", () => {
  let count = 0;
  const wrong = properties.flatMap((property) => {
    const part = openPart(property);
    if (part === null) return [];
    count += 1;
    const isRight = part.example !== undefined && ajv.validate(part, part.example);
    return isRight ? [] : [`${property.path.join(".")}: ${part.example}`];
  });
  assert.ok(count > 500, `${count}`);
  assert.deepEqual(wrong, []);
});

test("the examples of the sandbox's interface have the address of the bank that shows them", () => {
  const text = JSON.stringify(served.get("sandbox-v1"));
  assert.ok(text.includes('"https://bank.example/auth?client_id='));
  assert.ok(!text.includes("localhost:8080"));
});

test("every row of the examples is in a document", () => {
  const used = new Set(
    properties
      .filter((property) => openPart(property) !== null)
      .map(({ path }) => keyOf(interfaceExamples, path)),
  );
  assert.deepEqual(
    Object.keys(interfaceExamples).filter((key) => !used.has(key)),
    [],
  );
});

test("every body of the sandbox's and the channels' document is valid by its own example", () => {
  let count = 0;
  const wrong: string[] = [];
  for (const [index, document] of documents.entries()) {
    ajv.addSchema(asJsonSchema(document) as Json, `document-${index}`);
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { operationId, requestBody, responses }] of Object.entries(item)) {
        const at = ["paths", path, method];
        const success = Object.entries(responses).filter(([status]) => status.startsWith("2"));
        const bodies: [place: string[], content: Record<string, Body>][] = [
          ...(requestBody
            ? [[[...at, "requestBody"], requestBody.content] as [string[], Record<string, Body>]]
            : []),
          ...success.map(([status, { content }]): [string[], Record<string, Body>] => [
            [...at, "responses", status],
            content,
          ]),
        ];
        for (const [place, content] of bodies) {
          count += 1;
          const example = content["application/json"]?.example;
          const parts = [...place, "content", "application/json", "schema"];
          const pointer = parts
            .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
            .map(encodeURIComponent)
            .join("/");
          const isValid = ajv.validate({ $ref: `document-${index}#/${pointer}` }, example);
          if (example === undefined || !isValid)
            wrong.push(`${operationId} ${place.at(-1)}: ${ajv.errorsText()}`);
        }
      }
    }
  }
  assert.ok(count > 130, `${count}`);
  assert.deepEqual(wrong, []);
});

test("the example of a body is the one from which its page starts", () => {
  const [sandbox] = documents;
  const operations = Object.values(sandbox?.paths ?? {}).flatMap((item) => Object.values(item));
  for (const [id, sample] of Object.entries(sandboxSamples)) {
    const found = operations.find(({ operationId }) => operationId === id);
    const example = found?.requestBody?.content["application/json"]?.example as Json;
    for (const [name, value] of Object.entries(sample)) {
      if (value === "") assert.ok(example[name], `${id} ${name}`);
      else assert.deepEqual(example[name], value, `${id} ${name}`);
    }
  }
});

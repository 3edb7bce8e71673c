import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { extractFacts, formatFacts } from "#scripts/extract-published.ts";
import { listFacts } from "./published.ts";

const name = {
  type: "string",
  description: "What the thing is called, in a sentence.",
  title: "Name of a thing",
  minLength: 1,
  maxLength: 70,
  pattern: "^[A-Z]([A-Z ]{0,68}[A-Z])?$",
  example: "A THING",
};
const error = {
  description: "It went wrong.",
  headers: { "x-id": { description: "The id.", required: true, schema: { type: "string" } } },
  content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
};

const madeUp = {
  openapi: "3.0.0",
  info: { title: "Things", description: "All about things.", version: "1.2.3" },
  servers: [{ url: "/things" }],
  paths: {
    "/things/{Id}": {
      get: {
        tags: ["Things"],
        summary: "Get a thing",
        operationId: "GetThing",
        security: [{ OAuth: ["things"] }],
        parameters: [{ $ref: "#/components/parameters/Id" }],
        responses: { 200: error, 400: { $ref: "#/components/responses/Error" } },
      },
    },
  },
  components: {
    parameters: {
      Id: { name: "Id", in: "path", description: "Which.", required: true, schema: name },
    },
    responses: { Error: error },
    securitySchemes: { OAuth: { type: "oauth2", description: "The flow." } },
    schemas: {
      Thing: {
        type: "object",
        description: "A thing.",
        required: ["description"],
        additionalProperties: false,
        properties: {
          // members may be named like the keywords for prose
          description: name,
          title: { type: "array", minItems: 1, items: name },
          Kind: { type: "string", enum: ["Big", "Small"], default: "Big" },
          Either: { oneOf: [{ type: "integer", minimum: 1 }, { $ref: "#/components/schemas/Id" }] },
        },
      },
      Id: { type: "string", format: "uuid" },
    },
  },
};

const extract = (document: object) =>
  extractFacts("things-v1.json", Buffer.from(JSON.stringify(document)));

test("the extraction keeps the facts of an OpenAPI document and drops its prose", () => {
  const { description: _, title: __, example: ___, ...nameFacts } = name;
  const shared = { $ref: "#/components/shared/1" };
  const response = {
    headers: { "x-id": { required: true, schema: { type: "string" } } },
    content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
  };
  const bytes = Buffer.from(JSON.stringify(madeUp));
  assert.deepEqual(extract(madeUp), {
    source: {
      file: "things-v1.json",
      version: "1.2.3",
      sha256: createHash("sha256").update(bytes).digest("hex"),
    },
    paths: {
      "/things/{Id}": {
        get: {
          operationId: "GetThing",
          security: [{ OAuth: ["things"] }],
          parameters: [{ $ref: "#/components/parameters/Id" }],
          responses: { 200: response, 400: { $ref: "#/components/responses/Error" } },
        },
      },
    },
    components: {
      parameters: { Id: { name: "Id", in: "path", required: true, schema: shared } },
      responses: { Error: response },
      schemas: {
        Thing: {
          type: "object",
          required: ["description"],
          additionalProperties: false,
          properties: {
            description: shared,
            title: { type: "array", minItems: 1, items: shared },
            Kind: { type: "string", enum: ["Big", "Small"] },
            Either: {
              oneOf: [{ type: "integer", minimum: 1 }, { $ref: "#/components/schemas/Id" }],
            },
          },
        },
        Id: { type: "string", format: "uuid" },
      },
      shared: { 1: nameFacts },
    },
  });
});

test("the extraction refuses a keyword that it does not know", () => {
  const changed = structuredClone(madeUp);
  Object.assign(changed.components.schemas.Id, { multipleOf: 2 });
  assert.throws(() => extract(changed), /multipleOf: the extraction knows only/);
});

test("the extraction keeps the codes of a CSV of code sets", () => {
  const csv = [
    "\uFEFF,,Enum Category,,Some1Code",
    "Code Set,Code Value,Code Name,Description",
    'Some1Code,A001,UK.Some,"First, with a comma.',
    'And ""quotes"" on a second line."',
    "Some1Code ,A002,UK.Other,",
    ",,,",
    "Other1Code,UK.OBIE.Thing,Thing,What it is",
    "",
  ].join("\r\n");
  assert.deepEqual(extractFacts("sets.csv", Buffer.from(csv)), {
    source: { file: "sets.csv", sha256: createHash("sha256").update(csv).digest("hex") },
    codeSets: { Some1Code: ["A001", "A002"], Other1Code: ["UK.OBIE.Thing"] },
  });
});

test("formatted facts have one line for each path, component and code set", () => {
  const text = formatFacts(extract(madeUp));
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(extract(madeUp))));
  for (const key of ["/things/{Id}", "Thing", "Error", "shared"]) {
    assert(
      text.split("\n").some((line) => line.startsWith(JSON.stringify(key))),
      key,
    );
  }
});

const committed = listFacts().map((file): [string, string] => [
  file,
  readFileSync(new URL(`published/${file}`, import.meta.url), "utf8"),
]);

test("the committed facts are what the extraction writes, with version and hash", () => {
  assert(committed.length >= 5);
  for (const [file, text] of committed) {
    const facts = JSON.parse(text);
    assert.match(facts.source.sha256, /^[0-9a-f]{64}$/, file);
    assert.equal(formatFacts(facts), text, `${file} has the form that the script writes`);
    if (facts.codeSets) continue;
    assert.match(facts.source.version, /^v?\d+\.\d+(\.\d+)?$/, file);
    // anything that is not a fact would be dropped or refused
    const again = extractFacts(file, Buffer.from(JSON.stringify({ ...facts, info: {} })));
    assert("paths" in again);
    const { shared, ...components } = facts.components;
    assert.deepEqual(Object.keys(again.components), Object.keys(components));
    assert.deepEqual(again.paths, facts.paths, file);
    assert.deepEqual({ ...again.components }, components, file);
    assert.equal(shared === undefined, !text.includes("#/components/shared/"), file);
  }
});

test("the committed facts do not contain sentences", () => {
  for (const [file, text] of committed) {
    for (const value of stringsOf(JSON.parse(text))) {
      const words = value.split(/\s+/).length;
      // the longest code of a published set has two words; patterns are not sentences
      assert(words <= 2 || /[\\^[\]]/.test(value), `${file}: ${value}`);
    }
  }
});

test("every reference in the committed facts has a target", () => {
  for (const [file, text] of committed) {
    const document = JSON.parse(text);
    for (const [, path = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = path
        .split("/")
        .reduce<unknown>(
          (node, key) => (node as Record<string, unknown> | undefined)?.[key],
          document,
        );
      assert(target !== undefined, `${file}: #/${path}`);
    }
  }
});

function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) yield* stringsOf(member);
  }
}

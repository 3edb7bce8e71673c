// Extracts the facts that the tests need from a file that Open Banking has published: an OpenAPI
// document or a CSV of code sets. Prose (descriptions, titles, examples) is left out. Usage:
//   npm run published -- <file>...
// The facts are written to test/standard/published/, under the name of the file.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

type Json = { readonly [name: string]: unknown };

/** The published file that the facts come from. */
export type Source = { file: string; version?: string; sha256: string };

/** The facts of an OpenAPI document: the document without its prose. */
export type OpenApiFacts = { source: Source; paths: Json; components: Json };

/** The facts of a CSV of code sets: the codes of each set. */
export type CodeSetFacts = { source: Source; codeSets: Record<string, string[]> };

/** Extracts the facts of a published file. The file's name decides how it is read. */
export function extractFacts(name: string, content: Buffer): OpenApiFacts | CodeSetFacts {
  const text = content.toString("utf8");
  const sha256 = createHash("sha256").update(content).digest("hex");
  if (name.endsWith(".json")) return extractOpenApi(JSON.parse(text), name, sha256);
  if (name.endsWith(".csv")) return extractCodeSets(text, { file: name, sha256 });
  throw new Error(`${name} must be an OpenAPI document (.json) or code sets (.csv)`);
}

function extractOpenApi(document: Json, file: string, sha256: string): OpenApiFacts {
  const { info, paths, components } = document;
  const version = String(objectOf(info).version);
  const facts = {
    paths: mapValues(paths, extractPath),
    components: Object.fromEntries(
      Object.entries(componentExtractors)
        .filter(([kind]) => objectOf(components)[kind] !== undefined)
        .map(([kind, extract]) => [kind, mapValues(objectOf(components)[kind], extract)]),
    ),
  };
  return { source: { file, version, sha256 }, ...shareSchemas(facts) };
}

type Extract = (value: unknown) => unknown;

const whole: Extract = (value) => value;

/**
 * Keeps the members that are facts and drops those that are prose. Throws for a member in neither
 * list, so that somebody decides which it is.
 */
function extractMembers(facts: Record<string, Extract>, prose: readonly string[]): Extract {
  return (value) => {
    const given = objectOf(value);
    const unknown = Object.keys(given).filter((key) => !(key in facts) && !prose.includes(key));
    if (unknown.length > 0) {
      const known = [...Object.keys(facts), ...prose].join(", ");
      throw new Error(`${unknown.join(", ")}: the extraction knows only ${known}`);
    }
    return Object.fromEntries(
      Object.entries(facts)
        .filter(([key]) => given[key] !== undefined)
        .map(([key, extract]) => [key, extract(given[key])]),
    );
  };
}

const mapValues = (value: unknown, extract: Extract): Json =>
  Object.fromEntries(
    Object.entries(objectOf(value)).map(([name, member]) => [name, extract(member)]),
  );
const eachOf =
  (extract: Extract): Extract =>
  (value) =>
    listOf(value).map(extract);

const constraints = [
  ...["$ref", "type", "format", "pattern", "minLength", "maxLength", "minimum", "maximum"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"],
  ...["required", "enum", "x-namespaced-enum"],
];
const schema: Extract = (value) => (typeof value === "object" ? schemaMembers(value) : value);
const schemaMembers = extractMembers(
  {
    ...Object.fromEntries(constraints.map((name) => [name, whole])),
    additionalProperties: schema,
    properties: (value) => mapValues(value, schema),
    items: schema,
    allOf: eachOf(schema),
    anyOf: eachOf(schema),
    oneOf: eachOf(schema),
  },
  ["description", "title", "example", "examples", "default"],
);

const prose = ["description", "summary", "example", "examples"];
const header = extractMembers({ $ref: whole, required: whole, schema }, prose);
const parameter = extractMembers({ $ref: whole, name: whole, in: whole, required: whole, schema }, [
  ...prose,
  "style",
  "explode",
  "allowEmptyValue",
  "deprecated",
]);
const content: Extract = (value) => mapValues(value, extractMembers({ schema }, prose));
const headers: Extract = (value) => mapValues(value, header);
const response = extractMembers({ $ref: whole, headers, content }, prose);
const requestBody = extractMembers({ $ref: whole, required: whole, content }, prose);
const operation = extractMembers(
  {
    operationId: whole,
    security: whole,
    parameters: eachOf(parameter),
    requestBody,
    responses: (value) => mapValues(value, response),
  },
  [...prose, "tags", "deprecated", "callbacks"],
);
const extractPath = extractMembers(
  {
    parameters: eachOf(parameter),
    ...Object.fromEntries(
      ["get", "post", "put", "patch", "delete"].map((method) => [method, operation]),
    ),
  },
  prose,
);
const componentExtractors: Record<string, Extract> = {
  parameters: parameter,
  headers: header,
  responses: response,
  requestBodies: requestBody,
  schemas: schema,
};

const shortest = 80;

/** Moves a schema that appears several times to one place, and refers to it there. */
function shareSchemas(facts: { paths: Json; components: Json }): {
  paths: Json;
  components: Json;
} {
  const uses = new Map<string, number>();
  visitSchemas(facts, (node) => {
    const text = JSON.stringify(node);
    const count = uses.get(text) ?? 0;
    uses.set(text, count + 1);
    // the members of a schema that was seen before are not counted again
    return count === 0;
  });
  const places = new Map<string, string>();
  const shared: Record<string, unknown> = {};
  const share = (node: unknown): unknown => {
    const text = JSON.stringify(node);
    if ((uses.get(text) ?? 0) < 2 || text.length < shortest) return withSchemas(node, share);
    const known = places.get(text);
    if (known) return { $ref: known };
    const name = `${places.size + 1}`;
    const place = `#/components/shared/${name}`;
    places.set(text, place);
    shared[name] = withSchemas(node, share);
    return { $ref: place };
  };
  const { paths, components } = withSchemas(facts, share) as typeof facts;
  return { paths, components: { ...components, ...(places.size > 0 ? { shared } : {}) } };
}

// the members of a node whose values are schemas, or lists or maps of schemas
const schemaPlaces = { one: ["items", "schema"], many: ["properties", "allOf", "anyOf", "oneOf"] };

function visitSchemas(node: unknown, enter: (node: unknown) => boolean): void {
  withSchemas(node, (inner) => {
    if (enter(inner)) visitSchemas(inner, enter);
    return inner;
  });
}

/** Copies a node and replaces the nearest schemas below it. */
function withSchemas(node: unknown, replace: (schema: unknown) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => withSchemas(item, replace));
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (schemaPlaces.one.includes(key)) return [key, replace(value)];
      if (!schemaPlaces.many.includes(key)) return [key, withSchemas(value, replace)];
      return [key, Array.isArray(value) ? value.map(replace) : mapValues(value, replace)];
    }),
  );
}

function extractCodeSets(text: string, source: Source): CodeSetFacts {
  const codeSets: Record<string, string[]> = {};
  // the lines before the heading do not contain codes
  const rows = parseCsv(text.replace(/^\uFEFF/, ""));
  const heading = rows.findIndex(([set]) => set === "Code Set");
  if (heading < 0) throw new Error(`${source.file} must have a line that begins with "Code Set"`);
  for (const [set = "", code = ""] of rows.slice(heading + 1)) {
    if (set.trim() === "" || code.trim() === "") continue;
    codeSets[set.trim()] ??= [];
    codeSets[set.trim()]?.push(code.trim());
  }
  return { source, codeSets };
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows;
}

/**
 * Formats facts with one line per path, component and code set, so that changes are easy to read.
 */
export function formatFacts(facts: OpenApiFacts | CodeSetFacts): string {
  const lines = (members: unknown, format: (value: unknown) => string = JSON.stringify): string =>
    `{\n${Object.entries(objectOf(members))
      .map(([key, value]) => `${JSON.stringify(key)}:${format(value)}`)
      .join(",\n")}\n}`;
  const parts =
    "codeSets" in facts
      ? [`"codeSets":${lines(facts.codeSets)}`]
      : [
          `"paths":${lines(facts.paths)}`,
          `"components":${lines(facts.components, (members) => lines(members))}`,
        ];
  return `{\n"source":${JSON.stringify(facts.source)},\n${parts.join(",\n")}\n}\n`;
}

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function main(files: readonly string[]): number {
  if (files.length === 0) {
    console.error(
      "Name one or more published files: OpenAPI documents (.json) or code sets (.csv).",
    );
    return 1;
  }
  for (const file of files) {
    const facts = extractFacts(basename(file), readFileSync(file));
    const name = basename(file)
      .replace(/\.csv$/, ".json")
      .toLowerCase()
      .replaceAll("_", "-");
    const target = new URL(`../test/standard/published/${name}`, import.meta.url);
    const text = formatFacts(facts);
    writeFileSync(target, text);
    console.log(`${fileURLToPath(target)}: ${text.length} characters`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2));
}

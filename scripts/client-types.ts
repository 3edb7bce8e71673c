// Writes the types of the library for TPPs from the OpenAPI documents that the bank serves: a file
// per API version in packages/client/src/types. Usage: node scripts/run.mjs client-types
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ownInterfaces, servedDocuments } from "#test/standard/served-documents.ts";
import { root } from "./source-files.ts";

/** A JSON schema, as far as the documents use it. */
type Schema = {
  $ref?: string;
  type?: string;
  enum?: (string | number)[];
  const?: string;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Media = { content?: Record<string, { schema?: Schema }> };
type DocumentedOperation = { requestBody?: Media; responses: Record<string, Media> };
type Document = {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
};

const folder = "packages/client/src/types";
const header = [
  "// Written by `node scripts/run.mjs client-types` from the bank's OpenAPI document. Do not edit.",
  "",
].join("\n");
// A longer list of codes is a type of its own, because it is used in many places.
const longestInline = 12;
const width = 100;

/** Returns the text of each file of types, by its path in the checkout. */
export function clientTypes(): Map<string, string> {
  const apis = [...servedDocuments()].filter(([name]) => !ownInterfaces.includes(name));
  return new Map(
    apis.map(([name, document]) => [join(folder, `${name}.ts`), typesOf(document as Document)]),
  );
}

/** Renders the types of one document. */
function typesOf({ paths, components: { schemas } }: Document): string {
  const codes = new CodeLists(new Set(Object.keys(schemas)));
  const named = Object.entries(schemas).map(
    ([name, schema]) => `export type ${typeName(name)} = ${render(schema, name, codes, "")};`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, operation]) => operationLine(`${method.toUpperCase()} ${path}`, operation)),
  );
  const all = [
    "/** The bodies of each operation, by its method and path. */",
    "export type Operations = {",
    ...operations,
    "};",
    "",
    ...named.map((text) => `${text}\n`),
    ...codes.texts().map((text) => `${text}\n`),
  ];
  return `${header}\n${all.join("\n").trimEnd()}\n`;
}

/** Long lists of codes, each with a name. The same list has one name. */
class CodeLists {
  readonly #taken: Set<string>;
  readonly #names = new Map<string, string>();

  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  nameOf(property: string, union: string): string {
    const known = this.#names.get(union);
    if (known !== undefined) return known;
    const base = typeName(property);
    let name = base;
    for (let count = 2; this.#taken.has(name); count++) name = `${base}${count}`;
    this.#taken.add(name);
    this.#names.set(union, name);
    return name;
  }

  texts(): string[] {
    return [...this.#names].map(([union, name]) => `export type ${name} =${wrapped(union)};`);
  }
}

function operationLine(key: string, { requestBody, responses }: DocumentedOperation): string {
  const answer = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const body = bodyType(requestBody);
  const parts = [
    ...(body === null ? [] : [`body: ${body}`]),
    `answer: ${bodyType(answer) ?? "undefined"}`,
  ];
  const line = `  ${JSON.stringify(key)}: { ${parts.join("; ")} };`;
  return line.length <= width
    ? line
    : `  ${JSON.stringify(key)}: {\n${parts.map((part) => `    ${part};`).join("\n")}\n  };`;
}

function bodyType(media: Media | undefined): string | null {
  const schema = media?.content?.["application/json"]?.schema;
  if (schema === undefined) return media?.content === undefined ? null : "Uint8Array";
  if (schema.$ref === undefined) throw new Error("the body of an operation has no named schema");
  return refName(schema.$ref);
}

function render(schema: Schema, name: string, codes: CodeLists, indent: string): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) {
    const union = schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    return schema.enum.length > longestInline ? codes.nameOf(name, union) : union;
  }
  // a described reference is the only part of an allOf
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices !== undefined) {
    const rendered = choices.map((one) => render(one, name, codes, indent));
    return [...new Set(rendered)].join(" | ");
  }
  if (schema.items !== undefined) {
    const item = render(schema.items, name, codes, indent);
    return / \| /.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties !== undefined || schema.type === "object") {
    return renderObject(schema, codes, indent);
  }
  return simple[schema.type ?? ""] ?? "unknown";
}

const simple: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "boolean",
  number: "number",
  integer: "number",
  null: "null",
  array: "unknown[]",
};

function renderObject(schema: Schema, codes: CodeLists, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const mark = required.includes(name) ? "" : "?";
    return `${inner}${key}${mark}: ${render(property, name, codes, inner)};`;
  });
  if (members.length > 0) return `{\n${members.join("\n")}\n${indent}}`;
  if (typeof additionalProperties === "object") {
    return `Record<string, ${render(additionalProperties, "value", codes, indent)}>`;
  }
  return additionalProperties === false ? "Record<string, never>" : "Record<string, unknown>";
}

const typeName = (text: string): string => text.replace(/\W/g, "_").replace(/^\d/, "_$&");
const refName = (ref: string): string => typeName(ref.slice(ref.lastIndexOf("/") + 1));

/** Wraps a union into lines. */
function wrapped(union: string): string {
  const lines: string[] = [];
  let line = "  |";
  for (const value of union.split(" | ")) {
    if (`${line} ${value} |`.length > width) {
      lines.push(line.replace(/ \|$/, ""));
      line = "  |";
    }
    line = `${line} ${value} |`;
  }
  return `\n${[...lines, line].map((one) => one.replace(/ \|$/, "")).join("\n")}`;
}

function main(): void {
  for (const [path, text] of clientTypes()) writeFileSync(join(root, path), text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();

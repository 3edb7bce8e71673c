import Format from "typebox/format";
import Guard from "typebox/guard";
import type { Fault } from "#src/http/api-error.ts";
import { nearest } from "#src/http/refusal/nearest.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { standardExamples } from "#src/standard/descriptions/examples.ts";

/** The keywords of JSON schema that the standard's bodies use. */
export type JsonSchema = {
  type?: string;
  "x-namespaced-enum"?: string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
};

/**
 * The search stops after this many faults: enough to correct a body, too few to be misused as work.
 */
export const mostFaults = 100;

const longestList = 300;
const longestCompared = 40;
const patterns = new Map<string, RegExp>();

/**
 * Finds why a value violates its schema: at most one fault per field and 100 in all. Runs only
 * after the compiled check has failed. (TypeBox reports several errors per field and stops early.)
 */
export function findFaults(schema: JsonSchema, value: unknown, path = ""): Fault[] {
  const faults = new Map<string | undefined, Fault>();
  for (const fault of collect(schema, value, path)) {
    if (!faults.has(fault.path)) faults.set(fault.path, fault);
    if (faults.size === mostFaults) break;
  }
  return [...faults.values()];
}

function* collect(schema: JsonSchema, value: unknown, path: string): Generator<Fault> {
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) yield* collectOfBranches(schema, branches, value, path);
  for (const part of schema.allOf ?? []) yield* collect(part, value, path);
  if (!isLeafRight(schema, value)) {
    const isDate = schema.format === "date-time" && typeof value === "string";
    yield { code: isDate ? "U003" : "U002", path, message: describe(schema) };
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      if (schema.items) yield* collect(schema.items, member, `${path}[${index}]`);
    }
  } else if (typeof value === "object" && value !== null) {
    yield* collectOfMembers(schema, value as Record<string, unknown>, path);
  }
}

// A choice is one field. It has one fault, or the faults of the branch that the value most
// resembles.
function* collectOfBranches(
  schema: JsonSchema,
  branches: JsonSchema[],
  value: unknown,
  path: string,
): Generator<Fault> {
  const tries = branches.map((branch) => findFaults(branch, value, path));
  const fitting = tries.filter((faults) => faults.length === 0).length;
  if (schema.anyOf ? fitting > 0 : fitting === 1) return;
  const [nearest] = tries
    .filter((faults) => faults.length > 0 && faults.every((fault) => fault.path !== path))
    .sort((a, b) => a.length - b.length);
  if (nearest && fitting === 0) yield* nearest;
  else yield { code: "U002", path, message: describe(schema) };
}

function* collectOfMembers(
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
): Generator<Fault> {
  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) {
      yield {
        code: "U004",
        path: at(name),
        message: describeMissing(name, memberSchema(schema, name)),
      };
    }
  }
  for (const [name, member] of Object.entries(value)) {
    const known = memberSchema(schema, name);
    if (known === false) {
      const message = `This field is not defined here. Leave it out.${similarTo(name, schema)}`;
      yield { code: "U005", path: at(name), message };
    } else if (known) {
      yield* collect(known, member, at(name));
    }
  }
}

/** Names the defined member that an undefined one is probably meant to be. */
function similarTo(name: string, { properties = {} }: JsonSchema): string {
  if (name.length > longestCompared) return "";
  const [near] = nearest(name, Object.keys(properties));
  return near === undefined ? "" : ` There is a field ${near}.`;
}

function memberSchema(schema: JsonSchema, name: string): JsonSchema | false | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  for (const [pattern, member] of Object.entries(patternProperties ?? {})) {
    if (matches(pattern, name)) return member;
  }
  return additionalProperties === true ? undefined : additionalProperties;
}

function isLeafRight(schema: JsonSchema, value: unknown): boolean {
  if (schema.type !== undefined && !isOfType(schema.type, value)) return false;
  if (Object.hasOwn(schema, "const") && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (typeof value === "string") return isTextRight(schema, value);
  if (typeof value === "number") {
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  if (Array.isArray(value)) {
    return value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity);
  }
  return true;
}

function isTextRight(schema: JsonSchema, text: string): boolean {
  if (schema.minLength !== undefined && !Guard.IsMinLength(text, schema.minLength)) return false;
  if (schema.maxLength !== undefined && !Guard.IsMaxLength(text, schema.maxLength)) return false;
  if (schema.pattern !== undefined && !matches(schema.pattern, text)) return false;
  if (schema.format === "uri" && !Format.Test("uri", text)) return false;
  return schema.format !== "date-time" || parseDateTime(text) !== null;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }
  return typeof value === type;
}

function matches(pattern: string, text: string): boolean {
  let expression = patterns.get(pattern);
  if (!expression) {
    expression = new RegExp(pattern, "u");
    patterns.set(pattern, expression);
  }
  return expression.test(text);
}

const describe = (schema: JsonSchema): string => `This field must be ${wordsFor(schema)}.`;

function describeMissing(name: string, schema: JsonSchema | false | undefined): string {
  if (!schema) return "This field is missing. Send it.";
  const words = wordsFor(schema);
  const example = standardExamples[name];
  const isPlain = typeof example === "string" && /^a string of [0-9a-z ]+$/.test(words);
  return `This field is missing. Send it: ${words}${isPlain ? `, such as ${example}` : ""}.`;
}

/** Says what a value must be. */
function wordsFor(schema: JsonSchema): string {
  const branches = schema.anyOf ?? schema.oneOf ?? [];
  const values = schema.enum ?? branches.map((branch) => branch.const);
  if (Object.hasOwn(schema, "const")) return textOf(schema.const);
  if (values.length > 0 && values.every((value) => value !== undefined)) {
    const list = values.join(", ");
    return list.length <= longestList
      ? `one of ${list}`
      : `a code from its code set, such as ${textOf(values[0])}`;
  }
  if (branches.length > 0) return branches.map(describeBranch).join(", or ");
  return describeType(schema);
}

/** One of several schemas, of which a value must match one. */
const describeBranch = (branch: JsonSchema): string =>
  branch.enum ? `one of ${branch.enum.join(", ")}` : describeType(branch);

function describeType(schema: JsonSchema): string {
  if (schema.type === "string") return describeText(schema);
  if (schema.type === "array") {
    const range = describeRange(schema.minItems, schema.maxItems, "of", "members");
    return `an array${range}${schema.items ? `, each ${wordsFor(schema.items)}` : ""}`;
  }
  if (schema.type === "number" || schema.type === "integer") {
    const noun = schema.type === "integer" ? "an integer" : "a number";
    return noun + describeRange(schema.minimum, schema.maximum, "of", "").trimEnd();
  }
  if (schema.type === "object" || schema.properties) return describeObject(schema);
  return schema.type === "boolean" ? "true or false" : `${schema.type ?? "another value"}`;
}

function describeObject({ required = [], properties = {} }: JsonSchema): string {
  const members = required.map((name) => `${name}${codesOf(properties[name])}`);
  const list = members.join(", ");
  if (list !== "" && list.length <= longestList) return `an object with ${list}`;
  const names = required.length > 0 ? required : Object.keys(properties);
  if (names.length === 0) return "an object";
  const some = names.slice(0, 8).join(", ");
  if (required.length > 0) return `an object with ${some}`;
  return `an object with any of ${some}${names.length > 8 ? " and others" : ""}`;
}

/** The codes of a member in brackets, if they are few. */
function codesOf(schema: JsonSchema | undefined): string {
  const codes = [...(schema?.enum ?? []), ...(schema?.["x-namespaced-enum"] ?? [])];
  const list = codes.join(", ");
  return list === "" || list.length > longestList / 2 ? "" : ` (one of ${list})`;
}

/** What some patterns of the standard mean, with an example. */
const examples: Readonly<Record<string, string>> = {
  "^\\d{1,13}$|^\\d{1,13}\\.\\d{1,5}$":
    "an amount of 1 to 13 digits, and up to 5 decimals after a point, such as 10.00",
  "^[A-Z]{3,3}$": "three capital letters, such as GBP",
  "^[A-Z]{2,2}$": "two capital letters, such as GB",
};

function describeText(schema: JsonSchema): string {
  const { format, minLength, maxLength, pattern } = schema;
  const codes = schema["x-namespaced-enum"] ?? [];
  if (codes.length > 0)
    return `a code with its namespace, such as ${codes.slice(0, 2).join(" or ")}`;
  if (format === "date-time") return "an existing date-time, such as 2026-11-21T09:30:00+00:00";
  if (format === "uri") return "an absolute URI such as https://tpp.example/path";
  const example = examples[pattern ?? ""];
  if (example !== undefined) return `a string with ${example}`;
  const text = `a string${describeRange(minLength, maxLength, "of", "characters")}`;
  if (pattern === undefined) return text;
  return pattern.length <= longestList
    ? `${text} that matches ${pattern}`
    : `${text} in its defined format`;
}

function describeRange(
  least: number | undefined,
  most: number | undefined,
  word: string,
  noun: string,
): string {
  if (least !== undefined && most !== undefined) {
    return least === most ? ` ${word} ${least} ${noun}` : ` ${word} ${least} to ${most} ${noun}`;
  }
  if (most !== undefined) return ` ${word} at most ${most} ${noun}`;
  return least === undefined || least === 0 ? "" : ` ${word} at least ${least} ${noun}`;
}

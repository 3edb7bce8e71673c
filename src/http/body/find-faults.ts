import Format from "typebox/format";
import Guard from "typebox/guard";
import type { Fault } from "#src/http/api-error.ts";
import { nearest } from "#src/http/refusal/nearest.ts";
import { isObject } from "#src/lib/assert.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import { exampleOf, type Field, type JsonSchema, wordsFor } from "./field-words.ts";

/**
 * The search stops after this many faults: enough to correct a body, too few to be misused as work.
 */
export const mostFaults = 100;

const longestCompared = 40;
// the standard allows 500 characters, and a version may put the name of the code before the message
const longestMessage = 470;
const patterns = new Map<string, RegExp>();

/**
 * Finds why a value violates its schema: at most one fault per field and 100 in all. Runs only
 * after the compiled check has failed. (TypeBox reports several errors per field and stops early.)
 * `words` say what the bank wants in some fields, in place of the schema's words.
 */
export function findFaults(schema: JsonSchema, value: unknown, words: PropertyWords = {}): Fault[] {
  const names = schema.title === undefined ? [] : [schema.title];
  return faultsAt(schema, value, { path: "", names, words });
}

function faultsAt(schema: JsonSchema, value: unknown, field: Field): Fault[] {
  const faults = new Map<string | undefined, Fault>();
  for (const fault of collect(schema, value, field)) {
    if (!faults.has(fault.path)) faults.set(fault.path, fault);
    if (faults.size === mostFaults) break;
  }
  return [...faults.values()];
}

function* collect(schema: JsonSchema, value: unknown, field: Field): Generator<Fault> {
  const branches = schema.anyOf ?? schema.oneOf;
  const { path } = field;
  if (branches) yield* collectOfBranches(schema, branches, value, field);
  for (const part of schema.allOf ?? []) yield* collect(part, value, field);
  if (!isLeafRight(schema, value)) {
    const isDate = schema.format === "date-time" && typeof value === "string";
    yield { code: isDate ? "U003" : "U002", path, message: describe(schema, field) };
  } else if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      const item = { ...field, path: `${path}[${index}]`, isOptional: false };
      if (schema.items) yield* collect(schema.items, member, item);
    }
  } else if (typeof value === "object" && value !== null) {
    yield* collectOfMembers(schema, value as Record<string, unknown>, field);
  }
}

// A choice is one field. It has one fault, or the faults of the branch that the value most
// resembles.
function* collectOfBranches(
  schema: JsonSchema,
  branches: JsonSchema[],
  value: unknown,
  field: Field,
): Generator<Fault> {
  const { path } = field;
  const tries = branches.map((branch) => faultsAt(branch, value, field));
  const fitting = tries.filter((faults) => faults.length === 0).length;
  if (schema.anyOf ? fitting > 0 : fitting === 1) return;
  const [nearest] = tries
    .filter((faults) => faults.length > 0 && faults.every((fault) => fault.path !== path))
    .sort((a, b) => a.length - b.length);
  if (nearest && fitting === 0) yield* nearest;
  else yield { code: "U002", path, message: describe(schema, field) };
}

function* collectOfMembers(
  schema: JsonSchema,
  value: Record<string, unknown>,
  field: Field,
): Generator<Fault> {
  const { required = [] } = schema;
  const at = (name: string): string => (field.path === "" ? name : `${field.path}.${name}`);
  const member = (name: string): Field => ({
    ...field,
    path: at(name),
    names: [...field.names, name],
    isOptional: !required.includes(name),
  });
  for (const name of required) {
    if (!Object.hasOwn(value, name)) {
      const message = describeMissing(memberSchema(schema, name), member(name));
      yield { code: "U004", path: at(name), message };
    }
  }
  for (const [name, sent] of Object.entries(value)) {
    const known = memberSchema(schema, name);
    if (known === false) {
      const message = `This field is not defined here. Leave it out.${similarTo(name, schema)}`;
      yield { code: "U005", path: at(name), message };
    } else if (known) {
      yield* collect(known, sent, member(name));
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
  if (type === "object") return isObject(value);
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

function describe(schema: JsonSchema, field: Field): string {
  const words = suchAs(schema, field, "This field must be ".length);
  const mayLack = field.isOptional === true && words.startsWith("one of ");
  return `This field must be ${words}${mayLack ? ", or be left out" : ""}.`;
}

const missing = "This field is missing. Send it";

const describeMissing = (schema: JsonSchema | false | undefined, field: Field): string =>
  schema ? `${missing}: ${suchAs(schema, field, missing.length)}.` : `${missing}.`;

/** Says what a value must be, with an example if that helps and has room. */
function suchAs(schema: JsonSchema, field: Field, length: number): string {
  if (field.isExample) return "";
  const words = wordsFor(schema, field);
  const example = exampleOf(schema, field);
  if (example === undefined) return words;
  if (faultsAt(schema, example, { ...field, isExample: true }).length > 0) return words;
  const text = Array.isArray(example) ? JSON.stringify(example) : textOf(example);
  const whole = `${words}, such as ${text}`;
  return length + whole.length < longestMessage ? whole : words;
}

import { textOf } from "#src/lib/plain-text.ts";
import { standardExamples } from "#src/standard/descriptions/examples.ts";
import { type PropertyWords, wordOf } from "#src/standard/descriptions/property-words.ts";

/** The keywords of JSON schema that the standard's bodies use. */
export type JsonSchema = {
  title?: string;
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

/** A field of a body. */
export type Field = {
  path: string;
  /** The names that lead to it, from the title of the schema. */
  names: readonly string[];
  /** What the bank wants in some fields, in place of the words of their schema. */
  words: PropertyWords;
  isOptional?: boolean;
  /** Whether the value is an example of the bank's own: its faults need no words. */
  isExample?: boolean;
};

const longestList = 300;

const inside = (field: Field, name: string): Field => ({
  ...field,
  names: [...field.names, name],
});

/** Says what a value must be. */
export function wordsFor(schema: JsonSchema, field: Field): string {
  const own = wordOf(field.words, field.names);
  if (own !== undefined && schema.type !== "array") return own;
  const branches = schema.anyOf ?? schema.oneOf ?? [];
  const values = schema.enum ?? branches.map((branch) => branch.const);
  if (Object.hasOwn(schema, "const")) return textOf(schema.const);
  if (values.length > 0 && values.every((value) => value !== undefined)) {
    const list = values.join(", ");
    return list.length <= longestList
      ? `one of ${list}`
      : `a code from its code set, such as ${textOf(values[0])}`;
  }
  if (branches.length > 0) return branches.map((one) => describeBranch(one, field)).join(", or ");
  return describeType(schema, field);
}

/** One of several schemas, of which a value must match one. */
const describeBranch = (branch: JsonSchema, field: Field): string =>
  branch.enum ? `one of ${branch.enum.join(", ")}` : describeType(branch, field);

function describeType(schema: JsonSchema, field: Field): string {
  if (schema.type === "string") return describeText(schema, field);
  if (schema.type === "array") {
    const range = describeRange(schema.minItems, schema.maxItems, "of", "members");
    return `an array${range}${schema.items ? `, each ${wordsFor(schema.items, field)}` : ""}`;
  }
  if (schema.type === "number" || schema.type === "integer") {
    const noun = schema.type === "integer" ? "an integer" : "a number";
    return noun + describeRange(schema.minimum, schema.maximum, "of", "").trimEnd();
  }
  if (schema.type === "object" || schema.properties) return describeObject(schema, field);
  return schema.type === "boolean" ? "true or false" : `${schema.type ?? "another value"}`;
}

function describeObject({ required = [], properties = {} }: JsonSchema, field: Field): string {
  const members = required.map((name) => `${name}${listOf(properties[name], inside(field, name))}`);
  const list = members.join(", ");
  if (list !== "" && list.length <= longestList) return `an object with ${list}`;
  const names = required.length > 0 ? required : Object.keys(properties);
  if (names.length === 0) return "an object, which may be empty: {}";
  const some = names.slice(0, 8).join(", ");
  if (required.length > 0) return `an object with ${some}`;
  return `an object, which may be empty ({}) or have ${some}${names.length > 8 ? " and others" : ""}`;
}

/** What a member must be, in brackets: the bank's own words, or the codes if they are few. */
function listOf(schema: JsonSchema | undefined, { words, names }: Field): string {
  // the words about an array are those of its members
  const own = schema?.type === "array" ? undefined : wordOf(words, names)?.split(", such as ")[0];
  const list = own ?? `one of ${codesOf(schema).join(", ")}`;
  return list === "one of " || list.length > longestList / 2 ? "" : ` (${list})`;
}

/** The codes that a value may have; none if it need not be a code. */
function codesOf(schema: JsonSchema | undefined): unknown[] {
  const { anyOf, oneOf = anyOf ?? [], enum: codes = [], const: only } = schema ?? {};
  const own = only === undefined ? codes : [only];
  return [...own, ...(schema?.["x-namespaced-enum"] ?? []), ...oneOf.flatMap(codesOf)];
}

/**
 * An example of what a value must be, if its words are not enough: of an object or an array all
 * mandatory members. Undefined if there is none.
 */
export function exampleOf(schema: JsonSchema, field: Field): unknown {
  if (wordOf(field.words, field.names) !== undefined) return undefined;
  if (schema.type === "object" || schema.type === "array") {
    return hasMembers(schema) ? exampleIn(schema, field) : undefined;
  }
  const words = wordsFor(schema, field);
  const isOpen = /^(an? (string|number|integer)\b)/.test(words) && !words.includes("such as");
  return isOpen ? wordOf(standardExamples, field.names) : undefined;
}

const hasMembers = ({ required = [], items }: JsonSchema): boolean =>
  required.length > 0 || (items !== undefined && hasMembers(items));

function exampleIn(schema: JsonSchema, field: Field): unknown {
  if (schema.type === "array") {
    const item = schema.items && exampleIn(schema.items, field);
    return item === undefined ? undefined : [item];
  }
  if (schema.type === "object") {
    const { required = [], properties = {} } = schema;
    const members = required.map((name) => [
      name,
      exampleIn(properties[name] ?? {}, inside(field, name)),
    ]);
    return Object.fromEntries(members);
  }
  const words = wordOf(field.words, field.names) ?? "";
  const codes = /^one of (.+)$/.exec(words)?.[1]?.split(", ") ?? codesOf(schema);
  // the bank's own example comes first
  const known = /, such as (\S+)$/.exec(words)?.[1] ?? wordOf(standardExamples, field.names);
  return codes.length === 0 || codes.includes(known) ? known : codes[0];
}

/** What some patterns of the standard and of the sandbox's controls mean, with an example. */
const examples: Readonly<Record<string, string>> = {
  "^\\d{1,13}$|^\\d{1,13}\\.\\d{1,5}$":
    "an amount of 1 to 13 digits, and after a point the decimals of its currency, such as 10.00",
  "^[A-Z]{3,3}$": "three capital letters, such as GBP",
  "^[A-Z]{2,2}$": "two capital letters, such as GB",
  "^[A-Z]{3}$": "three capital letters, such as GBP",
  "^[A-Z]{2}$": "two capital letters, such as GB",
  "^[a-z](?:[a-z0-9-]{0,28}[a-z0-9])?$":
    "1 to 30 lower-case letters, digits and hyphens that begins with a letter and does not end with a hyphen, such as team-2",
  "^[a-z][a-z0-9]{0,15}$":
    "1 to 16 lower-case letters and digits that begins with a letter, such as amara",
  "^[a-z0-9][a-z0-9-]{0,15}$":
    "1 to 16 lower-case letters, digits and hyphens that does not begin with a hyphen, such as main",
  "^[\\w-]{1,40}$": "1 to 40 letters, digits, underscores and hyphens, such as contract-1",
  "^\\d{1,13}(\\.\\d{1,5})?$":
    "an amount of 1 to 13 digits, and after a point 1 to 5 decimals, such as 25.00",
  "^\\d{1,11}(\\.\\d{1,2})?$":
    "an amount of 1 to 11 digits, and after a point 1 or 2 decimals, such as 25.00",
  "^-?\\d{1,11}(\\.\\d{1,2})?$":
    "an amount of 1 to 11 digits, and after a point 1 or 2 decimals, with a minus if it is negative, such as -25.00",
  "^\\d{4}-\\d{2}-\\d{2}$": "a date, such as 2026-11-24",
  "^\\d{2}$": "two digits, such as 07",
  "^\\d{4}$": "four digits, such as 5712",
  "^0010\\d{10}$":
    "14 digits of sort code and account number that begin with 0010, such as 00100168372990",
  "^(\\d{14}|[A-Z]{2}\\d{2}[A-Z0-9]{1,30})$":
    "14 digits of sort code and account number, such as 08080021325698, or an IBAN",
  "^\\+\\d{1,3}-\\d{1,29}$": "a phone number, such as +44-7700900118",
  "^/api/open-banking/":
    "a path below /api/open-banking/, such as /api/open-banking/v4.0/aisp/accounts",
};

const expressions = new Map(
  Object.keys(examples).map((pattern) => [pattern, new RegExp(pattern, "u")]),
);

/** Names another value in words that end with one. */
function withValue(words: string, value: string): string {
  const [form, own, ...more] = words.split("such as ");
  return !own || own.includes(" ") || more.length > 0 ? words : `${form}such as ${value}`;
}

function describeText(schema: JsonSchema, { names }: Field): string {
  const { format, minLength, maxLength, pattern } = schema;
  const known = textOf(wordOf(standardExamples, names) ?? "");
  const codes = schema["x-namespaced-enum"] ?? [];
  if (codes.length > 0)
    return `a code with its namespace, such as ${codes.slice(0, 2).join(" or ")}`;
  if (format === "date-time") return "an existing date-time, such as 2026-11-21T09:30:00+00:00";
  if (format === "uri") {
    return `an absolute URI such as ${URL.canParse(known) ? known : "https://tpp.example/path"}`;
  }
  const example = examples[pattern ?? ""];
  // another field of the same form may want another value
  if (example !== undefined && expressions.get(pattern ?? "")?.test(known)) {
    return `a string with ${withValue(example, known)}`;
  }
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

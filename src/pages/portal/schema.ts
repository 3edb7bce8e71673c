/** The parts of JSON Schema that our OpenAPI documents use. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  nullable?: boolean;
  "x-namespaced-enum"?: unknown[];
  /** What the values mean. */
  "x-enumDescriptions"?: Record<string, string>;
};

/** Looks up a `$ref` in its document: a schema, parameter, body or response. */
export type Resolve = <T extends { $ref?: string }>(value: T) => T;

/** Follows `#/…` references in a document; anything else is returned as it is. */
export const resolver =
  (document: unknown): Resolve =>
  <T extends { $ref?: string }>(value: T): T => {
    let found = value;
    for (let hops = 0; found.$ref?.startsWith("#/") && hops < 8; hops += 1) {
      let at: unknown = document;
      for (const part of found.$ref.slice(2).split("/")) {
        const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
        at = (at as Record<string, unknown> | undefined)?.[key];
      }
      found = (at ?? {}) as T; // a document refers to what is of the sort it needs there
    }
    return found;
  };

const deepest = 10;

/** A property of an object, as the object's schema states it. */
export type Member = { name: string; given: Schema; required: boolean };

/** The members of an object, or of the objects in a list, with those of every allOf part. */
export function membersOf(given: Schema, resolve: Resolve): Member[] {
  const schema = resolve(given);
  if (schema.items) return membersOf(schema.items, resolve);
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    given: member,
    required: schema.required?.includes(name) ?? false,
  }));
  const parts = (schema.allOf ?? []).flatMap((part) => membersOf(part, resolve));
  const choices = (schema.oneOf ?? schema.anyOf ?? []).map(resolve);
  // the alternatives of an object differ little, so only the first is shown
  const chosen = choices.find((choice) => choice.properties);
  return [...own, ...parts, ...(chosen ? membersOf(chosen, resolve) : [])];
}

/** The number of properties of a schema, with those of the objects in it. */
export function sizeOf(given: Schema, resolve: Resolve, depth = 0): number {
  if (depth > deepest) return 0;
  return membersOf(given, resolve).reduce(
    (sum, member) => sum + 1 + sizeOf(member.given, resolve, depth + 1),
    0,
  );
}

/** The name of an object that a document defines once, also if it is in a list. */
export function titleOf(given: Schema, resolve: Resolve): string | null {
  if (given.$ref) return given.$ref.split("/").at(-1) ?? null;
  const { items, allOf } = given;
  if (items) return titleOf(items, resolve);
  // a reference may have no other keywords, so one with a description is wrapped
  return allOf?.length === 1 && allOf[0] ? titleOf(allOf[0], resolve) : null;
}

/** A schema's type in words: `list of string`. */
export function typeText(given: Schema, resolve: Resolve): string {
  const schema = resolve(given);
  if (schema.items) return `list of ${typeText(schema.items, resolve)}`;
  if (schema.properties || schema.allOf) return "object";
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type;
  const text = schema.format ?? type ?? (valuesOf(schema) ? "string" : "any");
  return schema.nullable ? `${text} or null` : text;
}

/** The values of a code set: an enum, a constant, or several of these. Null if there is none. */
export function valuesOf(schema: Schema): unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum;
  if (schema["x-namespaced-enum"]) return schema["x-namespaced-enum"];
  if (schema.items) return valuesOf(schema.items);
  const choices = (schema.anyOf ?? schema.oneOf)?.map(valuesOf);
  return choices?.every((values) => values !== null) ? choices.flat() : null;
}

/** A value to start from: the mandatory members, with examples if there are any. */
export const sampleOf = (given: Schema, resolve: Resolve): unknown =>
  shownValue(given, resolve, (members) => members.filter(({ required }) => required));

/**
 * A value as an answer has it: the mandatory members and those with an example. An object without
 * such members has its first list or, without a list, its first object.
 */
export const answerOf = (given: Schema, resolve: Resolve): unknown =>
  shownValue(given, resolve, (members) => {
    const kept = members.filter(
      (member) => member.required || resolve(member.given).example !== undefined,
    );
    if (kept.length > 0) return kept;
    const list = members.find((member) => resolve(member.given).items);
    const part = list ?? members.find((member) => membersOf(member.given, resolve).length > 0);
    return part ? [part] : [];
  });

const ofFormats: Readonly<Record<string, string>> = {
  "date-time": "2027-01-31T00:00:00Z",
  uri: "https://tpp.example/path",
};

type Choose = (members: readonly Member[]) => readonly Member[];

function shownValue(given: Schema, resolve: Resolve, choose: Choose, depth = 0): unknown {
  const schema = resolve(given);
  const ready = schema.example ?? schema.examples?.[0] ?? schema.default;
  if (ready !== undefined) return ready;
  const values = valuesOf(schema);
  if (values && !schema.items) return values[0];
  if (schema.items)
    return depth < deepest ? [shownValue(schema.items, resolve, choose, depth + 1)] : [];
  const [part, ...parts] = schema.allOf ?? [];
  // a reference with a description is wrapped
  if (part && parts.length === 0 && !schema.properties)
    return shownValue(part, resolve, choose, depth);
  const members = membersOf(schema, resolve);
  if (members.length > 0) {
    if (depth > deepest) return {};
    const entries = choose(members).map((member) => [
      member.name,
      shownValue(member.given, resolve, choose, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
  // one of the codes, where a text of another form is allowed too
  const codes = (schema.anyOf ?? schema.oneOf)?.map(valuesOf).find((found) => found !== null);
  if (codes) return codes[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object" || schema.properties) return {};
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 0;
  return schema.format === undefined ? "" : (ofFormats[schema.format] ?? "");
}

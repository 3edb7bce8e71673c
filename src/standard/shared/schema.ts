import Type, { type TProperties, type TSchema, type TSchemaOptions } from "typebox";

/** An object that refuses members it does not name. */
export const closed = <Properties extends TProperties>(
  properties: Properties,
  options: TSchemaOptions = {},
) => Type.Object(properties, { ...options, additionalProperties: false });

/** An object in which members that it does not name are tolerated. */
export const open = <Properties extends TProperties>(
  properties: Properties,
  options: TSchemaOptions = {},
) => Type.Object(properties, options);

/** A text of 1 to `maxLength` characters. */
export const text = (maxLength: number, options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength, ...options });

/** One of a closed list of words. */
export const oneOf = <const Word extends string>(
  words: readonly Word[],
  options: TSchemaOptions = {},
) => Type.Enum<Word[]>([...words], { type: "string", ...options });

/**
 * A string from an open list: the standard knows these values, and a bank may add others in its own
 * namespace. The schema does not check which values a bank supports. Source: PISP profile,
 * Identifier Fields.
 */
export const namespaced = (words: readonly string[], options: TSchemaOptions = {}) =>
  Type.String({ "x-namespaced-enum": [...words], ...options });

/** A date-time: any ISO 8601 form in requests, RFC 3339 with an offset in responses. */
export const dateTime = (options: TSchemaOptions = {}) =>
  Type.String({ format: "date-time", ...options });

/** Copies a schema, and at every depth replaces the texts' pattern `from` by `to`. */
export const replacePattern = <Schema extends TSchema>(
  schema: Schema,
  from: string,
  to: string,
): Schema => changeNodes(schema, ({ pattern }) => (pattern === from ? { pattern: to } : {}));

/** Copies a schema, and at every depth limits the arrays that have no `maxItems`. */
export const limitArrays = <Schema extends TSchema>(schema: Schema, maxItems: number): Schema =>
  changeNodes(schema, ({ type, maxItems: own }) =>
    type === "array" && own === undefined ? { maxItems } : {},
  );

type Node = Readonly<Record<string, unknown>>;

function changeNodes<Schema extends TSchema>(schema: Schema, change: (node: Node) => Node): Schema {
  const copy = (node: unknown): unknown => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map(copy);
    // with the marks of TypeBox, which are not enumerable
    const marked = Object.defineProperties({}, Object.getOwnPropertyDescriptors(node));
    const members = Object.entries(node).map(([name, value]) => [name, copy(value)]);
    return Object.assign(marked, Object.fromEntries(members), change(node as Node));
  };
  // safe: neither change shows in a schema's type
  return copy(schema) as Schema;
}

import type { JsonSchema } from "#src/http/body/field-words.ts";
import { cut } from "./cut.ts";

/** Node refuses headers of more than 16 kB in all, and the path is among them. */
export const inHeader = 11_000;

/** A text as it can stand in a header. */
export const headerText = (text: string): string =>
  cut(text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?"), inHeader);

/** A text as it can stand in a URL, where a character may need nine. */
export const inUrl = (text: string): string =>
  encodeURIComponent(cut(text, Math.floor(inHeader / 9)).toWellFormed());

/** The place of a member in a body. A number is the place in an array. */
export type TextPath = readonly (string | number)[];

/**
 * Lists the texts of a schema: every member of type string, and an amount in each object that takes
 * any members.
 */
export function listTexts(schema: object): TextPath[] {
  const found = new Map<string, TextPath>();
  collect(schema as JsonSchema, [], found);
  return [...found.values()];
}

function collect(schema: JsonSchema, path: TextPath, found: Map<string, TextPath>): void {
  const { type, properties, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  for (const branch of [...anyOf, ...oneOf, ...allOf]) collect(branch, path, found);
  if (items) collect(items, [...path, 0], found);
  for (const [name, member] of Object.entries(properties ?? {})) {
    collect(member, [...path, name], found);
  }
  const isOpen = type === "object" && Object.keys(properties ?? {}).length === 0;
  const text = isOpen ? [...path, "Amount"] : path;
  const isText = type === "string" || typeof (schema.const ?? schema.enum?.[0]) === "string";
  if (isOpen || isText) found.set(text.join("."), text);
}

type Container = Record<string | number, unknown>;

/** Puts a text into a body, with the objects and arrays on the way to it. */
export function withText(body: unknown, path: TextPath, text: string): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return text;
  const empty: Container = typeof name === "number" ? ([] as unknown as Container) : {};
  const whole = typeof body === "object" && body !== null ? (body as Container) : empty;
  whole[name] = withText(whole[name], rest, text);
  return whole;
}

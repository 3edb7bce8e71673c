import { countOf, textOf } from "#src/lib/plain-text.ts";
import type { Property } from "./blocks.ts";
import type { CodeSets } from "./code-sets.ts";
import { code } from "./inline.ts";
import {
  type Member,
  membersOf,
  type Resolve,
  type Schema,
  sizeOf,
  titleOf,
  typeText,
  valuesOf,
} from "./schema.ts";

/** What the properties of one page need. */
export type PropertyPage = {
  resolve: Resolve;
  codes: CodeSets;
  path: string;
  title: string;
  /** The address of the page of an object that is too large for this one. */
  objectAddress(name: string, schema: Schema): string;
  /** The anchors of the objects that the page has shown. */
  shown: Map<string, string>;
};

/** The most properties that a page shows of a body as a whole. */
const wholeBody = 90;
/** The most properties that a shared object may have to be shown where it is used. */
const wholeObject = 15;
/** The same of a part of a body that is shown in parts. */
const wholePart = 25;
/** The most values that a property lists itself. */
const fewValues = 5;

type Place = { page: PropertyPage; size: number; name: string; anchor: string };

/** The properties of a body or an object; `anchor` begins their ids, `name` those of its parts. */
export function propertiesOf(
  page: PropertyPage,
  schema: Schema,
  { name, anchor }: { name: string; anchor: string },
): Property[] {
  const size = sizeOf(schema, page.resolve);
  return rowsOf(schema, { page, size, name, anchor });
}

const rowsOf = (schema: Schema, place: Place): Property[] =>
  membersOf(schema, place.page.resolve).map((member) => rowOf(member, place));

function rowOf({ name, given, required }: Member, place: Place): Property {
  const { page } = place;
  const schema = page.resolve(given);
  const anchor = `${place.anchor}.${name}`;
  const row = {
    name,
    id: anchor,
    required,
    about: describedBy(given, schema),
    facts: factsOf(name, schema, page),
  };
  const type = typeText(given, page.resolve);
  const size = sizeOf(given, page.resolve);
  if (size === 0) return { ...row, type, children: [] };
  const key = JSON.stringify(membersOf(given, page.resolve));
  const earlier = page.shown.get(key);
  if (size > 2 && earlier) return { ...row, type: `[${type} as above](#${earlier})`, children: [] };
  const title = titleOf(given, page.resolve);
  const partName = `${place.name}.${name}`;
  if (isApart(size, place.size, title !== null)) {
    const address = page.objectAddress(title ?? partName, given);
    return {
      ...row,
      type: `[${type}: ${countOf(size, "property", "properties")}](${address})`,
      children: [],
    };
  }
  page.shown.set(key, anchor);
  const inside = { page, size: place.size, name: title ?? partName, anchor };
  return { ...row, type, children: rowsOf(schema, inside) };
}

/** Whether an object has a page of its own: not if it is nearly the whole body. */
const isApart = (size: number, ofBody: number, isShared: boolean): boolean =>
  size < ofBody * 0.7 &&
  ((isShared && size > wholeObject) || (ofBody > wholeBody && size > wholePart));

/** The sentence beside a reference counts more than that of the object. */
const describedBy = (given: Schema, schema: Schema): string =>
  given.description ?? schema.description ?? "";

function factsOf(name: string, schema: Schema, page: PropertyPage): string[] {
  const of = schema.items ? page.resolve(schema.items) : schema;
  return [
    range(of.minLength, of.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    of.pattern ? code(of.pattern) : null,
    valuesText(name, of, page),
    of.default === undefined ? null : `default ${code(textOf(of.default))}`,
    exampleText(of.example),
  ].filter((text) => text !== null);
}

function range(least: number | undefined, most: number | undefined, unit: string): string | null {
  if (least === undefined && most === undefined) return null;
  if (most === undefined) return `at least ${least} ${unit}`;
  if (least === most) return `exactly ${most} ${unit}`;
  return (least ?? 0) > 1 ? `${least} to ${most} ${unit}` : `up to ${most} ${unit}`;
}

function valuesText(name: string, schema: Schema, page: PropertyPage): string | null {
  const values = valuesOf(schema);
  if (!values) return null;
  const words = schema["x-enumDescriptions"] ?? {};
  const hasWords = Object.keys(words).length > 0;
  if (values.length <= (hasWords ? 1 : fewValues)) {
    const listed = values.map((value) => code(textOf(value))).join(", ");
    return values.length === 1 ? `always ${listed}` : `one of ${listed}`;
  }
  return `[one of ${countOf(values.length, "code", "codes")}](${page.codes.addressOf(name, values, words, page)})`;
}

const exampleText = (example: unknown): string | null =>
  example === undefined || (example !== null && typeof example === "object")
    ? null
    : `for example ${code(textOf(example))}`;

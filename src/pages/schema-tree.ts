import { textOf } from "#src/lib/plain-text.ts";
import { type Html, html, withCode } from "./html.ts";

/** The parts of JSON Schema that our OpenAPI documents use. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  title?: string;
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

/** A schema as a list that can be opened level by level; the first level is open. */
export function schemaTree(schema: Schema, resolve: Resolve): Html {
  const children = membersOf(resolve(schema), resolve);
  if (children.length === 0) return html`<p>${describe(resolve(schema))}</p>`;
  return html`<ul class="tree">${children.map((member) => branch(member, resolve, 1))}</ul>`;
}

type Member = { name: string; schema: Schema; required: boolean };

// The members of an object, or of the objects in a list, with those of every allOf part.
function membersOf(given: Schema, resolve: Resolve): Member[] {
  const schema = resolve(given);
  if (schema.items) return membersOf(schema.items, resolve);
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    schema: resolve(member),
    required: schema.required?.includes(name) ?? false,
  }));
  const parts = (schema.allOf ?? []).flatMap((part) => membersOf(part, resolve));
  const choices = (schema.oneOf ?? schema.anyOf ?? []).map(resolve);
  // the alternatives of an object differ little, so only the first is shown
  const chosen = choices.find((choice) => choice.properties);
  return [...own, ...parts, ...(chosen ? membersOf(chosen, resolve) : [])];
}

function branch({ name, schema, required }: Member, resolve: Resolve, depth: number): Html {
  const heading = html`<code>${name}</code> <span class="type">${typeText(schema, resolve)}</span>${
    required ? html` <span class="required">required</span>` : null
  }`;
  const children = depth < deepest ? membersOf(schema, resolve) : [];
  if (children.length === 0) return html`<li>${heading}${describe(schema)}</li>\n`;
  const open = depth < 2 ? html` open` : null;
  return html`<li><details${open}><summary>${heading}</summary>${describe(schema)}
<ul>${children.map((child) => branch(child, resolve, depth + 1))}</ul></details></li>
`;
}

function typeText(schema: Schema, resolve: Resolve): string {
  if (schema.items) return `list of ${typeText(resolve(schema.items), resolve)}`;
  if (schema.properties || schema.allOf) return "object";
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type;
  if (schema.format) return schema.format;
  return type ?? (valuesOf(schema) ? "string" : "any");
}

// A code set is an enum, a constant, or several of these.
function valuesOf(schema: Schema): unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum;
  const choices = (schema.anyOf ?? schema.oneOf)?.map(valuesOf);
  return choices?.every((values) => values !== null) ? choices.flat() : null;
}

function describe(schema: Schema): Html | null {
  const values = valuesOf(schema);
  const limits = [
    schema.minLength !== undefined || schema.maxLength !== undefined
      ? `${schema.minLength ?? 0}–${schema.maxLength ?? "…"} characters`
      : null,
    schema.minItems !== undefined || schema.maxItems !== undefined
      ? `${schema.minItems ?? 0}–${schema.maxItems ?? "…"} items`
      : null,
  ].filter((text) => text !== null);
  const pattern = schema.pattern ? html`<code>${schema.pattern}</code>` : null;
  if (!values && limits.length === 0 && !pattern && !schema.description) return null;
  const about = schema.description ? html`<p>${withCode(schema.description)}</p>` : null;
  return html`<div class="facts">${about}
${limits.length > 0 && html`<p>${limits.join(", ")}</p>`}${pattern && html`<p>${pattern}</p>`}
${values && valueList(values)}</div>`;
}

function valueList(values: unknown[]): Html {
  const codes = values.map((value) => html`<code>${textOf(value)}</code> `);
  if (values.length <= 12) return html`<p>${codes}</p>`;
  return html`<details><summary>${values.length} values</summary><p>${codes}</p></details>`;
}

/** A value to start from: the mandatory members, with examples if there are any. */
export function sampleOf(given: Schema, resolve: Resolve, depth = 0): unknown {
  const schema = resolve(given);
  const ready = schema.example ?? schema.examples?.[0] ?? schema.default;
  if (ready !== undefined) return ready;
  const values = valuesOf(schema);
  if (values) return values[0];
  if (schema.items) return depth < deepest ? [sampleOf(schema.items, resolve, depth + 1)] : [];
  const members = membersOf(schema, resolve);
  if (members.length > 0) {
    const entries = members
      .filter((member) => member.required)
      .map((member) => [member.name, sampleOf(member.schema, resolve, depth + 1)]);
    return Object.fromEntries(entries);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") return {};
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 0;
  return schema.format === "date-time" ? "2027-01-31T00:00:00Z" : "";
}

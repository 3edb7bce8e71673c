import { jsonOf, type OpenApi } from "./compare-with-published.ts";

type Json = { readonly [name: string]: unknown };

/** A published operation that returns data as JSON. */
export type PublishedRead = {
  /** `/accounts/{AccountId}/balances` */
  path: string;
  /** The schema of the member `Data` of its response. */
  data: Json;
};

/** Lists the published operations that return data as JSON. */
export function listReads(document: OpenApi): PublishedRead[] {
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    const responses = objectOf(get?.responses);
    const body = jsonOf(resolve(responses["200"], document).content).schema;
    const data = propertiesOf(resolve(body, document)).Data;
    return data === undefined ? [] : [{ path, data: resolve(data, document) }];
  });
}

/** Lists the members of a schema with all members below them: `Balance.Amount.Currency`. */
export function listMembers(schema: unknown, document: OpenApi): string[] {
  const { items, ...resolved } = resolve(schema, document);
  const own = Object.entries(propertiesOf(resolved)).flatMap(([name, member]) => [
    name,
    ...listMembers(member, document).map((below) => `${name}.${below}`),
  ]);
  return items === undefined ? own : [...own, ...listMembers(items, document)];
}

/** Lists the members of a body in the same form, without those inside free-form objects. */
export function listShown(body: unknown, isFree: (name: string) => boolean): string[] {
  if (Array.isArray(body)) return body.flatMap((item) => listShown(item, isFree));
  return Object.entries(objectOf(body)).flatMap(([name, value]) => [
    name,
    ...(isFree(name) ? [] : listShown(value, isFree).map((below) => `${name}.${below}`)),
  ]);
}

/** Makes a value with every member of a schema. */
export function makeWhole(schema: unknown, document: OpenApi): unknown {
  const { type, items, format, pattern, ...resolved } = resolve(schema, document);
  const [first] = Array.isArray(resolved.enum) ? resolved.enum : [];
  if (first !== undefined) return first;
  if (type === "array") return [makeWhole(items, document)];
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return 1;
  if (type === "string") {
    const texts = ["2026-10-15T09:00:00Z", "A", "1", "1.00", "GB", "GBP", "\\"];
    const some = format === "date-time" ? texts.slice(0, 1) : texts.slice(1);
    const text = some.find((one) => new RegExp(String(pattern ?? "")).test(one));
    if (text === undefined) throw new Error(`no text matches ${pattern}`);
    return text;
  }
  const members = Object.entries(propertiesOf(resolved));
  return Object.fromEntries(members.map(([name, member]) => [name, makeWhole(member, document)]));
}

const propertiesOf = (schema: Json): Json => objectOf(schema.properties);

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};

function resolve(value: unknown, document: OpenApi): Json {
  const { $ref, ...own } = objectOf(value);
  if (typeof $ref !== "string") return own;
  const names = $ref.split("/").slice(1);
  return resolve(
    names.reduce<unknown>((node, name) => objectOf(node)[name], document),
    document,
  );
}

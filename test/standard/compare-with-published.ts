import { isDeepStrictEqual } from "node:util";

type Json = { readonly [name: string]: unknown };

/** The part of an OpenAPI document that is compared. */
export type OpenApi = Json & { paths: Record<string, Record<string, Json>> };

/**
 * One difference. `at` names the operation by its operationId, then the place in it:
 * `CreateDomesticPayments 201 body Data.Initiation required`.
 */
export type Difference = { at: string; ours: unknown; published: unknown };

const methods = ["get", "post", "put", "patch", "delete"];

/**
 * Compares every operation of our document with the published operation of the same operationId.
 */
export function compareWithPublished(ours: OpenApi, ...published: OpenApi[]): Difference[] {
  const all = published.flatMap((document) => [...listOperations(document)]);
  const theirs = new Map(all.map((entry) => [entry.id, entry]));
  return [...listOperations(ours)].flatMap((mine) => {
    const their = theirs.get(mine.id);
    if (!their) return [{ at: mine.id, ours: "an operation", published: undefined }];
    return [
      ...compareValue(`${mine.id} path`, mine.path, their.path),
      ...compareValue(`${mine.id} method`, mine.method, their.method),
      ...compareValue(`${mine.id} security`, mine.operation.security, their.operation.security),
      ...compareParameters(mine, their),
      ...compareRequests(mine, their),
      ...compareResponses(mine, their),
    ];
  });
}

type Entry = { id: string; path: string; method: string; operation: Json; document: OpenApi };

function* listOperations(document: OpenApi): Generator<Entry> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation) yield { id: String(operation.operationId), path, method, operation, document };
    }
  }
}

function compareParameters(mine: Entry, their: Entry): Difference[] {
  const byName = ({ operation, document }: Entry) =>
    new Map(
      listOf(operation.parameters).map((given) => {
        const parameter = resolve(given, document);
        // only header names are case-insensitive
        const name = String(parameter.name);
        return [
          `${parameter.in} ${parameter.in === "header" ? name.toLowerCase() : name}`,
          parameter,
        ];
      }),
    );
  return compareMaps(`${mine.id} parameter`, byName(mine), byName(their), (at, a, b) => [
    ...compareValue(`${at} required`, a.required ?? false, b.required ?? false),
    ...compareSchemas(at, a.schema, mine.document, b.schema, their.document),
  ]);
}

function compareResponses(mine: Entry, their: Entry): Difference[] {
  const byStatus = ({ operation, document }: Entry) =>
    new Map(
      Object.entries(objectOf(operation.responses)).map(([status, given]) => [
        status,
        resolve(given, document),
      ]),
    );
  return compareMaps(`${mine.id} status`, byStatus(mine), byStatus(their), (_, a, b, status) => [
    ...compareHeaders(`${mine.id} ${status} header`, a, mine.document, b, their.document),
    ...compareContent(`${mine.id} ${status}`, a, mine.document, b, their.document),
  ]);
}

function compareHeaders(at: string, a: Json, ours: OpenApi, b: Json, theirs: OpenApi) {
  const byName = (response: Json, document: OpenApi) =>
    new Map(
      Object.entries(objectOf(response.headers)).map(([name, given]) => [
        name.toLowerCase(),
        resolve(given, document),
      ]),
    );
  return compareMaps(at, byName(a, ours), byName(b, theirs), (here, mine, their) => [
    ...compareValue(`${here} required`, mine.required ?? false, their.required ?? false),
    ...compareSchemas(here, mine.schema, ours, their.schema, theirs),
  ]);
}

function compareRequests(mine: Entry, their: Entry): Difference[] {
  const at = `${mine.id} request`;
  const a = resolve(mine.operation.requestBody, mine.document);
  const b = resolve(their.operation.requestBody, their.document);
  return [
    ...compareValue(`${at} required`, a.required ?? false, b.required ?? false),
    ...compareContent(at, a, mine.document, b, their.document),
  ];
}

/** The content in JSON: some published files name its charset. */
export function jsonOf(content: unknown): Json {
  const types = Object.entries(objectOf(content));
  return objectOf(types.find(([type]) => /^application\/json *(;|$)/.test(type))?.[1]);
}

function compareContent(at: string, a: Json, ours: OpenApi, b: Json, theirs: OpenApi) {
  const schemaOf = (body: Json) => jsonOf(body.content).schema;
  const [mine, their] = [schemaOf(a), schemaOf(b)];
  if (mine === undefined && their === undefined) return [];
  if (mine === undefined || their === undefined) {
    return compareValue(`${at} body`, presence(mine), presence(their));
  }
  return compareSchemas(`${at} body`, mine, ours, their, theirs);
}

const presence = (value: unknown) => (value === undefined ? "absent" : "present");

const keywords = [
  ...["type", "format", "pattern", "minLength", "maxLength", "minimum", "maximum"],
  ...["minItems", "maxItems", "uniqueItems", "minProperties"],
];
const setKeywords = ["enum", "x-namespaced-enum", "required"];

function compareSchemas(
  at: string,
  ours: unknown,
  ourDocument: OpenApi,
  published: unknown,
  theirDocument: OpenApi,
): Difference[] {
  const a = flatten(ours ?? {}, ourDocument);
  const b = flatten(published ?? {}, theirDocument);
  const differences = [
    ...keywords.flatMap((name) => compareValue(`${at} ${name}`, a[name], b[name])),
    ...setKeywords.flatMap((name) => compareValue(`${at} ${name}`, asSet(a[name]), asSet(b[name]))),
    ...compareValue(
      `${at} closed`,
      a.additionalProperties === false,
      b.additionalProperties === false,
    ),
  ];
  const compare = (here: string, mine: unknown, their: unknown) =>
    compareSchemas(here, mine, ourDocument, their, theirDocument);
  differences.push(
    ...compareMaps(at, mapOf(a.properties), mapOf(b.properties), (_, mine, their, name) =>
      compare(
        / (parameter|header|body)$/.test(at) ? `${at} ${name}` : `${at}.${name}`,
        mine,
        their,
      ),
    ),
  );
  if (a.items !== undefined || b.items !== undefined) {
    differences.push(...compare(`${at}[]`, a.items, b.items));
  }
  for (const name of ["anyOf", "oneOf"]) {
    const [mine, their] = [listOf(a[name]), listOf(b[name])];
    differences.push(...compareValue(`${at} ${name} count`, mine.length, their.length));
    for (const [index, branch] of mine.entries()) {
      if (index < their.length)
        differences.push(...compare(`${at}<${index}>`, branch, their[index]));
    }
  }
  return differences;
}

/** Returns a schema without references and `allOf`. */
function flatten(schema: unknown, document: OpenApi): Json {
  const { allOf, ...own } = resolve(schema, document);
  return listOf(allOf)
    .map((part) => flatten(part, document))
    .reduce<Json>((all, part) => merge(all, part), own);
}

const merge = (a: Json, b: Json): Json => ({
  ...a,
  ...b,
  ...(a.properties || b.properties
    ? { properties: { ...objectOf(a.properties), ...objectOf(b.properties) } }
    : {}),
  ...(a.required || b.required ? { required: [...listOf(a.required), ...listOf(b.required)] } : {}),
});

function resolve(value: unknown, document: OpenApi): Json {
  const { $ref } = objectOf(value);
  if (typeof $ref !== "string") return objectOf(value);
  const target = $ref
    .split("/")
    .slice(1)
    .reduce<unknown>((node, name) => objectOf(node)[name.replaceAll("~1", "/")], document);
  if (target === undefined) throw new Error(`${$ref} leads nowhere`);
  return resolve(target, document);
}

function compareMaps(
  at: string,
  ours: ReadonlyMap<string, Json>,
  published: ReadonlyMap<string, Json>,
  compare: (at: string, ours: Json, published: Json, name: string) => Difference[],
): Difference[] {
  return [...new Set([...ours.keys(), ...published.keys()])].flatMap((name) => {
    const [mine, their] = [ours.get(name), published.get(name)];
    const here = `${at} ${name}`;
    if (mine && their) return compare(here, mine, their, name);
    return compareValue(here, presence(mine), presence(their));
  });
}

const compareValue = (at: string, ours: unknown, published: unknown): Difference[] =>
  isDeepStrictEqual(ours, published) ? [] : [{ at, ours, published }];

const asSet = (value: unknown) =>
  value === undefined ? undefined : [...new Set(listOf(value))].sort();
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const mapOf = (value: unknown) =>
  new Map(Object.entries(objectOf(value)).map(([k, v]) => [k, objectOf(v)]));
const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};

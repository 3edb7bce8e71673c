import Type, { type TSchema } from "typebox";
import { appJourneyRows } from "#src/channels/app-journey-rows.ts";
import type { AppJourneys } from "#src/channels/app-journey-shapes.ts";
import type { ConsentChannel } from "#src/channels/consent-channel.ts";
import { channelsPath, consentRows } from "#src/channels/consent-rows.ts";
import { describeProperties } from "#src/http/describe-properties.ts";
import type { InterfaceRow } from "#src/http/interface-row.ts";
import { SchemaComponents } from "#src/http/openapi.ts";
import { capitalised, textOf } from "#src/lib/plain-text.ts";
import {
  answerOf,
  type Resolve,
  resolver,
  type Schema,
  sampleOf,
} from "#src/pages/portal/schema.ts";
import { wordOf } from "#src/standard/descriptions/property-words.ts";
import { controlRows } from "./interface.ts";
import { interfaceExamples } from "./interface-examples.ts";
import { sandboxSamples } from "./interface-samples.ts";
import { interfaceDescriptions } from "./interface-words.ts";

// OpenAPI 3.0 has no `const`, no type `null` and no `patternProperties`, so the schemas are
// rewritten. Every object gets a name, so that generated clients have types for all of them. Names
// do not end in `Response`, and none is `Client`, because generated Go clients have such types.

type Node = {
  [keyword: string]: unknown;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
};

// Go clients have types `Client` and `CreateTppResponse` of their own, so no schema is called so.
const refused = Type.Object(
  {
    message: Type.String(),
    faults: Type.Array(Type.String()),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          { code: Type.String(), path: Type.String(), message: Type.String() },
          { title: "RefusalError" },
        ),
      ),
    ),
  },
  { title: "Refusal" },
);

// the sandbox of the examples
const exampleAddress = "http://localhost:8080";

/** The addresses of a sandbox. The worlds that it opens have other ports of its host. */
type ShownAddresses = { publicUrl: string; mtlsUrl: string; opensWorlds: boolean };

/** The OpenAPI document of the sandbox's own interface. */
export function sandboxOpenApi(addresses: ShownAddresses): object {
  const { publicUrl } = addresses;
  const document = interfaceOpenApi(controlRows, {
    title: "Aldgate sandbox",
    url: `${publicUrl}/sandbox/v1`,
    tag: "Sandbox",
    whoMayCall: "the controls",
  });
  // the examples can be used at the bank that shows them
  let text = JSON.stringify(document);
  for (const [example, shown] of ownAddresses(addresses)) text = text.replaceAll(example, shown);
  return JSON.parse(text);
}

/** What is shown in place of each address of the examples. */
function ownAddresses({ publicUrl, mtlsUrl, opensWorlds }: ShownAddresses): [string, string][] {
  const worldUrl = String(interfaceExamples.publicUrl);
  const worldMtlsUrl = String(interfaceExamples.mtlsUrl);
  const ofWorld = (own: string, example: string): string =>
    opensWorlds ? Object.assign(new URL(own), { port: new URL(example).port }).origin : own;
  return [
    [worldUrl, ofWorld(publicUrl, worldUrl)],
    [worldMtlsUrl, ofWorld(mtlsUrl, worldMtlsUrl)],
    [exampleAddress, publicUrl],
  ];
}

/** The OpenAPI document of the interface for the bank's own channels. */
export const channelsOpenApi = (managementUrl: string): object =>
  interfaceOpenApi<ChannelFunctions>([...consentRows, ...appJourneyRows], {
    title: "Aldgate for the bank's own channels",
    url: `${managementUrl}${channelsPath}`,
    tag: "Consents",
    whoMayCall: "this interface",
  });

type ChannelFunctions = ConsentChannel & { journeys: AppJourneys };

type Described = { title: string; url: string; tag: string; whoMayCall: string };

function interfaceOpenApi<Functions>(
  rows: readonly InterfaceRow<Functions>[],
  described: Described,
): object {
  const schemas = new SchemaComponents();
  const paths: Record<string, Record<string, object>> = {};
  for (const row of rows) {
    const [method, url] = row.route;
    const path = url.replace(/:(\w+)/g, "{$1}");
    const item = paths[path] ?? {};
    paths[path] = item;
    item[method.toLowerCase()] = describe(row, path, schemas, described);
  }
  const document = {
    openapi: "3.0.3",
    info: { title: described.title, version: "1" },
    servers: [{ url: described.url }],
    paths,
    components: { schemas: schemas.all() },
  };
  const whole = describeProperties(document, {
    descriptions: interfaceDescriptions,
    examples: interfaceExamples,
    values: {},
  });
  const resolve = resolver(whole);
  for (const item of Object.values(whole.paths as typeof paths)) {
    for (const operation of Object.values(item))
      addExamples(operation as DescribedOperation, resolve);
  }
  return whole;
}

type Content = { "application/json": { schema: Schema; example?: unknown } };

type DescribedOperation = {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content: Content }>;
};

/** Gives the bodies of an operation the examples that its page in the portal shows. */
function addExamples(
  { operationId, requestBody, responses }: DescribedOperation,
  resolve: Resolve,
): void {
  if (requestBody) {
    const body = requestBody.content["application/json"];
    body.example = withIds(sandboxSamples[operationId] ?? sampleOf(body.schema, resolve));
  }
  for (const [status, { content }] of Object.entries(responses)) {
    const body = content["application/json"];
    if (status.startsWith("2")) body.example = answerOf(body.schema, resolve);
  }
}

/** The ids that a page lets its reader fill in are those of examples. */
const withIds = (sample: unknown): unknown =>
  JSON.parse(
    JSON.stringify(sample, (name, value: unknown) =>
      value === "" ? (wordOf(interfaceExamples, [name]) ?? value) : value,
    ),
  );

function describe(
  row: Omit<InterfaceRow<never>, "handle">,
  path: string,
  schemas: SchemaComponents,
  { tag, whoMayCall }: Described,
): object {
  const json = (schema: TSchema, name: string) => ({
    // safe: naming and rewriting keep a schema a schema
    content: {
      "application/json": { schema: schemas.refer(named(schema as Node, name) as TSchema) },
    },
  });
  const name = capitalised(row.operationId);
  const refusal = json(refused, "Refusal");
  const type = { schema: { type: "string" } };
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
      name: parameter,
      in: "path",
      required: true,
      ...type,
    })),
    ...Object.entries(row.query ?? {}).map(([parameter, description]) => ({
      name: parameter,
      in: "query",
      ...(row.needsQuery ? { required: true } : {}),
      description,
      ...type,
    })),
  ];
  return {
    operationId: row.operationId,
    summary: row.summary,
    tags: [tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.request
      ? { requestBody: { required: true, ...json(row.request, `${name}Request`) } }
      : {}),
    responses: {
      [row.response.status]: {
        description: "Done.",
        ...json(row.response.schema, `${name}Result`),
      },
      400: { description: "The request is not valid.", ...refusal },
      401: { description: `The token of ${whoMayCall} is missing or wrong.`, ...refusal },
      403: { description: `The caller may not use ${whoMayCall}.`, ...refusal },
      404: { description: "The resource does not exist.", ...refusal },
      409: { description: "The resource's current state does not allow this.", ...refusal },
      ...(row.request ? { 415: { description: "The body is not JSON.", ...refusal } } : {}),
    },
  };
}

/**
 * Rewrites a schema for OpenAPI 3.0. An object without a title is named after its operation and the
 * members that lead to it.
 */
function named(schema: Node, name: string): Node {
  const { patternProperties, anyOf, ...rest } = schema;
  if (anyOf) return choice(anyOf, rest, name);
  if (schema.items) return { ...rest, items: named(schema.items, `${name}Item`) };
  if (patternProperties)
    return { ...rest, additionalProperties: Object.values(patternProperties)[0] };
  if (!schema.properties) return rest;
  const properties = Object.entries(schema.properties).map(([member, value]) => [
    member,
    named(value, `${textOf(schema.title ?? name)}${capitalised(member)}`),
  ]);
  return { title: name, ...rest, properties: Object.fromEntries(properties) };
}

/** A choice of words is an enum, and a choice with null is nullable. */
function choice(branches: Node[], rest: Node, name: string): Node {
  const others = branches.filter(({ type }) => type !== "null");
  const nullable = others.length < branches.length ? { nullable: true } : {};
  if (others.every((branch) => "const" in branch)) {
    return { ...rest, type: "string", enum: others.map((branch) => branch.const), ...nullable };
  }
  const choices = others.map((branch) => named(branch, name));
  const [only] = choices;
  if (!only || choices.length > 1) return { ...rest, anyOf: choices, ...nullable };
  // a reference may have no other keywords, so a named schema is wrapped
  return only.properties
    ? { ...rest, allOf: [only], ...nullable }
    : { ...only, ...rest, ...nullable };
}

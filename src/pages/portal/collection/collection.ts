import { capitalised } from "#src/lib/plain-text.ts";
import {
  type ListedDocument,
  resourcesOf,
  type ShownOperation,
  type ShownResource,
} from "#src/pages/portal/api-document.ts";
import { isFile } from "#src/pages/portal/resource.ts";
import {
  membersOf,
  type Resolve,
  resolver,
  type Schema,
  sampleOf,
} from "#src/pages/portal/schema.ts";

// The requests of a Postman or Bruno collection. They are made from what the pages of the portal
// are made from. A request that makes something keeps its id in a variable, and the requests after
// it use that variable, so the whole collection runs from the first request to the last.

/** A value that later requests need: where it is in the answer, and the variable that keeps it. */
export type Kept = { variable: string; path: readonly (string | number)[] };

/** A request of a collection. `{{name}}` is a variable. */
export type CollectionRequest = {
  id: string;
  name: string;
  method: string;
  /** With the API's base path. */
  path: string;
  /** Query parameters that may be sent. */
  options: readonly { name: string; about: string }[];
  headers: readonly { name: string; value: string }[];
  body: string | null;
  /** The documented status. */
  status: number;
  keeps: readonly Kept[];
};

/** The requests on a resource. */
type CollectionPart = { name: string; requests: readonly CollectionRequest[] };

/** The requests of all APIs, by API and resource. */
export type RequestCollection = {
  name: string;
  /** The address of the bank. */
  bank: string;
  apis: readonly { name: string; parts: readonly CollectionPart[] }[];
};

/** The header that names the consent whose token a request needs. It is not sent to the bank. */
export const consentHeader = "x-consent";

/** Makes the requests of these APIs. */
export function collectionOf(
  name: string,
  bank: string,
  documents: readonly ListedDocument[],
): RequestCollection {
  const apis = documents.map((listed) => ({
    name: `${listed.document.info.title} ${listed.document.info.version}`,
    parts: partsOf(listed),
  }));
  return { name, bank, apis };
}

function partsOf(listed: ListedDocument): CollectionPart[] {
  const resources = resourcesOf(listed);
  const all = resources.flatMap(({ operations }) => operations);
  const make = (chosen: (operation: ShownOperation) => boolean) =>
    resources.map((resource) => ({
      name: resource.name,
      requests: resource.operations
        .filter(chosen)
        .map((operation) => requestOf(operation, resource, listed, all)),
    }));
  // nothing can be read with a consent that has been deleted
  const isLast = ({ method, path }: ShownOperation): boolean =>
    method === "DELETE" && path.endsWith("{ConsentId}");
  const deletions = make(isLast).flatMap(({ requests }) => requests);
  const others = afterWhatTheyNeed(make((operation) => !isLast(operation)));
  const parts =
    deletions.length > 0 ? [...others, { name: "Deletions", requests: deletions }] : others;
  return parts.filter(({ requests }) => requests.length > 0);
}

/** Moves a request that needs an id of a later resource, such as a statement's, to that one. */
function afterWhatTheyNeed(parts: readonly CollectionPart[]): CollectionPart[] {
  const keeperOf = (variable: string): number =>
    parts.findIndex(({ requests }) =>
      requests.some(({ keeps }) => keeps.some((one) => one.variable === variable)),
    );
  const placeOfRequest = ({ path }: CollectionRequest, own: number): number =>
    Math.max(own, ...variablesIn(path).map(keeperOf));
  const placed = parts.flatMap(({ requests }, own) =>
    requests.map((request) => ({ request, place: placeOfRequest(request, own), own })),
  );
  return parts.map(({ name }, index) => ({
    name,
    requests: placed
      .filter(({ place }) => place === index)
      .sort((a, b) => b.own - a.own)
      .map(({ request }) => request),
  }));
}

const variablesIn = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]) => name);

function requestOf(
  operation: ShownOperation,
  { name }: ShownResource,
  listed: ListedDocument,
  all: readonly ShownOperation[],
): CollectionRequest {
  const { id, method, path, title, parameters, request, answer, needsCustomer } = operation;
  const variable = (parameter: string): string => variableOf(parameter, path, listed.id, all);
  const consent = `{{${variable("ConsentId")}}}`;
  return {
    id,
    name: method === "DELETE" ? `${title}: ${name}` : title,
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => `{{${variable(parameter)}}}`),
    options: parameters
      .filter((one) => one.in === "query")
      .map((one) => ({ name: one.name, about: one.description ?? "" })),
    headers: [
      { name: "accept", value: answer.types[0] ?? "application/json" },
      ...(request ? [{ name: "content-type", value: request.types[0] ?? "application/json" }] : []),
      ...(needsCustomer ? [{ name: consentHeader, value: consent }] : []),
    ],
    body: request ? bodyOf(operation, listed, variable) : null,
    status: Number(answer.status),
    keeps: keptOf(operation, all, listed),
  };
}

/** A sample with a variable in place of each id that is left empty. */
function bodyOf(
  { id, request }: ShownOperation,
  { samples, document }: ListedDocument,
  variable: (member: string) => string,
): string {
  const sample = samples[id] ?? (request && sampleOf(request.schema, resolver(document)));
  const filled = (name: string, value: unknown): unknown =>
    value === "" && name.endsWith("Id") ? `{{${variable(name)}}}` : value;
  // the hash of a file is that of its exact bytes
  return JSON.stringify(sample, filled, isFile(request) ? undefined : 2);
}

/**
 * The variable of a parameter: `v4_0_DomesticPaymentId`. The id of a consent is named by its kind,
 * `v4_0_DomesticPaymentConsentId`, because every kind calls it ConsentId.
 */
function variableOf(
  parameter: string,
  path: string,
  apiId: string,
  all: readonly ShownOperation[],
): string {
  const version = apiId.slice(apiId.lastIndexOf("v")).replaceAll(/\W/g, "_");
  if (parameter !== "ConsentId") return `${version}_${parameter}`;
  const words = consentResource(path, all).replace(/s$/, "").split("-").map(capitalised);
  return `${version}_${words.join("")}Id`;
}

/** The resource of the consent that a request needs: of the same kind, or the API's only one. */
function consentResource(path: string, all: readonly ShownOperation[]): string {
  const resourceOf = (of: string): string => of.split("/")[5] ?? "";
  const own = resourceOf(path);
  const consents = all
    .map((other) => resourceOf(other.path))
    .filter((name) => name.endsWith("-consents"));
  const same = [own, own.replace(/s$/, "-consents")];
  return consents.find((name) => same.includes(name)) ?? consents[0] ?? own;
}

/** The ids that an answer has and that the paths of other requests need. */
function keptOf(
  { method, path, answer }: ShownOperation,
  all: readonly ShownOperation[],
  { id, document }: ListedDocument,
): Kept[] {
  const isMade = all.some((other) => other.method === "POST" && other.path === path);
  if (!answer.schema || isMade !== (method === "POST")) return [];
  const below = all
    .filter((other) => other.path.startsWith(`${path}/{`))
    .map((other) => /^\/\{(\w+)\}/.exec(other.path.slice(path.length))?.[1] ?? "");
  return [...new Set(below)].flatMap((name) => {
    const place = placeOf(name, answer.schema, resolver(document));
    return place ? [{ variable: variableOf(name, path, id, all), path: ["Data", ...place] }] : [];
  });
}

/** Where an answer has the id of what was made, or of the first entry of a list. */
function placeOf(name: string, schema: Schema | null, resolve: Resolve): Kept["path"] | null {
  const data = schema && membersOf(schema, resolve).find((member) => member.name === "Data");
  const members = data ? membersOf(data.given, resolve) : [];
  const has = (given: Schema) => membersOf(given, resolve).some((member) => member.name === name);
  const list = members.find(({ given }) => resolve(given).items && has(given));
  if (list) return [list.name, 0, name];
  // the path of an international standing order calls its id by another name
  const own = members.filter((one) => one.name.endsWith("Id") && one.name !== "ConsentId");
  const found = members.find((one) => one.name === name) ?? own[0];
  return found ? [found.name] : null;
}

/** The path of a kept value in JavaScript: `.Data.Account[0].AccountId`. */
export const memberOf = (path: Kept["path"]): string =>
  path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");

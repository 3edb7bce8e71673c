import type { ShownCommand } from "#src/config/shown-commands.ts";
import { capitalised } from "#src/lib/plain-text.ts";
import { type Resolve, resolver, type Schema } from "./schema.ts";

/** The parts of an OpenAPI document that the portal uses. */
export type ApiDocument = {
  info: { title: string; version: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
};

type Content = Record<string, { schema?: Schema }>;

/** A parameter of an operation. */
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

type ApiOperation = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content?: Content; $ref?: string };
  responses?: Record<string, { description?: string; content?: Content; $ref?: string }>;
  security?: Record<string, string[]>[];
};

/** An error of an operation: its code in the version's words, or none, and its cause. */
export type OperationError = { status: number; code: string | null; cause: string };

/** A status of a resource, and what may follow; it is final if nothing follows. */
export type StatusWord = {
  word: string;
  meaning: string;
  next: readonly { word: string; when: string }[];
};

/** A document with what the rows of its operations say besides. */
export type ListedDocument = {
  id: string;
  /** Where the document itself is served. */
  url: string;
  document: ApiDocument;
  /** Bodies to start from, by operation id. */
  samples: Readonly<Record<string, object>>;
  /** The errors of an operation. */
  errorsOf(operationId: string): readonly OperationError[];
  /** The statuses of the resource that an operation creates; none if it creates none. */
  statusesOf(operationId: string): readonly StatusWord[];
};

/** Who calls the bank from a page. */
export type Caller = {
  publicUrl: string;
  mtlsUrl: string;
  /** The security profiles of the TPPs that can try calls; null if calls cannot be tried. */
  profiles: readonly { id: string; title: string }[] | null;
  /** Commands as a reader of a sandbox types them, and the folder of the TPP that tries calls. */
  shell?: { command: ShownCommand; tppFolder: string };
};

/** An operation as the portal shows it. */
export type ShownOperation = {
  id: string;
  method: string;
  /** With the document's base path. */
  path: string;
  /** The summary, without the resource that the page already names. */
  title: string;
  description: string;
  parameters: Parameter[];
  request: { schema: Schema; types: string[] } | null;
  answer: { status: string; schema: Schema | null; types: string[] };
  /** The statuses of refusals. */
  refusals: { status: string; text: string }[];
  /** Whether it needs a token that a customer authorised; null if it needs no token. */
  needsCustomer: boolean | null;
  scopes: readonly string[];
};

/** The operations on one resource in one version. */
export type ShownResource = {
  /** `Domestic Payments` */
  name: string;
  slug: string;
  /** `/docs/api/pisp-v4.0/domestic-payments` */
  path: string;
  operations: ShownOperation[];
};

/** The path of the pages of a document. */
export const apiPath = (id: string): string => `/docs/api/${id}`;

/** The operations of a document by resource, in the document's order. */
export function resourcesOf({ id, document }: ListedDocument): ShownResource[] {
  const resolve = resolver(document);
  const server = document.servers?.[0]?.url ?? "";
  const base = server.replace(/^https?:\/\/[^/]+/, "").replace(/\/$/, "");
  const tops = new Set(Object.keys(document.paths).map((path) => path.split("/")[1] ?? ""));
  const found = new Map<string, ShownResource>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const name = resourceName(operation, path, tops);
      const slug = name.toLowerCase().replaceAll(/\W+/g, "-");
      const resource = found.get(name) ?? {
        name,
        slug,
        path: `${apiPath(id)}/${slug}`,
        operations: [],
      };
      found.set(name, resource);
      resource.operations.push(shown(operation, method, `${base}${path}`, resolve));
    }
  }
  return [...found.values()];
}

// the sandbox's own interface has one tag for all operations, and many resources
const wholeInterface = "Sandbox";

function resourceName({ tags }: ApiOperation, path: string, tops: ReadonlySet<string>): string {
  const [tag = wholeInterface] = tags ?? [];
  if (tag !== wholeInterface) return tag;
  const [, first = "", , part = ""] = path.split("/");
  // what a TPP or a customer has of a resource with a page of its own is there
  return capitalised((tops.has(part) ? part : first).replaceAll("-", " "));
}

function shown(
  operation: ApiOperation,
  method: string,
  path: string,
  resolve: Resolve,
): ShownOperation {
  const answers = Object.entries(operation.responses ?? {}).map(
    ([status, given]) => [status, resolve(given)] as const,
  );
  const [status, answer] = answers.find(([code]) => code.startsWith("2")) ?? ["200", {}];
  const content = operation.requestBody && resolve(operation.requestBody).content;
  const request = schemaOf(content);
  const [scheme] = Object.entries(operation.security?.[0] ?? {});
  return {
    id: operation.operationId ?? `${method}${path.replaceAll(/\W+/g, "-")}`,
    method: method.toUpperCase(),
    path,
    title: operation.summary?.replace(/ \([\w-]+\)$/, "") ?? path,
    description: operation.description ?? "",
    parameters: (operation.parameters ?? []).map(resolve),
    request: request ? { schema: request, types: Object.keys(content ?? {}) } : null,
    answer: {
      status,
      schema: schemaOf(answer.content) ?? null,
      types: Object.keys(answer.content ?? {}),
    },
    refusals: answers
      .filter(([code]) => !code.startsWith("2"))
      .map(([code, { description = "" }]) => ({ status: code, text: description })),
    needsCustomer: scheme ? scheme[0] === "PSUOAuth2Security" : null,
    scopes: scheme?.[1] ?? [],
  };
}

const schemaOf = (content: Content | undefined): Schema | undefined =>
  Object.values(content ?? {})[0]?.schema;

import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { jsonOf, type OpenApi } from "./compare-with-published.ts";
import { loadPublished, publishedFiles } from "./published.ts";

/** A response that a test received. `body` is the exact text, empty if there was none. */
export type SeenResponse = {
  method: string;
  /** The absolute URL or the path of the request. */
  url: string;
  status: number;
  headers: Headers;
  body: string;
};

/**
 * Lists the differences of a response from the published schemas. Empty for an unpublished
 * operation.
 */
export type CheckResponse = (seen: SeenResponse) => string[];

type Json = { readonly [name: string]: unknown };
type Route = { method: string; pattern: RegExp; responses: Json; api: PublishedApi };
type PublishedApi = { document: OpenApi; validatorOf(pointer: string): ValidateFunction };

const basePaths = {
  "pisp-v3.1": "/api/open-banking/v3.1/pisp",
  "pisp-v4.0": "/api/open-banking/v4.0/pisp",
  "aisp-v3.1": "/api/open-banking/v3.1/aisp",
  "aisp-v4.0": "/api/open-banking/v4.0/aisp",
  "events-v3.1": "/api/open-banking/v3.1",
  "events-v4.0": "/api/open-banking/v4.0",
  "cbpii-v3.1": "/api/open-banking/v3.1/cbpii",
  "cbpii-v4.0": "/api/open-banking/v4.0/cbpii",
} as const;

/**
 * Makes the check of responses. A caller may name other files, by API, than those with which our
 * documents are compared.
 */
export function createResponseCheck(
  files: Readonly<Partial<Record<keyof typeof basePaths, readonly string[]>>> = publishedFiles,
): CheckResponse {
  const routes = Object.entries(files).flatMap(([apiId, published]) =>
    published.flatMap((file) =>
      listRoutes(publishedApi(file), basePaths[apiId as keyof typeof basePaths]),
    ),
  );
  return (seen) => {
    const path = new URL(seen.url, "http://bank.example").pathname.replace(/\/$/, "");
    const method = seen.method.toLowerCase();
    const route = routes.find((one) => one.method === method && one.pattern.test(path));
    if (!route) return [];
    return judgeResponse(route, seen).map((fault) => `${method} ${path} ${seen.status}: ${fault}`);
  };
}

// All test files of a process share the facts of a published file, and its compiled schemas.
const apis = new Map<string, PublishedApi>();

function publishedApi(file: string): PublishedApi {
  const known = apis.get(file);
  if (known) return known;
  const document = loadPublished(file);
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, "published");
  const api: PublishedApi = {
    document,
    validatorOf: (pointer) => {
      const validate = ajv.getSchema(`published${pointer}`);
      if (!validate) throw new Error(`${pointer} leads nowhere`);
      return validate;
    },
  };
  apis.set(file, api);
  return api;
}

/** The validator of a schema of a published file, which its first use compiles. */
export const publishedValidator = (file: string, schema: string): ValidateFunction =>
  publishedApi(file).validatorOf(`#/components/schemas/${schema}`);

function listRoutes(api: PublishedApi, basePath: string): Route[] {
  const { document } = api;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const responses = objectOf(operation).responses;
      if (responses === undefined) return [];
      const pattern = new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
      return [{ method, pattern, responses: objectOf(responses), api }];
    }),
  );
}

function judgeResponse({ responses, api }: Route, seen: SeenResponse): string[] {
  const declared = responses[seen.status];
  if (declared === undefined) {
    // the standard does not declare a response for an upload that is too large. Source: P-206
    if (seen.status === 413) return [];
    return waitStatuses.has(seen.status) ? judgeWait(api, seen) : ["the status is not declared"];
  }
  const response = deref(declared, api.document);
  const missing = Object.entries(objectOf(response.headers))
    .filter(([name, header]) => objectOf(header).required === true && !seen.headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  const content = jsonOf(response.content);
  const pointer = objectOf(content.schema).$ref;
  if (seen.body === "") {
    const unsigned = missing.filter((fault) => !fault.includes("x-jws-signature"));
    return pointer === undefined ? unsigned : [...missing, "there is no body"];
  }
  // a refusal without a declared body may have an error body. Source: P-003, D-03
  const schema = typeof pointer === "string" ? pointer : "#/components/schemas/OBErrorResponse1";
  if (typeof pointer !== "string" && seen.status < 400) return [...missing, "there is a body"];
  // published as an object without members, but a file has bytes
  if (schema === "#/components/schemas/File") return missing;
  return [...missing, ...judgeBody(api.validatorOf(schema), seen.body)];
}

// RFC 9110 allows any operation to return these, with the time to wait.
const waitStatuses: ReadonlySet<number> = new Set([429, 503]);

function judgeWait(api: PublishedApi, { headers, body }: SeenResponse): string[] {
  const missing = ["x-fapi-interaction-id", "retry-after"]
    .filter((name) => !headers.has(name))
    .map((name) => `the header ${name} is missing`);
  if (body === "") return missing;
  return [...missing, ...judgeBody(api.validatorOf("#/components/schemas/OBErrorResponse1"), body)];
}

function judgeBody(validate: ValidateFunction, body: string): string[] {
  if (validate(JSON.parse(body))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`,
  );
}

function deref(value: unknown, document: OpenApi): Json {
  const { $ref } = objectOf(value);
  if (typeof $ref !== "string") return objectOf(value);
  const names = $ref.split("/").slice(1);
  return deref(
    names.reduce<unknown>((node, name) => objectOf(node)[name], document),
    document,
  );
}

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};

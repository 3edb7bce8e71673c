import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { assert } from "#src/lib/assert.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { standardWords } from "#src/standard/descriptions/standard-words.ts";
import { httpStatusNames } from "#src/standard/shared/http-status-names.ts";
import { describeProperties } from "./describe-properties.ts";
import type { Operation } from "./operation.ts";

type Json = { [name: string]: unknown };

/**
 * Makes the OpenAPI 3.0 document of an API from its operations. Schemas with a title become
 * components. `servers` are base URLs without a trailing slash: first the one for mutual TLS, which
 * has the token endpoint, last the one for browsers, which has the authorization endpoint.
 */
export function openApiDocument(
  api: ApiVersion,
  operations: Operation[],
  servers: string[],
): object {
  const schemas = new SchemaComponents();
  const own = operations.filter((operation) => operation.api.id === api.id);
  const paths: Record<string, Json> = {};
  for (const operation of own) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    const item = paths[path] ?? {};
    paths[path] = item;
    item[operation.method.toLowerCase()] = describeOperation(operation, schemas);
  }
  const refusals = new Map(
    own.flatMap((operation) =>
      refusalStatuses(operation).map((status) => {
        const name = refusalName(operation, status);
        return [name, describeRefusal(api, status, operation.signed, schemas)] as const;
      }),
    ),
  );
  const signed = own.some((operation) => operation.signed === true)
    ? true
    : (own.find((operation) => operation.signed)?.signed ?? false);
  const idempotent = own.some((operation) => operation.idempotent);
  const document = {
    openapi: "3.0.3",
    info: { title: api.title, version: api.release },
    servers: servers.map((url) => ({ url: url + api.basePath })),
    tags: [...new Set(own.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      parameters: parameterComponents(signed, idempotent),
      headers: headerComponents(signed),
      responses: Object.fromEntries([...refusals].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: securitySchemes(api, servers),
      schemas: schemas.all(),
    },
  };
  return describeProperties(document, standardWords);
}

function describeOperation(operation: Operation, schemas: SchemaComponents): Json {
  const { api, grant, request, upload } = operation;
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    tags: [operation.tag],
    parameters: parametersOf(operation),
    ...(request
      ? {
          requestBody: { required: true, content: content(request, upload?.contentTypes, schemas) },
        }
      : {}),
    responses: {
      [operation.success.status]: describeSuccess(operation, schemas),
      ...Object.fromEntries(
        refusalStatuses(operation).map((status) => [
          status,
          { $ref: `#/components/responses/${refusalName(operation, status)}` },
        ]),
      ),
    },
    security: [
      grant === "client_credentials"
        ? { TPPOAuth2Security: [...api.scopes] }
        : { PSUOAuth2Security: [...api.scopes] },
    ],
  };
}

/** The name of a refusal's description: only those of signed operations have a signature. */
const refusalName = ({ signed }: Operation, status: number): string =>
  signed ? `${status}Error` : `${status}UnsignedError`;

function refusalStatuses(operation: Operation): number[] {
  const declared = operation.api.declaredStatuses(operation);
  const refusals = Object.keys(operation.refusals).map(Number);
  // any part of the bank may be out of service
  return [...new Set([...declared, ...refusals, 503])].sort((a, b) => a - b);
}

function parametersOf(operation: Operation): Json[] {
  const { path, query, request, signed, idempotent } = operation;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query ?? {}).map(([name, { description, schema }]) => ({
    name,
    in: "query",
    required: false,
    description,
    schema: toOpenApi(schema),
  }));
  const inHeader = Object.entries(operation.headers ?? {}).map(
    ([name, { description, schema }]) => ({
      name,
      in: "header",
      required: false,
      description,
      schema: toOpenApi(schema),
    }),
  );
  const headers = [
    ...Object.keys(commonParameters),
    ...(idempotent ? ["x-idempotency-key"] : []),
    ...(signed && request ? ["x-jws-signature"] : []),
  ];
  return [
    ...inPath,
    ...inQuery,
    ...inHeader,
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

const text = { type: "string" };

// The security schemes say how the token is sent: a parameter besides them would make generated
// clients ask for the token twice.
const commonParameters: Record<string, Json> = {
  "x-fapi-interaction-id": {
    required: false,
    description: "A UUID that ties request and response together; the response repeats it.",
    schema: text,
  },
  "x-fapi-auth-date": {
    required: false,
    description:
      "When the customer last logged in to the TPP, as in `Sun, 10 Sep 2017 19:43:31 GMT`.",
    schema: {
      type: "string",
      pattern:
        "^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)" +
        " \\d{4} \\d{2}:\\d{2}:\\d{2} (GMT|UTC)$",
    },
  },
  "x-fapi-customer-ip-address": {
    required: false,
    description: "The customer's IP address. Send it when the customer is present.",
    schema: text,
  },
  "x-customer-user-agent": {
    required: false,
    description: "The User-Agent of the customer's browser or app.",
    schema: text,
  },
};

const idempotencyKey: Json = {
  required: true,
  description:
    "Identifies the request. If the same key and body are sent again within 24 hours, they count " +
    "as one request.",
  schema: { type: "string", maxLength: 40, pattern: "^(?!\\s)(.*)(\\S)$" },
};

function signature(signed: Operation["signed"]): Json {
  const description = "A detached JWS (PS256) of the exact bytes of the body.";
  if (signed !== "if sent") return { required: true, description, schema: text };
  const optional = `${description} Optional: the response is signed if the request is.`;
  return { required: false, description: optional, schema: text };
}

function parameterComponents(signed: Operation["signed"], idempotent: boolean): Json {
  const all = {
    ...commonParameters,
    ...(idempotent ? { "x-idempotency-key": idempotencyKey } : {}),
    ...(signed ? { "x-jws-signature": signature(signed) } : {}),
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, rest]) => [name, { name, in: "header", ...rest }]),
  );
}

const headerComponents = (signed: Operation["signed"]): Json => ({
  "x-fapi-interaction-id": {
    required: true,
    description: "The interaction id of the request, or a new one.",
    schema: text,
  },
  ...(signed ? { "x-jws-signature": signature(signed) } : {}),
  "RateLimit-Policy": {
    required: false,
    description: 'How many requests a TPP may make: `"default";q=100;w=10`.',
    schema: text,
  },
  RateLimit: {
    required: false,
    description: 'How many requests are left, and for how many seconds: `"default";r=50;t=30`.',
    schema: text,
  },
  "Retry-After": {
    required: false,
    description: "Seconds to wait before the next request.",
    schema: { type: "integer" },
  },
});

const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function describeSuccess({ success, signed }: Operation, schemas: SchemaComponents): Json {
  const description = httpStatusNames[success.status] ?? "";
  const limits = ["RateLimit-Policy", "RateLimit"];
  if (!success.schema) {
    // the published file has no rate limit headers for uploads Source: D-401-06
    const more = success.status === 204 ? limits : [];
    return { description, headers: headerRefs("x-fapi-interaction-id", ...more) };
  }
  return {
    description,
    headers: headerRefs("x-fapi-interaction-id", ...(signed ? ["x-jws-signature"] : []), ...limits),
    content: content(success.schema, success.contentTypes, schemas),
  };
}

function describeRefusal(
  api: ApiVersion,
  status: number,
  signed: Operation["signed"],
  schemas: SchemaComponents,
): Json {
  const description = httpStatusNames[status] ?? "";
  const hasBody = api.errors.declaredWithBody.has(status);
  const headers = headerRefs(
    "x-fapi-interaction-id",
    ...(signed && hasBody ? ["x-jws-signature"] : []),
    ...(status === 429 || status === 503 ? ["Retry-After"] : []),
  );
  if (!hasBody) return { description, headers };
  return { description, headers, content: json(schemas.refer(api.errors.schema)) };
}

const json = (schema: Json): Json => ({ "application/json": { schema } });

// Generated clients have one name for both media types of XML, so one of them is documented.
const undocumented = "application/xml";

// Anything other than JSON is documented as bytes.
function content(
  schema: TSchema,
  contentTypes: readonly string[] = ["application/json"],
  schemas: SchemaComponents,
): Json {
  const bytes = { type: "string", format: "binary" };
  return Object.fromEntries(
    contentTypes
      .filter((type) => type !== undocumented)
      .map((type) => [
        type,
        { schema: type === "application/json" ? schemas.refer(schema) : bytes },
      ]),
  );
}

function securitySchemes(api: ApiVersion, servers: string[]): Json {
  const scopes = Object.fromEntries(
    api.scopes.map((scope) => [scope, `All ${scope} operations that the consent covers`]),
  );
  const tokenUrl = `${servers[0] ?? ""}/token`;
  return {
    TPPOAuth2Security: {
      type: "oauth2",
      description: "The TPP acts for itself: it creates and reads consents and reads orders.",
      flows: { clientCredentials: { tokenUrl, scopes } },
    },
    PSUOAuth2Security: {
      type: "oauth2",
      description: "The TPP acts for a customer who has authorised one consent.",
      flows: {
        authorizationCode: {
          authorizationUrl: `${servers.at(-1) ?? ""}/auth`,
          tokenUrl,
          scopes,
        },
      },
    },
  };
}

/** Collects the schemas that have a title, each once. */
export class SchemaComponents {
  readonly #byTitle = new Map<string, Json>();

  /** The schema for use in a document: a reference when it has a title. */
  refer(schema: TSchema): Json {
    return toOpenApi(schema, (title, converted) => {
      const known = this.#byTitle.get(title);
      assert(
        !known || isDeepStrictEqual(known, converted),
        `there is only one schema called ${title}`,
      );
      this.#byTitle.set(title, converted);
      return { $ref: `#/components/schemas/${title}` };
    });
  }

  /** All of them, by title. */
  all(): Json {
    const sorted = [...this.#byTitle].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  }
}

/** Converts JSON Schema to OpenAPI 3.0: no `const`, and titled schemas through `take`. */
function toOpenApi(schema: TSchema, take?: (title: string, converted: Json) => Json): Json {
  const { title, ...rest } = schema as TSchema & { title?: string };
  const converted: Json = {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (keyword === "const") converted.enum = [value];
    else if (keyword === "properties") converted.properties = convertMembers(value, take);
    else if (keyword === "items") converted.items = toOpenApi(value as TSchema, take);
    else if (keyword === "anyOf" || keyword === "oneOf" || keyword === "allOf") {
      converted[keyword] = (value as TSchema[]).map((branch) => toOpenApi(branch, take));
    } else converted[keyword] = value;
  }
  return title !== undefined && take ? take(title, converted) : converted;
}

const convertMembers = (
  members: unknown,
  take: ((title: string, converted: Json) => Json) | undefined,
): Json =>
  Object.fromEntries(
    // the value of `properties` in a TypeBox schema
    Object.entries(members as Record<string, TSchema>).map(([name, member]) => [
      name,
      toOpenApi(member, take),
    ]),
  );

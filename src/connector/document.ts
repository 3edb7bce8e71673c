import Type, { type TSchema } from "typebox";
import type { CallName } from "#src/bank/port-answers.ts";
import { portCalls } from "#src/bank/port-calls.ts";
import { describeProperties } from "#src/http/describe-properties.ts";
import { SchemaComponents } from "#src/http/openapi.ts";
import { capitalised } from "#src/lib/plain-text.ts";
import { corePath, coreRows } from "./core-rows.ts";
import { factWords } from "./fact-words.ts";
import { callRows, contractVersion, otherRows } from "./operations.ts";
import { connectorWords } from "./words.ts";

// The OpenAPI document of a core over HTTP. It is made of the schemas that check each message, so
// it is never out of date.

type Json = { [keyword: string]: unknown };

/** An operation, as the document shows it. */
type Shown = {
  id: string;
  method: "GET" | "POST";
  path: string;
  summary: string;
  query?: Readonly<Record<string, string>>;
  arguments?: Readonly<Record<string, TSchema>>;
  answer: TSchema;
  /** What is said besides, as extensions. */
  more: Json;
};

/** Where `./aldgate openapi` and the bank have the document. */
export const documentId = `bank-v${contractVersion}`;

const about = `How Aldgate calls a core over HTTP. Each operation is a call of the port: the request
has its arguments. A core ignores members that it does not know, because later releases add some.
It never changes anything twice for one paymentId, however often a call about it arrives. An answer
that is not 200 is a problem document whose outcome tells Aldgate what to do: with refused, it does
not try again; with retry, nothing was done, so it tries again; with unknown, it asks about the
payments first. Without an outcome, 401, 403, 429 and 503 count as retry, and every other status as
unknown.`.replaceAll("\n", " ");

const problem = Type.Object(
  {
    type: Type.Optional(Type.String()),
    title: Type.String(),
    status: Type.Optional(Type.Integer()),
    outcome: Type.Optional(Type.Enum(["refused", "retry", "unknown"])),
  },
  { title: "Problem" },
);

const refused = Type.Object(
  { message: Type.String(), faults: Type.Array(Type.String()) },
  { title: "Refusal" },
);

const text = { type: "string" };
const headers: Readonly<Record<string, Json>> = {
  "Aldgate-Contract": {
    required: true,
    description:
      "The version of this contract. A core answers 400 to a version that it does not know.",
    schema: { type: "string", enum: [String(contractVersion)] },
  },
  "Aldgate-Deadline-Ms": {
    required: true,
    description: "How long Aldgate waits for the answer, in milliseconds.",
    schema: { type: "string", pattern: "^[0-9]{1,6}$" },
  },
  "Aldgate-Signature": {
    required: false,
    description:
      "A JWT (PS256) with iat, the method (htm), the path (htu) and the SHA-256 of the body " +
      "(digest, base64url), if the bank has set a key for it.",
    schema: text,
  },
  traceparent: {
    required: false,
    description: "The trace of the call, in the format of W3C Trace Context.",
    schema: text,
  },
};

/** Returns the document, which is the same for every core. */
export function bankOpenApi(): object {
  const schemas = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const row of listShown()) {
    paths[row.path] = { [row.method.toLowerCase()]: describe(row, schemas) };
  }
  for (const row of coreRows) {
    paths[`${corePath}${row.route[1]}`] = describeOwn(row, schemas);
  }
  const { content } = json(problem, "Problem", schemas);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "A bank's core for Aldgate",
      version: String(contractVersion),
      description: about,
    },
    servers: [{ url: "https://core.example", description: "The address of the core." }],
    paths,
    components: {
      parameters: Object.fromEntries(
        Object.entries(headers).map(([name, rest]) => [name, { name, in: "header", ...rest }]),
      ),
      responses: {
        Problem: {
          description: "The call failed.",
          content: { "application/problem+json": content["application/json"] },
        },
      },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The value of BANK_TOKEN." },
      },
      schemas: schemas.all(),
    },
  };
  const descriptions = { ...factWords, ...connectorWords };
  return describeProperties(document, { descriptions, examples: {}, values: {} });
}

function listShown(): Shown[] {
  const calls = Object.entries(callRows).map(([id, row]): Shown => {
    const { group, parts, isOptional } = portCalls[id as CallName]; // the same names
    const more = {
      "x-group": group,
      ...(parts ? { "x-parts": parts } : {}),
      ...(isOptional ? { "x-optional": true } : {}),
    };
    return { id, method: "POST", ...row, answer: row.answer.schema, more };
  });
  const others = Object.entries(otherRows).map(
    ([id, row]): Shown => ({
      id,
      ...row,
      more: "isOptional" in row ? { "x-optional": true } : {},
    }),
  );
  return [...others.slice(0, 1), ...calls, ...others.slice(1)];
}

const queryOf = (query: Shown["query"] = {}): Json[] =>
  Object.entries(query).map(([parameter, description]) => ({
    name: parameter,
    in: "query",
    required: false,
    description,
    schema: text,
  }));

function describe(row: Shown, schemas: SchemaComponents): Json {
  const name = capitalised(row.id);
  const inHeader = Object.keys(headers).map((header) => ({
    $ref: `#/components/parameters/${header}`,
  }));
  return {
    operationId: row.id,
    summary: row.summary,
    tags: [row.path.split("/")[1]],
    parameters: [...queryOf(row.query), ...inHeader],
    ...(row.arguments
      ? {
          requestBody: {
            required: true,
            ...json(Type.Object({ ...row.arguments }), `${name}Request`, schemas),
          },
        }
      : {}),
    responses: {
      200: { description: "The answer.", ...json(row.answer, `${name}Answer`, schemas) },
      default: { $ref: "#/components/responses/Problem" },
    },
    ...row.more,
  };
}

/** Describes an operation that Aldgate has for the core. */
function describeOwn(row: (typeof coreRows)[number], schemas: SchemaComponents): Json {
  const name = capitalised(row.operationId);
  const [method] = row.route;
  const request = row.shown ?? row.request;
  const refusal = { description: "The request is refused.", ...json(refused, "Refusal", schemas) };
  const operation = {
    operationId: row.operationId,
    summary: row.summary,
    tags: ["aldgate"],
    parameters: queryOf(row.query),
    ...(request
      ? { requestBody: { required: true, ...json(request, `${name}Request`, schemas) } }
      : {}),
    responses: {
      [row.response.status]: {
        description: "The answer.",
        ...json(row.response.schema, `${name}Answer`, schemas),
      },
      default: refusal,
    },
    security: [{ token: [] }],
  };
  const servers = [{ url: "http://127.0.0.1:9080", description: "Aldgate's management listener." }];
  return { servers, [method.toLowerCase()]: operation };
}

function json(schema: TSchema, title: string, schemas: SchemaComponents) {
  const named = { title, ...(shown(schema) as Json) } as TSchema; // a schema stays a schema
  return { content: { "application/json": { schema: schemas.refer(named) } } };
}

/** The schema as JSON: a rule that JSON Schema cannot say is shown in the words of the rule. */
const shown = (schema: TSchema): unknown =>
  JSON.parse(JSON.stringify(schema), (_name, node) => node?.["x-shown"] ?? node);

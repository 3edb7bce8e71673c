import { type CompiledSchema, compileSchema, judge } from "#src/http/body/validate.ts";
import type { Operation } from "#src/http/operation.ts";
import { operationFinder } from "#src/http/register-operations.ts";
import { echoedBy, isEchoed } from "#test/payments/answer-check.ts";
import { type CheckResponse, createResponseCheck } from "#test/standard/published-responses.ts";
import type { Hit, Shot } from "./shot.ts";

/** Lists what is wrong with a response; empty if it is allowed. */
export type Oracle = (shot: Shot, hit: Hit) => string[];

type Known = {
  operation: Operation;
  statuses: Set<number>;
  schema: CompiledSchema;
};

// Statuses of HTTP itself, before an operation is found or while its body arrives.
const ofProtocol = new Set([400, 404, 405, 413, 414, 417, 431]);

/** Texts that no outsider may see: stack traces, system errors, statements, internal addresses. */
const leaks: readonly RegExp[] = [
  /(\n|\\n)\s+at .+:\d+:\d+/,
  /node_modules|file:\/\/|\/src\/[a-z]/,
  /\b(Type|Range|Reference|Syntax|Assertion)Error\b/,
  /Cannot read propert|is not a function|Unexpected token|is not iterable/,
  /invalid (input syntax|byte sequence)/,
  /ECONN|ENOENT|EACCES|ENOSPC/,
  /\bselect .+ from |insert into |violates .* constraint|duplicate key value|pg_catalog/,
  /postgres(ql)?:\/\//,
];

/** Makes the check of responses. `documents` are the bank's own OpenAPI documents, by API. */
export function createOracle(
  operations: readonly Operation[],
  documents: ReadonlyMap<string, OpenApi>,
): Oracle {
  const published = createResponseCheck();
  const findOperation = operationFinder(operations);
  const known = new Map<Operation | undefined, Known>();
  for (const operation of operations) {
    const { api, path, method, success } = operation;
    const template = path.replaceAll(/:(\w+)/g, "{$1}");
    const declared = documents.get(api.id)?.paths[template]?.[method.toLowerCase()]?.responses;
    known.set(operation, {
      operation,
      statuses: new Set(Object.keys(declared ?? {}).map(Number)),
      schema: compileSchema(() => echoedBy(success.schema ?? {}, { strictOas: false }), {
        mostItems: Number.POSITIVE_INFINITY, // the limit is for requests
      }),
    });
  }
  return (shot, hit) => {
    // the path as it was sent, because URL would resolve `..`
    const [pathname = ""] = shot.url.slice(new URL(shot.url).origin.length).split("?");
    const operation = known.get(findOperation(shot.method, pathname)?.operation);
    const faults = judgeAnyAnswer(shot, hit);
    if (!operation || isUnread(hit) || faults.includes(notJson)) return faults;
    return [...faults, ...judgeAnswer(operation, shot, hit, published)];
  };
}

const notJson = "the body is not JSON";

/** The part of an OpenAPI document that lists statuses. */
export type OpenApi = {
  paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
};

function judgeAnyAnswer({ url, method }: Shot, { status, headers, raw }: Hit): string[] {
  const faults: string[] = [];
  const waits = status === 429 || status === 503;
  if (status >= 500 && status !== 503) faults.push(`the status is ${status}`);
  if (waits && !headers["retry-after"]) faults.push(`${status} has no Retry-After`);
  if (status < 200) faults.push(`the status is ${status}`);
  if (!isUnread({ status, headers, raw }) && isOfApi(url) && !headers["x-fapi-interaction-id"]) {
    faults.push(`${status} has no interaction id`);
  }
  if (method === "HEAD" && raw.length > 0) faults.push("HEAD is answered with a body");
  const text = raw.toString();
  if (headers["content-type"]?.includes("json") && method !== "HEAD" && !isJson(text)) {
    faults.push(notJson);
  }
  const shown = isFile(headers["content-type"]) ? "" : text + JSON.stringify(headers);
  for (const leak of leaks) {
    const found = leak.exec(shown);
    if (found && !decodeSafely(url).includes(found[0])) faults.push(`a leak: ${found[0]}`);
  }
  return faults;
}

/** Whether the HTTP parser refused the request before the bank saw it. */
const isUnread = ({ status, headers, raw }: Hit): boolean =>
  ofParser.has(status) && raw.length === 0 && headers.connection === "close";
const ofParser = new Set([400, 408, 413, 417, 431]);

const isOfApi = (url: string): boolean =>
  url.slice(new URL(url).origin.length).startsWith("/api/open-banking/");

// documentation and scripts are the product's own texts, so they are not searched
const isFile = (type = ""): boolean => /html|javascript|css|pdf|octet|openapi/.test(type);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decodeSafely(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

function judgeAnswer(
  { operation, statuses, schema }: Known,
  shot: Shot,
  { status, headers, raw }: Hit,
  published: CheckResponse,
): string[] {
  const faults: string[] = [];
  const body = raw.toString();
  if (!statuses.has(status) && !ofProtocol.has(status) && status !== 503) {
    faults.push(`${status} is not declared for ${operation.operationId}`);
  }
  if (ofProtocol.has(status) && !statuses.has(status)) return faults;
  const flat = new Headers();
  for (const [name, value] of Object.entries(headers)) flat.set(name, String(value));
  const seen = { method: shot.method, url: shot.url, status, headers: flat, body };
  if (status !== 429 && status !== 503) {
    faults.push(...published(seen).filter((fault) => !isEchoed(fault)));
  }
  if (status < 300 && operation.success.schema && !operation.success.contentTypes) {
    const wrong = judge(schema, JSON.parse(body));
    faults.push(...wrong.map(({ path, message }) => `our schema: ${path} ${message}`));
  }
  return faults;
}

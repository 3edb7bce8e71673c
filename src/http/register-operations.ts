import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { interactionIdOf } from "#src/http/headers/request-headers.ts";
import { describeMethod, unservedPaths } from "#src/http/refusal/unserved.ts";
import { signatureHeader } from "#src/http/signature/jws.ts";
import { assert, present } from "#src/lib/assert.ts";
import { type ApiVersion, versionNumber } from "#src/standard/api-version.ts";
import { requestStepsOf } from "./admit.ts";
import { ApiError, type Fault, refusal } from "./api-error.ts";
import { Exchange, jsonType } from "./exchange.ts";
import { answerFailures } from "./failure.ts";
import { HostileText } from "./hostile-text.ts";
import type { HttpKit } from "./kit.ts";
import type { Operation } from "./operation.ts";
import type { Route } from "./route.ts";

/** The operation of a request, with the values in its path by their names. */
type FoundOperation = { operation: Operation; params: Readonly<Record<string, string>> };

/** Returns the operation that serves a method and a path (without its query), or undefined. */
export type FindOperation = (method: string, path: string) => FoundOperation | undefined;

/**
 * Makes the function that finds the operation of a request. Like the listeners, it accepts a
 * trailing slash.
 */
export function operationFinder(operations: readonly Operation[]): FindOperation {
  const routes = operations.map((operation) => {
    return { operation, parts: `${operation.api.basePath}${operation.path}`.split("/") };
  });
  return (method, path) => {
    const given = (path.endsWith("/") ? path.slice(0, -1) : path).split("/");
    for (const { operation, parts } of routes) {
      const params = operation.method === method ? paramsOf(parts, given) : null;
      if (params) return { operation, params };
    }
    return undefined;
  };
}

/** The values in a path by their names; null if it is another path. */
function paramsOf(parts: readonly string[], given: readonly string[]) {
  if (parts.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":") && value !== "") params[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return params;
}

const root = "/api";

/**
 * Serves operations below their APIs' base paths, with and without a trailing slash. Call it once,
 * with every operation: it handles everything below `/api`, including 404 and 405, so that
 * Fastify's own responses are never sent there. The checks of a request are the steps of its
 * version.
 */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly Operation[],
  kit: HttpKit,
): void {
  // the longest path first, because one API's path may begin with another's
  const apis = [...new Set(operations.map((operation) => operation.api))].sort(
    (a, b) => b.basePath.length - a.basePath.length,
  );
  const refuseOf = new Map(apis.map((api) => [api, compileRefusal(kit, operations, api)]));
  const refuse = compileRefusal(kit, operations, null);
  const describe = unservedPaths(operations, kit.profile);
  void app.register(
    async (scope) => {
      takeBodiesAsTheyCome(scope, refuse);
      for (const [path, some] of groupByPath(operations)) registerPath(scope, path, some, kit);
      scope.setNotFoundHandler(async (request, reply) => {
        const api = apis.find(({ basePath }) => request.url.startsWith(`${basePath}/`));
        const path = request.url.split("?", 1)[0] ?? "";
        const fault: Fault<404> = { code: "U011", message: describe(path) };
        return ((api && refuseOf.get(api)) ?? refuse)(request, reply, new ApiError(404, [fault]));
      });
    },
    { prefix: root },
  );
}

// The body is read after the caller is known, so Fastify's parsers must not touch it. A media type
// that Fastify finds malformed is passed on too, and refused by the step for the content type.
function takeBodiesAsTheyCome(scope: FastifyInstance, refuse: Refuse): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  answerFailures(scope, ({ error, status, headers }, request, reply) => {
    const { serve } = request.routeOptions.config as RouteConfig;
    const isHostile = error instanceof HostileText;
    if (!isHostile && status !== 415) return refuse(request, reply.headers(headers), status);
    if (!serve) return refuse(request, reply, 404);
    const fault = isHostile ? refusal("U002", error.path, error.message) : undefined;
    return serve(request, reply, fault);
  });
}

type Serve = (
  request: FastifyRequest,
  reply: FastifyReply,
  fault?: ApiError,
) => Promise<FastifyReply>;
type RouteConfig = { serve?: Serve; isUpload?: boolean };
/** Refuses a request for no operation; a status alone is a refusal without a body. */
type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: ApiError | number,
) => Promise<FastifyReply>;

function groupByPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const path = operation.api.basePath + operation.path;
    assert(path.startsWith(`${root}/`), `${path} is below ${root}`);
    const some = paths.get(path) ?? [];
    some.push(operation);
    paths.set(path, some);
  }
  return paths;
}

function registerPath(
  scope: FastifyInstance,
  path: string,
  operations: readonly Operation[],
  kit: HttpKit,
): void {
  const served = operations.map(({ method }) => method);
  const allow = served.join(", ");
  // HEAD is refused too: a response's signature and length depend on its body
  const refused = scope.supportedMethods.filter(
    (method) => !(served as string[]).includes(method),
  ) as HTTPMethods[]; // Fastify names its own methods
  const below = path.slice(root.length);
  const refuse = compileRefusal(kit, operations, operations[0]?.api ?? null, path);
  const fault: Fault<405> = { code: "U011", message: describeMethod(allow) };
  const routes = operations.map((operation) => compileRoute(operation, path, kit));
  const refuseMethod: Serve = async (request, reply) =>
    refuse(request, reply, new ApiError(405, [fault], { allow }));
  for (const url of [below, `${below}/`]) {
    for (const route of routes) {
      const serve: Serve = (request, reply, fault) =>
        new Exchange(route, kit, request, reply, fault).run();
      const handler = (request: FastifyRequest, reply: FastifyReply) => serve(request, reply);
      const { method, upload } = route.operation;
      const isUpload = upload !== undefined;
      scope.route({ method, url, config: { serve, isUpload }, exposeHeadRoute: false, handler });
    }
    scope.route({
      method: refused,
      url,
      config: { serve: refuseMethod },
      handler: (request, reply) => refuseMethod(request, reply),
    });
  }
}

function compileRoute(operation: Operation, path: string, kit: HttpKit): Route {
  return {
    operation,
    path,
    steps: requestStepsOf(operation),
    buckets: kit.rateLimiter.group(operation.api.rateLimitGroup),
    observe: kit.metrics.answers(operation.api.id, operation.operationId),
  };
}

/**
 * A request for no operation is refused in the words of its API, or of the newest one if it names
 * no API, and is logged and counted like any other. The body is signed if the API signs bodies.
 */
function compileRefusal(
  kit: HttpKit,
  operations: readonly Operation[],
  api: ApiVersion | null,
  route = "unknown",
): Refuse {
  const observe = kit.metrics.answers(api?.id ?? "unknown", "unknown");
  const form = api?.headers.interactionId;
  const isSigned = operations.some(({ api: its, signed }) => its === api && signed === true);
  const { errors } = api ?? newest(operations);
  return async (request, reply, refusal) => {
    const startedAt = performance.now() - reply.elapsedTime;
    const { value: interactionId } = interactionIdOf(request, reply, form);
    const status = typeof refusal === "number" ? refusal : refusal.status;
    const { method } = request;
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
    observe(status, milliseconds / 1000);
    request.log.info({ method, route, status, milliseconds, interactionId }, "answered");
    reply.code(status).header("cache-control", "no-store");
    const body =
      typeof refusal === "number"
        ? undefined
        : Buffer.from(JSON.stringify(errors.render(refusal, interactionId)));
    kit.record?.({
      request,
      reply,
      operation: null,
      interactionId,
      status,
      milliseconds,
      startedAt,
      input: null,
      access: null,
      answer: null,
      payload: body,
      error: refusal,
      refusedAt: startedAt + reply.elapsedTime,
    });
    if (typeof refusal === "number" || body === undefined) return reply.send();
    if (isSigned) reply.header(signatureHeader, await kit.signer.sign(body));
    return reply.headers(refusal.headers).type(jsonType).send(body);
  };
}

function newest(operations: readonly Operation[]): ApiVersion {
  const numbers = operations.map(({ api }) => versionNumber(api.release));
  return present(operations[numbers.indexOf(Math.max(...numbers))], "an operation").api;
}

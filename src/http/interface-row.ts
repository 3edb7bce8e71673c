import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { compileSchema, judge } from "./body/validate.ts";
import { parseJsonObject } from "./json-object.ts";

/** An operation of an interface for the bank's own programs, such as the sandbox's. */
export type InterfaceRow<Functions> = {
  route: [method: "GET" | "POST" | "PUT" | "DELETE", path: string];
  operationId: string;
  summary: string;
  /** Query parameters, each with a description. They are optional unless `needsQuery` is set. */
  query?: Readonly<Record<string, string>>;
  /** Whether a call needs every one of these parameters. */
  needsQuery?: true;
  /** Absent if the operation has no body. */
  request?: TSchema;
  /** The most bytes of its body, if they are more than usual. */
  bodyLimit?: number;
  response: { status: number; schema: TSchema };
  /** The body has been checked by `request`. `params` has the path's parameters and the query's. */
  handle(functions: Functions, body: never, params: Record<string, string>): Promise<object>;
};

/** A fault of a body, as a refusal names it. */
type BodyFault = { code: string; path: string; message: string };

const faultWords: { [code: string]: string } = { U004: "missing", U005: "unexpected" };

/** A refusal of a body: what is wrong, for programs and as lines to read. */
export const refusalBody = (message: string, errors: readonly BodyFault[]) => ({
  message,
  faults: errors.map(({ path, message: fault }) => `${path || "body"}: ${fault}`),
  errors,
});

class BodyRefused extends Error {
  readonly statusCode = 400;
}

/**
 * Makes a scope read its bodies as the APIs do. Any other body is refused with 400, and the message
 * says at which byte it stops being JSON.
 */
export function readJsonBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async ({ method }: Pick<FastifyRequest, "method">, body: Buffer) =>
      // many clients name the type of a body also where they send none
      method === "DELETE" && body.length === 0
        ? undefined
        : parseJsonObject(body, (why) => new BodyRefused(`The body ${why}.`)),
  );
}

/** Serves the operations of an interface. Bodies are checked against the schemas of the rows. */
export function serveRows<Functions>(
  scope: FastifyInstance,
  rows: readonly InterfaceRow<Functions>[],
  functions: Functions,
): void {
  readJsonBodies(scope);
  for (const row of rows) {
    const request = row.request && compileSchema(row.request, { mostItems: 1000 });
    const [method, url] = row.route;
    scope.route({
      method,
      url,
      ...(row.bodyLimit === undefined ? {} : { bodyLimit: row.bodyLimit }),
      async handler({ body, params, query }, reply) {
        // a call without a body is one without members
        const given = body === undefined ? {} : body;
        const faults = request ? judge(request, given) : [];
        if (faults.length > 0) {
          const named = faults.map(({ code, path = "", message }) => ({
            code: faultWords[code] ?? "invalid",
            path,
            message,
          }));
          return reply.code(400).send(refusalBody("The request is not valid.", named));
        }
        // safe: the row's own schema has just accepted the body
        const answer = await row.handle(functions, given as never, {
          ...(row.query ? (query as object) : {}),
          ...(params as Record<string, string>),
        });
        return reply.code(row.response.status).send(answer);
      },
    });
  }
}

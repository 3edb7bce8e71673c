import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type Provider from "oidc-provider";
import { judgeCredentials } from "#src/http/body/hostile-text.ts";
import { interactionHeader, takeInteractionId } from "#src/http/headers/interaction-id.ts";
import { outageAnswer } from "#src/http/refusal/unavailable-answer.ts";
import { type Unavailable, unavailableOf } from "#src/lib/unavailable.ts";

const paths: { method: "GET" | "POST"; url: string }[] = [
  { method: "GET", url: "/.well-known/openid-configuration" },
  { method: "GET", url: "/.well-known/oauth-authorization-server" },
  { method: "GET", url: "/jwks" },
  { method: "GET", url: "/auth" },
  { method: "GET", url: "/auth/:uid" },
  { method: "POST", url: "/token" },
  { method: "POST", url: "/token/revocation" },
  { method: "POST", url: "/token/introspection" },
  { method: "POST", url: "/request" },
  { method: "GET", url: "/me" },
  { method: "POST", url: "/me" },
];

// what HEAD is answered for: the other addresses do something
const documents = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/jwks",
];

// the library's own limit
const formLimitBytes = 57_344;

/**
 * Serves the authorization server. It reads the request and writes the answer itself; every answer
 * carries the interaction id.
 */
export function registerAuthorizationServer(app: FastifyInstance, provider: Provider): void {
  const callback = provider.callback() as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>; // Koa's listener
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null)); // left unread
    // read here, so that the edge judges its fields; the library parses the text of the request
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: formLimitBytes },
      (request, body, done) => {
        Object.assign(request.raw, { body });
        done(null, new URLSearchParams(String(body)));
      },
    );
    scope.addHook("onRequest", async ({ headers }) => judgeCredentials(headers.authorization));
    scope.setErrorHandler((error, request, reply) => {
      const { statusCode = 500 } = error as { statusCode?: number };
      const isPage = request.method === "GET" && request.headers.accept?.includes("text/html");
      const outage = isPage ? null : unavailableOf(error);
      if (outage) return sendOutage(outage, request, reply);
      if (statusCode >= 500 || isPage) throw error; // answered for all pages in one place
      const given = request.headers[interactionHeader];
      return reply
        .code(statusCode === 413 ? 413 : 400)
        .header(interactionHeader, takeInteractionId(given).value)
        .header("cache-control", "no-store")
        .send({
          error: "invalid_request",
          error_description: statusCode === 413 ? tooLarge : descriptionOf(error),
        });
    });
    for (const { method, url } of paths) {
      scope.route({
        method,
        url,
        exposeHeadRoute: documents.includes(url),
        handler: async (request, reply) => {
          reply.hijack();
          // the library knows GET alone here; Node leaves the body of its answer out
          if (request.raw.method === "HEAD") request.raw.method = "GET";
          const given = request.headers[interactionHeader];
          reply.raw.setHeader(interactionHeader, takeInteractionId(given).value);
          await callback(request.raw, reply.raw);
        },
      });
    }
  });
}

const tooLarge = `The form must have at most ${formLimitBytes} bytes.`;

/** Refuses a client before the library sees its request, in the form of the library's refusals. */
function sendOutage(
  outage: Unavailable,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, headers } = outageAnswer(outage);
  return reply
    .code(status)
    .headers(headers)
    .header(interactionHeader, takeInteractionId(request.headers[interactionHeader]).value)
    .header("cache-control", "no-store")
    .send({
      error: status === 429 ? "slow_down" : "temporarily_unavailable",
      error_description: `${outage.message} Wait for the number of seconds in Retry-After.`,
    });
}

// Quotes, backslashes and what is not ASCII may not stand in it. Source: RFC 6749 section 5.2.
const descriptionOf = (error: unknown): string =>
  (error as Error).message.replace(/["\\]|[^\x20-\x7e]/g, "?");

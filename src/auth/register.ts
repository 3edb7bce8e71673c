import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type Provider from "oidc-provider";
import { answerFailures, type RenderFailure } from "#src/http/failure.ts";
import { interactionHeader, interactionIdOf } from "#src/http/headers/request-headers.ts";
import { judgeCredentials } from "#src/http/hostile-text.ts";
import type { Unavailable } from "#src/lib/unavailable.ts";
import { clientPaths } from "./provider/endpoints.ts";
import { readAgain } from "./provider/library.ts";

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
  { method: "POST", url: clientPaths.backchannel_authentication },
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
export function registerAuthorizationServer(
  app: FastifyInstance,
  provider: Provider,
  { withBackchannel }: { withBackchannel: boolean },
): void {
  const callback = provider.callback() as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>; // Koa's listener
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null)); // left unread
    // read here, so that the edge judges its fields; the library reads the text again
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "buffer", bodyLimit: formLimitBytes },
      (request, body: Buffer, done) => {
        readAgain(request.raw, body);
        done(null, new URLSearchParams(body.toString()));
      },
    );
    scope.addHook("onRequest", async ({ headers }) => judgeCredentials(headers.authorization));
    answerFailures(scope, renderFailure);
    for (const { method, url } of paths) {
      if (url === clientPaths.backchannel_authentication && !withBackchannel) continue;
      scope.route({
        method,
        url,
        exposeHeadRoute: documents.includes(url),
        handler: async (request, reply) => {
          reply.hijack();
          // the library knows GET alone here; Node leaves the body of its answer out
          if (request.raw.method === "HEAD") request.raw.method = "GET";
          reply.raw.setHeader(interactionHeader, interactionIdOf(request, reply).value);
          await callback(request.raw, reply.raw);
        },
      });
    }
  });
}

const failed = "The bank failed. Quote the interaction id when you report it.";
const tooLarge = `The form must have at most ${formLimitBytes} bytes.`;

// any other status is that of a malformed request
const told: ReadonlySet<number> = new Set([408, 413, 500]);

/**
 * Refuses a client before the library sees its request, in the form of the library's refusals. A
 * browser gets a page.
 */
const renderFailure: RenderFailure = (failure, request, reply) => {
  if (request.method === "GET" && request.headers.accept?.includes("text/html")) return null;
  interactionIdOf(request, reply);
  const { outage, error } = failure;
  const status = outage || told.has(failure.status) ? failure.status : 400;
  return reply
    .code(status)
    .headers(failure.headers)
    .header("cache-control", "no-store")
    .send(outage ? describeOutage(outage) : describeRefusal(status, error));
};

const describeOutage = ({ part, message }: Unavailable) => ({
  error: part === "limit" ? "slow_down" : "temporarily_unavailable",
  error_description: `${message} Wait for the number of seconds in Retry-After.`,
});

// Quotes, backslashes and what is not ASCII may not stand in it. Source: RFC 6749 section 5.2.
function describeRefusal(status: number, { message }: Error) {
  if (status === 500) return { error: "server_error", error_description: failed };
  const text = status === 413 ? tooLarge : message.replace(/["\\]|[^\x20-\x7e]/g, "?");
  return { error: "invalid_request", error_description: text };
}
